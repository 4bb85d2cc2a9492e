import EdgeSecurity
import HTTPKit
import HTTPTypes
import Hummingbird
import Logging
import MessagingEngine

/// Registration tokens for the apps of a device. A form in, one line of text out.
/// Spec: GCM D3.
struct RegisterRoutes {
  let installations: InstallationService
  let guesses: GuessGuard
  let logger: Logger

  func answer(_ request: Request, _ context: EdgeRequestContext) async throws -> Response {
    let body = try await request.bytes(upTo: EdgeLimits.deviceBodyBytesMaximum)
    do throws(RegisterError) {
      return Self.text(try await line(for: body, request))
    } catch .unavailable {
      return Self.text(
        "Error=\(RegisterError.unavailable.rawValue)", status: .serviceUnavailable,
        adding: [.retryAfter: "\(EdgeLimits.retryAfterSeconds)"])
    } catch {
      // The protocol says it with 200, so that nobody else can see what it was.
      if error == .authenticationFailed, request.headers[.authorization] != nil,
        let refusal = guesses.wrongCredential(from: context.clientAddress)
      {
        return Self.text(
          "Error=\(RegisterError.unavailable.rawValue)", status: .tooManyRequests,
          adding: [.retryAfter: "\(refusal.retryAfterSeconds)"])
      }
      return Self.text("Error=\(error.rawValue)")
    }
  }

  private func line(for body: [UInt8], _ request: Request) async throws(RegisterError) -> String {
    var fields = RequestParameters()
    do { try fields.addForm(body) } catch { throw .invalidParameters }
    guard let credentials = InstallationCredentials(authorization: request.headers[.authorization]) else {
      throw .authenticationFailed
    }
    // A device that mistakes itself for another one has lost its identity.
    if let device = fields.first(of: "device"), InstallationCredentials.number(device) != credentials.id.androidID {
      throw .authenticationFailed
    }
    let wanted = try RegisterRequest(fields)
    do throws(InstallationFailure) {
      switch wanted {
      case .register(let form): return "token=\(try await installations.register(form, credentials))"
      case .unregister(let app, let subtype, let senders, let instanceID, let isWhole):
        try await installations.unregister(
          app: app, subtype: subtype, instanceID: instanceID, senders: senders, isWhole: isWhole, credentials)
        return instanceID.map { "token=\($0)" } ?? "deleted=\(app)"
      case .subscribe(let token, let topic, let isOn):
        try await installations.subscribe(token, to: topic, on: isOn, credentials)
        return "token=\(token)"
      }
    } catch {
      if case .invalidParameters(let reason) = error {
        logger.debug("a registration was refused", metadata: ["reason": "\(reason)"])
      }
      throw RegisterError(error)
    }
  }

  private static func text(
    _ line: String, status: HTTPResponse.Status = .ok, adding fields: HTTPFields = [:]
  ) -> Response {
    var headers: HTTPFields = [.contentType: "text/plain; charset=UTF-8", .cacheControl: "no-store"]
    headers.append(contentsOf: fields)
    return Response(status: status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(string: line)))
  }
}
