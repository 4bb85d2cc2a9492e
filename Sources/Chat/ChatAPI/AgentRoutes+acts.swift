import ChatEngine
import EngineKit
import HTTPKit
import HTTPTypes
import JSONEnvelope

/// What agents do, by requests and over their socket. Spec: GMS 12.3.
extension AgentRoutes {
  /// In the order in which they are described.
  package static let acts: [AgentAct<AgentRoutes>] = talking + desk + own

  private static let talking: [AgentAct<AgentRoutes>] = [
    act(
      "join", "joinChat", "Join the chat",
      about: """
        One that waits; a supervisor joins any. 409 if another agent has it, or is offered it just now. Whoever is offered \
        it takes it so.
        """,
      [
        .required("nickname", .text(1...64), "The name that the customer sees."),
        .optional("role", .oneOf("AGENT", "SUPERVISOR", "EXTERNAL"), "A supervisor may choose."),
      ], failures: [409], isJoining: true
    ) { routes, call in
      try await routes.agents.join(
        call.chat, nickname: try call.body.text("nickname"), role: try call.body.role(for: call.token),
        for: call.token.viewer)
    },
    act(
      "release", "releaseChat", "Send away what one is offered",
      about: "It goes to the next agent, and one is not ready any more. 409 if it is not offered to one.", [],
      failures: [409]
    ) { routes, call in
      try await routes.agents.release(call.chat, agentID: call.token.name)
      return nil
    },
    act("send", at: "messages", "sendAgentMessage", "Say something", [.required("text", .text(1...4_000))]) {
      routes, call in
      try await routes.agents.send(call.chat, agentID: call.token.name, text: try call.body.text("text"))
    },
    act("typing", "showAgentTyping", "Show that one types", [.required("started", .bool)]) { routes, call in
      try await routes.agents.typing(call.chat, agentID: call.token.name, started: try call.body.bool("started"))
    },
    act("pushurl", "sendAgentURL", "Send a URL", [.required("url", .webAddress)]) { routes, call in
      try await routes.agents.pushURL(call.chat, agentID: call.token.name, url: try call.body.text("url"))
    },
    act("notice", "sendAgentNotice", "Send the customer a notice", [.required("text", .text(1...4_000))]) {
      routes, call in
      try await routes.agents.notice(call.chat, agentID: call.token.name, text: try call.body.text("text"))
    },
    act("leave", "leaveChat", "Leave the chat", about: "It stays open for others.", []) { routes, call in
      try await routes.agents.leave(call.chat, agentID: call.token.name)
    },
    act("close", "closeChat", "End the chat", []) { routes, call in
      try await routes.agents.close(call.chat, agentID: call.token.name)
    },
  ]

  private static let own: [AgentAct<AgentRoutes>] = [
    AgentAct(
      "me", .get, "/agent/1/me", "getAgent", "Who one is", answers: [.json(200, "The agent.", .named("Agent"))]
    ) { routes, call in await routes.whoOneIs(call.token) },
    AgentAct(
      "ready", .put, "/agent/1/me", "setAgentReady", "Say whether one is ready",
      body: .json(.object([.required("ready", .bool)])), answers: [.json(200, "The agent.", .named("Agent"))],
      failures: [400]
    ) { routes, call in try await routes.setReady(call.token, try call.body.bool("ready")) },
  ]

  static let chatID: APIParameter = .path("chat", "The chat's id: `chatId`.")

  /// Something that an agent does in a chat.
  /// - Parameters:
  ///   - name: what its path calls it, where that is not its word.
  ///   - isJoining: it judges itself whose business the chat is.
  ///   - perform: returns the position of what has come of it.
  static func act(
    _ word: String, at name: String? = nil, _ id: String, _ summary: String, about: String? = nil,
    _ members: [APIMember], failures: [Int] = [], isJoining: Bool = false,
    _ perform: @escaping @Sendable (AgentRoutes, AgentCall) async throws -> Int?
  ) -> AgentAct<AgentRoutes> {
    AgentAct(
      word, .post, "/agent/1/chats/{chat}/\(name ?? word)", id, summary, about: about, parameters: [chatID],
      body: .json(.object(members), isRequired: members.contains(where: \.isRequired)),
      answers: [.json(200, "It is done.", .named("ChatPosition"))], failures: [400, 404] + failures
    ) { routes, call in
      if !isJoining { try await routes.agents.admit(call.token.viewer, to: call.chat) }
      let position = try await perform(routes, call)
      return JSONWriter.object(capacity: 32) { $0.member("position", position) }
    }
  }
}
