import Engine
import HTTPTypes
import Hummingbird
import JSONEnvelope

/// Answers of the Instance ID service. Spec: GCM B8.
enum InstanceIDAnswer {
  /// `{}`: done.
  static let done: Response = .json(JSONValue.object([]).text)
  static let unauthorized = error(.unauthorized, "Unauthorized")
  static let invalidToken = error(.badRequest, "InvalidToken")
  static let invalidTopic = error(.badRequest, "Topic name format is invalid")
  static let missingTokens = error(.badRequest, "MissingIIdToken")

  /// `{"error": text}`. Spec: GCM B8.6.
  static func error(_ status: HTTPResponse.Status, _ text: String) -> Response {
    .json(
      JSONValue.object([("error", .string(text))]).text, status: status,
      adding: status == .serviceUnavailable ? [.retryAfter: "\(EdgeLimits.retryAfterSeconds)"] : [:])
  }

  static func failure(_ failure: InstallationFailure) -> Response {
    switch failure {
    case .unauthenticated: error(.forbidden, "The key does not match the token's authorizedEntity")
    case .notRegistered: error(.notFound, "NotFound")
    case .tooManyTopics: error(.tooManyRequests, "TOO_MANY_TOPICS")
    case .invalidSender, .invalidParameters: error(.badRequest, "InvalidParameters")
    case .tooManyRegistrations: error(.tooManyRequests, "RESOURCE_EXHAUSTED")
    case .unavailable: error(.serviceUnavailable, "Unavailable")
    }
  }

  /// What became of one token of a batch. Spec: GCM B8.4.
  static func code(_ failure: InstallationFailure) -> String {
    switch failure {
    case .notRegistered: "NOT_FOUND"
    case .unauthenticated, .invalidSender, .invalidParameters: "INVALID_ARGUMENT"
    case .tooManyTopics: "TOO_MANY_TOPICS"
    case .tooManyRegistrations: "RESOURCE_EXHAUSTED"
    case .unavailable: "INTERNAL"
    }
  }

  /// Spec: GCM B8.2.
  static func info(_ info: RegistrationInfo, withDetails: Bool) -> Response {
    var members: [(String, JSONValue)] = [
      ("application", .string(info.app)), ("authorizedEntity", .string(info.sender)),
      ("platform", .string(info.platform)),
    ]
    func add(_ name: String, _ text: String?) { if let text { members.append((name, .string(text))) } }
    add("applicationVersion", info.appVersion)
    add("appSigner", info.certificate)
    add("scope", info.scope)
    if withDetails, !info.topics.isEmpty {
      let topics = info.topics.map { ($0.name, JSONValue.object([("addDate", .string($0.addedOn))])) }
      members.append(("rel", .object([("topics", .object(topics))])))
    }
    return .json(JSONValue.object(members).text)
  }
}
