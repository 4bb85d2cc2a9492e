import GCMProtocol
import HTTPKit
import HTTPTypes
import Hummingbird
import MessagingEngine

/// Device groups. Spec: GCM B7.
struct GroupRoutes {
  let messaging: MessagingService
  let tokens: TokenStore
  let limits: EdgeLimits

  func change(_ request: Request, _ context: EdgeRequestContext) async throws -> Response {
    guard let sender = sender(of: request, context) else { return Self.unauthorized }
    let body = try await request.bytes(limits: limits)
    let change: GroupRequest
    do throws(DownstreamRefusal) { change = try GroupRequest(json: body) } catch { return Self.refusal(error.text) }
    return await Self.answer { () async throws(GroupFailure) in
      switch change {
      case .create(let name, let tokens):
        try await messaging.createGroup(name, tokens: tokens, sender: sender)
      case .add(let key, let name, let tokens):
        try await messaging.changeGroup(key, name: name, add: tokens, remove: [], sender: sender)
      case .remove(let key, let name, let tokens):
        try await messaging.changeGroup(key, name: name, add: [], remove: tokens, sender: sender)
      }
    }
  }

  func key(_ request: Request, _ context: EdgeRequestContext) async throws -> Response {
    guard let sender = sender(of: request, context) else { return Self.unauthorized }
    guard let name = try request.queryParameters().first(of: "notification_key_name"),
      name.utf8.count <= DownstreamLimits.groupNameBytesMaximum
    else { return Self.refusal(GroupAnswer.notFound) }
    return await Self.answer { () async throws(GroupFailure) in
      try await messaging.groupKey(of: name, sender: sender)
    }
  }

  /// Nil too if the header `project_id` names somebody else. Spec: GCM B7.1.
  private func sender(of request: Request, _ context: EdgeRequestContext) -> String? {
    guard let identity = request.sender(in: tokens, context) else { return nil }
    guard let project = request.headers[.projectID], !identity.owns(project: project) else { return identity.sender }
    return nil
  }

  private static func answer(_ key: () async throws(GroupFailure) -> String) async -> Response {
    do throws(GroupFailure) {
      return .json(GroupAnswer.key(try await key()))
    } catch {
      return switch error {
      case .exists: refusal(GroupAnswer.exists)
      case .notFound: refusal(GroupAnswer.notFound)
      case .noValidTokens: refusal(GroupAnswer.noValidTokens)
      case .nameMismatch: refusal(GroupAnswer.nameMismatch)
      case .tooManyMembers: refusal(GroupAnswer.tooManyMembers)
      case .unavailable:
        Response(status: .serviceUnavailable, headers: [.retryAfter: "\(EdgeLimits.retryAfterSeconds)"])
      }
    }
  }

  private static let unauthorized: Response = .json(GroupAnswer.error("Unauthorized"), status: .unauthorized)

  private static func refusal(_ text: String) -> Response { .json(GroupAnswer.error(text), status: .badRequest) }
}

extension HTTPField.Name {
  static let projectID = HTTPField.Name("project_id")!
}
