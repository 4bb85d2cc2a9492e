import ChatAPI
import ChatEngine
import EngineKit
import HTTPKit
import HTTPTypes
import Hummingbird
import JSONEnvelope
import SupportDomain
import SupportEngine

/// Requests in the agents' own API, beside chats and callbacks. Spec: support requests 8; GMS 12.3.
///
/// | | |
/// |---|---|
/// | `GET /agent/1/requests?state=waiting\|own\|all&limit=&after=` | newest first; waiting: nobody has answered yet |
/// | `POST /agent/1/chats/{chat}/request` `{"subject":…,"comment":{"body":…,"public":…}}` | makes one of a chat |
struct SupportAgentRoutes: AgentActRoutes {
  let support: SupportService
  let agents: AgentService
  let tokens: TokenStore
  let limits: EdgeLimits
  /// How much one list may hold.
  let listMaximum: Int
  let address: PublicAddress

  func list(
    _ token: AccessToken, _ request: Request, _ context: EdgeRequestContext
  ) async throws -> Response {
    let actor = try await support.agent(named: token.name, services: token.viewer.services)
    let list = try ListQuery(request, ["state"], limitMaximum: listMaximum)
    let after = try list.after.map { text throws(EdgeFailure) in
      guard let number = Int64(text), number > 0 else { throw .badParameter("after", "is not a request's number") }
      return number
    }
    var query = SupportQuery()
    switch try list.word("state", AgentService.Filter.self) ?? .all {
    case .waiting: query.statuses = [.new]
    case .own: query.assignee = actor.number
    case .all: break
    }
    let page = try await support.requests(query, after: after, limit: list.limit, for: actor)
    let base = address.origin(request, context)
    return .json(adding: list.link(next: page.next)) {
      $0.objects(page.elements) { Self.write($0, base, into: &$1) }
    }
  }

  func create(
    _ token: AccessToken, _ request: Request, _ context: EdgeRequestContext
  ) async throws -> Response {
    let made = try await create(
      ofChat: try context.parameters.require("chat"), by: token, RequestedAddress(request, context)
    ) { try await SupportForm(request, limits: limits) }
    return .json(made, status: .created)
  }

  func create(_ call: AgentCall) async throws -> [UInt8] {
    try await create(ofChat: call.chat, by: call.token, call.address) { SupportForm(call.body) }
  }

  /// - Parameter read: what is to be made; looked at last.
  private func create(
    ofChat chat: String, by token: AccessToken, _ requested: RequestedAddress, _ read: () async throws -> SupportForm
  ) async throws -> [UInt8] {
    let actor = try await support.agent(named: token.name, services: token.viewer.services)
    try await agents.admit(token.viewer, to: chat)
    let form = try await read()
    let comment = try form.optionalObject("comment")
    let view = try await support.create(
      fromChat: chat, subject: try form.optionalText("subject"),
      comment: try comment.map { form throws(SupportFailure) in try SupportCommentOrder(form, at: .agents) },
      by: actor)
    return JSONWriter.object(capacity: 1_024) { Self.write(view, address.origin(requested), into: &$0) }
  }

  private static func write(_ view: SupportRequestView, _ base: String, into object: inout JSONObjectWriter) {
    SupportRendering.request(view, includes: [.lastComment], for: .agent, base: base, into: &object)
  }
}
