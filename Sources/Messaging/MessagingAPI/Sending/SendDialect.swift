import EngineKit
import EventSourcing
import GCMProtocol
import HTTPKit
import HTTPTypes
import PushDomain

/// How a request is read, and its answer written. Spec: GCM B2-B5, E1-E4.
enum SendDialect: Equatable, Sendable {
  case json
  /// Plain text: also whatever does not say what it is. Spec: GCM B1.2.
  case form
  case v1(project: String)

  /// As nearly everybody writes it.
  private static let plainJSON = "application/json"

  init(_ route: SendRoute, contentType: String?) {
    switch route {
    case .legacy where contentType == Self.plainJSON: self = .json
    case .legacy: self = MediaType(contentType)?.isJSON == true ? .json : .form
    case .v1(let project): self = .v1(project: project)
    }
  }

  func read(_ body: [UInt8], now: Timestamp) throws(DownstreamRefusal) -> DownstreamRequest {
    switch self {
    case .json: try DownstreamRequest(json: body)
    case .form: try DownstreamRequest(form: try Self.pairs(of: body))
    case .v1: try DownstreamRequest(v1: body, now: now)
    }
  }

  private static func pairs(of body: [UInt8]) throws(DownstreamRefusal) -> [MailPair] {
    var form = RequestParameters()
    do throws(ParameterFailure) {
      try form.addForm(body)
    } catch {
      throw DownstreamRefusal(code: .invalidParameters, text: "The form cannot be read")
    }
    return form.pairs.map { MailPair($0.name, $0.value) }
  }

  // MARK: Answers

  func answer(_ answer: DownstreamAnswer, isDryRun: Bool) -> SendAnswer {
    let number = Int64.random(in: 1 ... .max)
    switch self {
    case .json:
      guard let body = LegacyAnswer.json(answer, multicastID: number) else { return refusal(.serviceUnavailable) }
      return .json(body)
    case .form:
      guard let text = LegacyAnswer.text(answer) else { return refusal(.serviceUnavailable) }
      return .text(text)
    case .v1(let project): return .v1(V1Answer(answer, project: project, isDryRun: isDryRun, number: number))
    }
  }

  func answer(_ result: Result<DownstreamAnswer, EngineError>, isDryRun: Bool) -> SendAnswer {
    switch result {
    case .success(let answer): self.answer(answer, isDryRun: isDryRun)
    case .failure: refusal(.serviceUnavailable)
    }
  }

  /// The request is not usable for what it says.
  func answer(_ refusal: DownstreamRefusal) -> SendAnswer {
    if case .v1 = self { return .v1(V1Answer(refusal)) }
    guard let answer = refusal.answer else { return .text(refusal.text + "\n", .badRequest) }
    return self.answer(answer, isDryRun: false)
  }

  /// The whole request is refused, whatever it says.
  /// - Parameter retryAfter: seconds; nil for the usual ones if the status asks for a retry.
  func refusal(_ status: HTTPResponse.Status, retryAfter: Int? = nil) -> SendAnswer {
    if case .v1 = self { return .v1(V1Answer(status: status.code), retryAfter: retryAfter) }
    let usual = status == .serviceUnavailable ? EdgeLimits.retryAfterSeconds : nil
    return .page(status, retryAfter: retryAfter ?? usual)
  }
}
