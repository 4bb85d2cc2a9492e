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
  /// What its path calls it, behind the chat's; nil unless a POST does it there, whose body and answer are what `perform`
  /// takes and returns.
  private let resource: String?
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
      word, resource: method == .post && hasBody ? Self.resource(path) : nil,
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
    self.init(word, resource: nil, operation, perform)
  }

  private init(_ word: String, resource: String?, _ operation: Operation<Routes>, _ perform: @escaping Perform) {
    self.word = word
    self.resource = resource
    self.operation = operation
    self.perform = perform
  }

  /// What is done past the router: over the agents' socket, and by the plain requests of `AgentActEndpoint`.
  package func bound(to routes: Routes) -> BoundAgentAct {
    BoundAgentAct(
      word: word, isInChat: Self.isInChat(operation.description.path), resource: resource
    ) { [perform] call in
      try await perform(routes, call)
    }
  }

  private static func isInChat(_ path: String) -> Bool { path.contains("{chat}") }

  private static func resource(_ path: String) -> String? {
    let start = BoundAgentAct.chats + "{chat}/"
    return path.hasPrefix(start) ? String(path.dropFirst(start.count)) : nil
  }
}

/// Something that an agent of one server does.
package struct BoundAgentAct: Sendable {
  package let word: String
  /// Where chats are.
  package static let chats = "/agent/1/chats/"

  /// Whether a chat has to be named.
  package let isInChat: Bool
  /// What a path calls it, behind the chat's, where a POST with this act's body does it; nil where none does.
  package let resource: String?
  /// - Returns: the answer, one JSON object.
  package let perform: @Sendable (AgentCall) async throws -> [UInt8]

  package init(
    word: String, isInChat: Bool, resource: String? = nil,
    perform: @escaping @Sendable (AgentCall) async throws -> [UInt8]
  ) {
    self.word = word
    self.isInChat = isInChat
    self.resource = resource
    self.perform = perform
  }
}
