package import HTTPKit
package import HTTPTypes
import Hummingbird

/// Routes that do what agents ask for.
package protocol AgentActRoutes: TokenRoutes {
  var limits: EdgeLimits { get }
}

/// Something that an agent does, said once: the route does it for a request, the agents' socket for a message.
package struct AgentAct<Routes: AgentActRoutes>: Sendable {
  /// - Returns: the answer, one JSON object.
  package typealias Perform = @Sendable (Routes, AgentCall) async throws -> [UInt8]

  /// What messages call it.
  package let word: String
  package let operation: Operation<Routes>
  private let perform: Perform

  /// - Parameters:
  ///   - path: with `{chat}` for what is done in a chat.
  ///   - perform: for requests and messages alike.
  package init(
    _ word: String, _ method: HTTPRequest.Method, _ path: String, _ id: String, _ summary: String,
    about: String? = nil, parameters: [APIParameter] = [], body: APIBody? = nil, answers: [APIAnswer],
    failures: [Int] = [], _ perform: @escaping Perform
  ) {
    let (hasBody, isInChat) = (body != nil, Self.isInChat(path))
    self.init(
      word,
      Operation(
        method, path, id, summary, about: about, access: .agent, parameters: parameters, body: body,
        answers: answers, failures: failures
      ) { routes, token, request, context in
        let body = hasBody ? try JSONBody(try await request.bytes(limits: routes.limits)) : JSONBody()
        let chat = isInChat ? try context.parameters.require("chat") : ""
        let call = AgentCall(token: token, chat: chat, body: body, address: RequestedAddress(request, context))
        return .json(try await perform(routes, call))
      }, perform)
  }

  /// - Parameters:
  ///   - operation: reads requests in its own way.
  ///   - perform: for messages.
  package init(_ word: String, _ operation: Operation<Routes>, _ perform: @escaping Perform) {
    self.word = word
    self.operation = operation
    self.perform = perform
  }

  /// What the agents' socket does.
  package func bound(to routes: Routes) -> BoundAgentAct {
    BoundAgentAct(word: word, isInChat: Self.isInChat(operation.description.path)) { [perform] call in
      try await perform(routes, call)
    }
  }

  private static func isInChat(_ path: String) -> Bool { path.contains("{chat}") }
}

/// Something that an agent of one server does.
package struct BoundAgentAct: Sendable {
  package let word: String
  /// Whether a chat has to be named.
  package let isInChat: Bool
  /// - Returns: the answer, one JSON object.
  package let perform: @Sendable (AgentCall) async throws -> [UInt8]

  package init(
    word: String, isInChat: Bool, perform: @escaping @Sendable (AgentCall) async throws -> [UInt8]
  ) {
    self.word = word
    self.isInChat = isInChat
    self.perform = perform
  }
}
