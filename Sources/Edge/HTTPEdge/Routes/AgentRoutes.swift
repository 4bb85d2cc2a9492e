import Engine
import HTTPTypes
import Hummingbird
import JSONEnvelope

/// The agents' API: JSON, with a bearer token. An agent's id is the name of the token. Spec: GMS 12.3.
struct AgentRoutes {
  let engine: Engine
  let tokens: TokenStore
  let limits: EdgeLimits
  let settings: MessagingEdgeSettings

  /// What a route is given: who asks, and the chat of the path.
  private typealias ChatOperation = @Sendable (_ chatID: String, AccessToken, AgentRequest) async throws -> Int?

  func add(to router: EdgeRoutes) {
    let agents = engine.agents
    resource("/agent/1/chats", on: router, .get) { token, request, _ in
      let summaries = try await agents.list(try Self.filter(request), agentID: token.name)
      return .json { AgentRendering.write(summaries, into: &$0) }
    }
    resource("/agent/1/chats/:chat", on: router, .get) { _, _, context in
      let summary = try await agents.summary(context.parameters.require("chat"))
      return .json { AgentRendering.write(summary, isComplete: true, into: &$0) }
    }
    resource("/agent/1/chats/:chat/transcript", on: router, .get) { _, request, context in
      let chatID = try context.parameters.require("chat")
      let after = try Self.position(request)
      let transcript = try await agents.transcript(chatID, after: after)
      return .json { AgentRendering.write(transcript, chatID: chatID, into: &$0) }
    }
    addOperations(to: router)
    addOwn(to: router)
    let (tokens, settings) = (tokens, settings)
    resource("/agent/1/events", on: router, .get) { token, request, context in
      AgentEventStream.response(
        agents, lastEventID: request.headers[.lastEventID], base: settings.origin(request, context)
      ) { tokens.isUsable(token) }
    }
  }

  private func addOperations(to router: EdgeRoutes) {
    let agents = engine.agents
    operation("join", on: router) { chat, token, body in
      try await agents.join(
        chat, agentID: token.name, nickname: try body.text("nickname"), role: try body.role(for: token))
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
          try await agents.setReady(token.name, isReady)
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

  private func operation(_ name: String, on router: EdgeRoutes, _ perform: @escaping ChatOperation) {
    let limits = limits
    resource(RouterPath("/agent/1/chats/:chat/\(name)"), on: router, .post) { token, request, context in
      let body = try AgentRequest(try await request.bytes(limits: limits))
      let position = try await perform(try context.parameters.require("chat"), token, body)
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

  /// Which of them a list is to hold.
  static func filter(_ request: Request) throws(EdgeFailure) -> AgentService.Filter {
    let name = request.uri.queryParameters["state"].map(String.init) ?? "all"
    guard let filter = AgentService.Filter(rawValue: name) else {
      throw .badParameter("state", "is not one of waiting, own, all")
    }
    return filter
  }

  private static func position(_ request: Request) throws(EdgeFailure) -> Int {
    guard let text = request.uri.queryParameters["after"] else { return 0 }
    guard let position = Int(text), position >= 0 else {
      throw .badParameter("after", "is not a transcript position")
    }
    return position
  }
}

extension HTTPField.Name {
  static let lastEventID = HTTPField.Name("Last-Event-ID")!
}
