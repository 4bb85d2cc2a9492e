import HTTPKit
import HTTPTypes
import Hummingbird
import JSONEnvelope
import MessagingEngine

/// Answers of the Instance ID service. Spec: GCM B8.
enum InstanceIDAnswer {
  /// `{}`: done.
  static let done: Response = .object { _ in }
  static let unauthorized = error(.unauthorized, "Unauthorized")
  static let invalidToken = error(.badRequest, "InvalidToken")
  static let invalidTopic = error(.badRequest, "Topic name format is invalid")
  static let missingTokens = error(.badRequest, "MissingIIdToken")

  /// `{"error": text}`. Spec: GCM B8.6.
  static func error(_ status: HTTPResponse.Status, _ text: String) -> Response {
    .object(
      status: status,
      adding: status == .serviceUnavailable ? [.retryAfter: "\(EdgeLimits.retryAfterSeconds)"] : [:]
    ) { $0.member("error", text) }
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
    .object { object in
      object.member("application", info.app)
      object.member("authorizedEntity", info.sender)
      object.member("platform", info.platform)
      object.member("applicationVersion", ifPresent: info.appVersion)
      object.member("appSigner", ifPresent: info.certificate)
      object.member("scope", ifPresent: info.scope)
      guard withDetails, !info.topics.isEmpty else { return }
      object.object("rel") { rel in
        rel.object("topics") { topics in
          for topic in info.topics {
            topics.member(named: topic.name) { $0.object { $0.member("addDate", topic.addedOn) } }
          }
        }
      }
    }
  }
}
