import AuditEngine
import HTTPKit
package import Transparency

/// Reaches witnesses over HTTP/1.1. Spec: C2SP tlog-witness.
package struct WitnessClient: WitnessCaller {
  package init() {}

  package func post(
    _ body: [UInt8], to url: String, trustRootsFile: String?, timeout: Duration
  ) async -> CosigningRound.Outcome {
    let maximum = EvidenceLimits.witnessAnswerByteCountMaximum
    let request = BoundedRequest(
      url: url, accepts: "text/plain, */*", posting: .init(type: "text/plain; charset=utf-8", bytes: body),
      trustRootsFile: trustRootsFile, bytesMaximum: maximum, timeout: timeout)
    do throws(BoundedRequest.Failure) {
      let answer = try await request.answer()
      return .answered(status: answer.status, contentType: answer.contentType ?? "", body: answer.body)
    } catch {
      switch error {
      case .late: return .late
      case .tls, .unreachable: return .unreachable
      // Whoever judges it sees by its length that it is too long.
      case .tooLong: return .answered(status: 200, contentType: "", body: [UInt8](repeating: 0, count: maximum + 1))
      }
    }
  }
}
