import GCMProtocol
import HTTPKit
import HTTPTypes
import Hummingbird
import JSONEnvelope
import MessagingEngine

/// Topics as the newest server libraries manage them. Spec: GCM E5.
struct TopicSubscriptionRoutes {
  let installations: InstallationService
  let tokens: TokenStore

  func subscribe(_ request: Request, _ context: EdgeRequestContext) async throws -> Response {
    let topic = try request.queryParameters().first(of: "topic_name").flatMap { TopicName.isValid($0) ? $0 : nil }
    return try await set(topic, on: true, request, context)
  }

  func unsubscribe(_ request: Request, _ context: EdgeRequestContext) async throws -> Response {
    try await set(context.parameters.get("topic").flatMap { PathText.topic($0) }, on: false, request, context)
  }

  private func set(
    _ topic: String?, on isOn: Bool, _ request: Request, _ context: EdgeRequestContext
  ) async throws -> Response {
    guard let sender = request.sender(in: tokens, context) else { return Self.response(.unauthenticated) }
    let project = try context.parameters.require("project")
    guard sender.owns(project: project) else { return Self.response(.permissionDenied) }
    guard let topic, let token = PathText.token(context) else { return Self.response(V1Answer(.invalidParameters)) }
    do throws(InstallationFailure) {
      let isNew = try await installations.setTopic(topic, of: token, sender: sender.sender, on: isOn)
      guard isOn else {
        guard isNew || request.allowsMissing else {
          return Self.error(.notFound, "NOT_FOUND", "The registration is not subscribed to this topic.")
        }
        return .object { _ in }
      }
      guard isNew else {
        return Self.error(.conflict, "ALREADY_EXISTS", "The registration is subscribed to this topic already.")
      }
      let name = "projects/\(project)/registrations/\(token)/topicSubscriptions/\(topic)"
      return .object { $0.member("name", name) }
    } catch {
      return Self.failure(error)
    }
  }

  private static func failure(_ failure: InstallationFailure) -> Response {
    switch failure {
    case .notRegistered: response(V1Answer(.notRegistered))
    case .unauthenticated, .invalidSender: response(V1Answer(.mismatchSenderID))
    case .invalidParameters: response(V1Answer(.invalidParameters))
    case .tooManyTopics, .tooManyRegistrations:
      error(.tooManyRequests, "RESOURCE_EXHAUSTED", "The app instance has as many topics as it may.")
    case .unavailable: response(V1Answer(.unavailable))
    }
  }

  private static func response(_ answer: V1Answer) -> Response {
    .json(
      answer.body, status: HTTPResponse.Status(code: answer.status),
      adding: answer.status == 503 ? [.retryAfter: "\(EdgeLimits.retryAfterSeconds)"] : [:])
  }

  private static func error(_ status: HTTPResponse.Status, _ canonical: String, _ message: String) -> Response {
    .object(status: status) { answer in
      answer.object("error") { error in
        error.member("code", status.code)
        error.member("message", message)
        error.member("status", canonical)
      }
    }
  }
}

extension Request {
  /// One that cannot be read asks for nothing.
  fileprivate var allowsMissing: Bool { (try? queryParameters().isTrue("allow_missing")) ?? false }
}
