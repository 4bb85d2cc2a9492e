import Engine
import HTTPTypes
import Hummingbird
import JSONEnvelope

/// The agents' API: JSON, with a bearer token. An agent's id is the name of the token. Spec: GMS 12.3.
///
/// What is none of an agent's business is answered as if it did not exist: see `AgentViewer`.
struct AgentRoutes {
  let engine: Engine
  let tokens: TokenStore
  let limits: EdgeLimits
  let settings: MessagingEdgeSettings

  /// What a route is given: who asks, and the chat of the path.
  private typealias ChatOperation = @Sendable (_ chatID: String, AccessToken, AgentRequest) async throws -> Int?

  func add(to router: EdgeRoutes) {
    let agents = engine.agents
    let listMaximum = engine.listMaximum.agents
    resource("/agent/1/chats", on: router, .get) { token, request, _ in
      let query = try ListQuery(request, ["state", "service"], limitMaximum: listMaximum)
      let page = try await agents.list(try AgentListQuery(query), for: token.viewer)
      return .json(adding: query.link(next: page.next)) { AgentRendering.write(page.elements, into: &$0) }
    }
    resource("/agent/1/chats/:chat", on: router, .get) { token, _, context in
      let summary = try await agents.summary(context.parameters.require("chat"), for: token.viewer)
      return .json { AgentRendering.write(summary, isComplete: true, into: &$0) }
    }
    resource("/agent/1/chats/:chat/transcript", on: router, .get) { token, request, context in
      let chatID = try context.parameters.require("chat")
      let after = try Self.position(request)
      let transcript = try await agents.transcript(chatID, after: after, for: token.viewer)
      return .json { AgentRendering.write(transcript, chatID: chatID, into: &$0) }
    }
    addOperations(to: router)
    addOwn(to: router)
    let (tokens, settings) = (tokens, settings)
    resource("/agent/1/events", on: router, .get) { token, request, context in
      _ = try ListQuery.known(request, [])
      return AgentEventStream.response(
        agents, of: token.viewer, lastEventID: request.headers[.lastEventID], base: settings.origin(request, context)
      ) { tokens.isUsable(token) }
    }
  }

  private func addOperations(to router: EdgeRoutes) {
    let agents = engine.agents
    operation("join", on: router, isJoining: true) { chat, token, body in
      try await agents.join(
        chat, nickname: try body.text("nickname"), role: try body.role(for: token), for: token.viewer)
    }
    operation("messages", on: router) { chat, token, body in
      try await agents.send(chat, agentID: token.name, text: try body.text("text"))
    }
    operation("typing", on: router) { chat, token, body in
      try await agents.typing(chat, agentID: token.name, started: try body.bool("started"))
    }
    operation("pushurl", on: router) { chat, token, body in
      try await agents.pushURL(chat, agentID: token.name, url: try body.text("url"))
    }
    operation("notice", on: router) { chat, token, body in
      try await agents.notice(chat, agentID: token.name, text: try body.text("text"))
    }
    operation("leave", on: router) { chat, token, _ in try await agents.leave(chat, agentID: token.name) }
    operation("close", on: router) { chat, token, _ in try await agents.close(chat, agentID: token.name) }
  }

  private func addOwn(to router: EdgeRoutes) {
    let (agents, tokens, limits) = (engine.agents, tokens, limits)
    router.resource(
      "/agent/1/me",
      [
        .get: { request, _ in
          let token = try Self.token(of: request, tokens)
          let isReady = await agents.isReady(token.name)
          return .json { AgentRendering.write(token, isReady: isReady, into: &$0) }
        },
        .put: { request, _ in
          let token = try Self.token(of: request, tokens)
          let isReady = try AgentRequest(try await request.bytes(limits: limits)).bool("ready")
          try await agents.setReady(token.viewer, isReady)
          return .json { AgentRendering.write(token, isReady: isReady, into: &$0) }
        },
      ])
  }

  // MARK: Common to all

  private func resource(
    _ path: RouterPath, on router: EdgeRoutes, _ method: HTTPRequest.Method,
    _ route: @escaping @Sendable (AccessToken, Request, EdgeRequestContext) async throws -> Response
  ) {
    let tokens = tokens
    router.resource(
      path, [method: { request, context in try await route(try Self.token(of: request, tokens), request, context) }])
  }

  /// - Parameter isJoining: it judges itself whose business the chat is.
  private func operation(
    _ name: String, on router: EdgeRoutes, isJoining: Bool = false, _ perform: @escaping ChatOperation
  ) {
    let (agents, limits) = (engine.agents, limits)
    resource(RouterPath("/agent/1/chats/:chat/\(name)"), on: router, .post) { token, request, context in
      let body = try AgentRequest(try await request.bytes(limits: limits))
      let chat = try context.parameters.require("chat")
      if !isJoining { try await agents.admit(token.viewer, to: chat) }
      let position = try await perform(chat, token, body)
      return .json { writer in
        writer.beginObject()
        writer.key("position")
        if let position { writer.integer(position) } else { writer.null() }
        writer.endObject()
      }
    }
  }

  static func token(of request: Request, _ tokens: TokenStore) throws(EdgeFailure) -> AccessToken {
    let token = try request.accessToken(in: tokens)
    guard token.role.takesPartInChats else { throw .forbidden("A token of this role has no part in chats") }
    return token
  }

  private static func position(_ request: Request) throws -> Int {
    guard let text = try ListQuery.known(request, ["after"])["after"] else { return 0 }
    guard let position = Int(text), position >= 0 else {
      throw EdgeFailure.badParameter("after", "is not a transcript position")
    }
    return position
  }
}

extension AgentListQuery {
  /// What the parameters of a list's query mean: `state`, `service`, `limit`, `after`.
  init(_ query: ListQuery) throws(EdgeFailure) {
    self.init(
      try query.word("state", AgentService.Filter.self) ?? .all, service: query["service"], after: query.after,
      limit: query.limit)
  }
}

extension HTTPField.Name {
  static let lastEventID = HTTPField.Name("Last-Event-ID")!
}
