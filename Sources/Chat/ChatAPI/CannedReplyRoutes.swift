import ChatDomain
package import ChatEngine
import EngineKit
import EventSourcing
package import HTTPKit
import HTTPTypes
import Hummingbird
import JSONEnvelope

/// Canned replies, for agents and whoever writes what agents share.
package struct CannedReplyRoutes: TokenRoutes {
  private let replies: CannedReplies
  package let tokens: TokenStore
  private let limits: EdgeLimits

  package init(replies: CannedReplies, tokens: TokenStore, limits: EdgeLimits) {
    self.replies = replies
    self.tokens = tokens
    self.limits = limits
  }

  func list(_ token: AccessToken, _ request: Request) async throws -> Response {
    let query = try ListQuery(ofResource: request, ["language"])
    let found = try await replies.list(for: token.cannedReplies, language: query["language"])
    return .object { $0.objects("replies", found) { Self.write($0, into: &$1) } }
  }

  func add(_ token: AccessToken, _ request: Request) async throws -> Response {
    let body = try await body(of: request)
    let scope = try Self.scope(body)
    let reply = try await replies.add(try CannedReplyDraft(body), to: scope, by: token.cannedReplies)
    return .object(status: .created) { Self.write(reply, into: &$0) }
  }

  func change(_ token: AccessToken, _ request: Request, _ context: EdgeRequestContext) async throws -> Response {
    let body = try await body(of: request)
    let id = try context.parameters.require("id")
    let reply = try await replies.change(id, to: try CannedReplyDraft(body), by: token.cannedReplies)
    return .object { Self.write(reply, into: &$0) }
  }

  func remove(_ token: AccessToken, _ request: Request, _ context: EdgeRequestContext) async throws -> Response {
    _ = try ListQuery.known(request, [])
    try await replies.remove(context.parameters.require("id"), by: token.cannedReplies)
    return Response(status: .noContent)
  }

  private func body(of request: Request) async throws -> JSONBody {
    try JSONBody(try await request.bytes(limits: limits))
  }

  private static func scope(_ body: JSONBody) throws(EdgeFailure) -> CannedReplies.Scope {
    guard let text = try body.optionalText("scope") else { return .own }
    guard let scope = CannedReplies.Scope(rawValue: text) else {
      throw .badParameter(
        "scope", "is not one of \(CannedReplies.Scope.allCases.map(\.rawValue).joined(separator: ", "))")
    }
    return scope
  }

  private static func write(_ scoped: ScopedReply, into object: inout JSONObjectWriter) {
    let reply = scoped.reply
    object.member("id", reply.id)
    object.member("scope", scoped.scope.rawValue)
    object.member("shortcut", reply.content.shortcut)
    object.member("language", ifPresent: reply.content.language)
    object.member("text", reply.content.text)
    object.member("savedAt", reply.savedAt.iso8601)
    object.member("savedBy", reply.savedBy)
  }
}

extension CannedReplyDraft {
  fileprivate init(_ body: JSONBody) throws(EdgeFailure) {
    self.init(
      shortcut: try body.text("shortcut"), language: try body.optionalText("language"), text: try body.text("text"))
  }
}

extension AccessToken {
  /// Who uses canned replies, where its holder does.
  fileprivate var cannedReplies: CannedReplyHolder {
    CannedReplyHolder(
      name: name, hasOwn: role.takesPartInChats, writesShared: role == .supervisor || role == .admin)
  }
}

extension CannedReplyRejection: EdgeRefusal {
  package var failure: EdgeFailure {
    switch self {
    case .unknown:
      EdgeFailure(.notFound, "There is no such canned reply", exception: "CannedReplyNotFoundException")
    case .taken(let shortcut):
      EdgeFailure(
        .conflict, "There is a canned reply /\(shortcut) in this language already",
        exception: "CannedReplyExistsException")
    case .tooMany(let limit):
      EdgeFailure(.conflict, "There are \(limit) canned replies already", exception: "LimitException")
    case .sharedByOthers: .forbidden("Only supervisors and operators change what all share")
    case .ownsNone: .forbidden("Operators have no canned replies of their own: say scope shared")
    case .empty(let field): .missingParameter(field)
    case .tooLong(let field, let limit): Self.tooLong(field, limit)
    case .invalid(let field, let reason): .badParameter(field, reason)
    }
  }

  private static func tooLong(_ field: String, _ limit: Int) -> EdgeFailure {
    var failure = EdgeFailure.badParameter(field, "is longer than \(limit) bytes")
    if field == "text" { failure.status = .contentTooLarge }
    return failure
  }
}
