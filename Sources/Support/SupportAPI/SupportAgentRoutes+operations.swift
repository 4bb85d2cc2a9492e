import ChatAPI
import EngineKit
import HTTPKit
import HTTPTypes
import JSONEnvelope

/// Spec: support requests 8; GMS 12.3.
extension SupportAgentRoutes {
  static let operations: [Operation<SupportAgentRoutes>] =
    [
      Operation(
        .get, "/agent/1/requests", "listRequestWork", "Requests, newest first", access: .agent,
        parameters: APIParameter.listed(
          [
            .query(
              "state", "waiting: nobody has answered yet; own: assigned to the asker.",
              APISchema.oneOf("waiting", "own", "all").byDefault("all"))
          ], upTo: EngineLimits().agentListMaximum),
        answers: [.page("Those requests.", of: .named("SupportRequest"))], failures: [400]
      ) { try await $0.list($1, $2, $3) }
    ] + acts.map(\.operation)

  static let acts: [AgentAct<SupportAgentRoutes>] = [
    AgentAct(
      "request",
      Operation(
        .post, "/agent/1/chats/{chat}/request", "makeRequestOfChat", "Make a request of a chat", access: .agent,
        parameters: [.path("chat", "The chat's id.")],
        body: .json(.object([.optional("subject"), .optional("comment", SupportSchema.draft)]), isRequired: false),
        answers: [.json(201, "It refers to the chat's transcript.", .named("SupportRequest"))],
        failures: [400, 404, 415, 422]
      ) { try await $0.create($1, $2, $3) }
    ) { try await $0.create($1) }
  ]
}
