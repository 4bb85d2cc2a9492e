import ChatDomain
import ChatEngine
import EngineKit
import HTTPKit
import JSONEnvelope

/// What agents do beside the conversation, and how they pass it on.
extension AgentRoutes {
  static let desk: [AgentAct<AgentRoutes>] = [
    act(
      "read", "markChatRead", "Say how far one has read",
      about: """
        Beyond the end is the end, and a mark never goes back: the answer says where it is. One's other streams hear of it \
        (`read`).
        """, [.required("position", .integer(0...1_000_000_000), "Of the last event that one has read.")]
    ) { routes, call in
      guard let position = try call.body.optionalInteger("position", in: 0...1_000_000_000) else {
        throw EdgeFailure.missingParameter("position")
      }
      return try await routes.agents.read(call.chat, upTo: position, for: call.token.viewer)
    },
    act(
      "private", "sendPrivateNote", "Say something to the agents",
      about: "A line of the transcript that the customer never gets.", [.required("text", .text(1...4_000))],
      failures: [403]
    ) { routes, call in
      try await routes.agents.note(call.chat, agentID: call.token.name, text: try call.body.text("text"))
      return nil
    },
    act(
      "whisper", "whisper", "Say something to the agents without being in the chat",
      about: "A supervisor's: a private note of the role SUPERVISOR.", [.required("text", .text(1...4_000))],
      failures: [403]
    ) { routes, call in
      try requireSupervisor(call.token)
      try await routes.agents.whisper(call.chat, agentID: call.token.name, text: try call.body.text("text"))
      return nil
    },
    act(
      "invite", "inviteAgent", "Let another agent join",
      about: """
        Whoever is in the chat, or a supervisor, invites; the chat is in the other one's lists until they have joined or \
        it is over, whatever service it belongs to. Doing it again changes nothing.
        """, [.required("agentId", .text(1...64), "The name of their token.")], failures: [403, 409]
    ) { routes, call in
      let other = try call.body.text("agentId")
      try routes.requireAgent(other)
      try await routes.agents.invite(other, to: call.chat, by: call.token.viewer)
      return nil
    },
    act(
      "transfer", "transferChat", "Leave the chat to others",
      about: """
        To an agent, who may join from then on, as by `inviteAgent`; or to the agents of a service. If nobody else is in \
        it, it waits there: it is not lost if that one does not come. What the service of the chat says of pushes and of \
        its life stays. The customer sees one leave and another one join.
        """,
      [
        .optional("agentId", .text(1...64), "The name of their token; either this or `service`."),
        .optional("service", .text(1...128), "A service's name."),
      ], failures: [403, 409]
    ) { routes, call in
      try await routes.agents.transfer(call.chat, agentID: call.token.name, to: try routes.transferTarget(call.body))
    },
    act(
      "takeover", "takeChatOver", "Join the chat in the others' place",
      about: "A supervisor's. The others leave; the customer sees it. Doing it again changes nothing.",
      [.required("nickname", .text(1...64), "The name that the customer sees.")], failures: [403]
    ) { routes, call in
      try requireSupervisor(call.token)
      return try await routes.agents.takeOver(
        call.chat, agentID: call.token.name, nickname: try call.body.text("nickname"))
    },
    act(
      "wrapup", "wrapChatUp", "Note what came of the chat",
      about: """
        By whoever is in it or was, also when it is over. It takes the place of what was noted before, stands in the \
        chat's summary, and is never the customer's.
        """,
      [
        .required("disposition", .text(1...64), "What came of it."), .optional("note", .text(0...4_000)),
        .optional("tags", .list(of: .text(1...32), 0...ChatLimits.tagsMaximum), "One that comes twice stands once."),
      ], failures: [403], isJoining: true
    ) { routes, call in
      try await routes.agents.wrapUp(
        call.chat, disposition: try call.body.text("disposition"), note: try call.body.optionalText("note") ?? "",
        tags: try call.body.optionalTexts("tags") ?? [], for: call.token.viewer)
    },
  ]

  private static func requireSupervisor(_ token: AccessToken) throws(EdgeFailure) {
    guard token.role == .supervisor else { throw .forbidden("Only supervisors do that") }
  }

  /// - Throws: if no usable token that has a part in chats has this name.
  private func requireAgent(_ agentID: String) throws(EdgeFailure) {
    guard (try? tokens.holders())?.contains(where: { $0.isAgent && $0.name == agentID }) == true else {
      throw .badParameter("agentId", "is not the name of an agent")
    }
  }

  private func transferTarget(_ body: JSONBody) throws(EdgeFailure) -> ChatTransferTarget {
    guard body["service"] != nil else {
      let other = try body.text("agentId")
      try requireAgent(other)
      return .agent(other)
    }
    guard body["agentId"] == nil else {
      throw .badParameter("service", "cannot be given together with 'agentId'")
    }
    return .service(try body.text("service"))
  }
}

extension AccessToken {
  /// It still opens something, and its holder has a part in chats.
  var isAgent: Bool { isUsable && role.takesPartInChats }
}
