import ChatDomain
package import ChatEngine
import EngineKit
package import HTTPKit
import HTTPTypes
import Hummingbird
import JSONEnvelope

/// The agents' API: JSON, with a bearer token. An agent's id is the name of the token. Spec: GMS 12.3.
///
/// What is none of an agent's business is answered as if it did not exist: see `AgentViewer`.
package struct AgentRoutes: AgentActRoutes {
  let agents: AgentService
  package let tokens: TokenStore
  package let limits: EdgeLimits
  /// How much one list may hold.
  let listMaximum: Int
  let address: PublicAddress
  let neighbours: any ChatNeighbours

  package init(
    agents: AgentService, tokens: TokenStore, limits: EdgeLimits, listMaximum: Int, address: PublicAddress,
    neighbours: any ChatNeighbours
  ) {
    self.agents = agents
    self.tokens = tokens
    self.limits = limits
    self.listMaximum = listMaximum
    self.address = address
    self.neighbours = neighbours
  }

  func list(
    _ token: AccessToken, _ request: Request, _ context: EdgeRequestContext
  ) async throws -> Response {
    let base = address.origin(request, context)
    let query = try ListQuery(request, ["state", "service", "phase", "sort"], limitMaximum: listMaximum)
    let page = try await agents.list(try AgentListQuery(query), for: token.viewer)
    return .json(adding: query.fields(next: page.next, total: page.total)) {
      $0.objects(page.elements) { AgentRendering.write($0, isComplete: false, base: base, into: &$1) }
    }
  }

  func summary(
    _ token: AccessToken, _ request: Request, _ context: EdgeRequestContext
  ) async throws -> Response {
    let base = address.origin(request, context)
    let summary = try await agents.summary(context.parameters.require("chat"), for: token.viewer)
    return .object { AgentRendering.write(summary, isComplete: true, base: base, into: &$0) }
  }

  func transcript(
    _ token: AccessToken, _ request: Request, _ context: EdgeRequestContext
  ) async throws -> Response {
    let chatID = try context.parameters.require("chat")
    let (part, parameters) = try transcriptPart(request)
    let transcript = try await agents.transcript(chatID, part, for: token.viewer)
    var name = "after"
    if case .before = part { name = "before" }
    let link = parameters.link(request.uri.path, name, next: transcript.next.map(String.init))
    let base = address.origin(request, context)
    return .json(adding: link) { json in
      json.object { AgentRendering.write(transcript, chatID: chatID, base: base, into: &$0) }
    }
  }

  func colleagues(_ token: AccessToken, _ request: Request) async throws -> Response {
    let query = try ListQuery(request, limitMaximum: listMaximum)
    let visible = try tokens.holders().filter { other in
      other.isAgent && (token.role == .supervisor || other.name == token.name || token.sharesService(with: other))
    }
    let (page, link) = try query.page(of: visible, by: \.name)
    let (presence, capacity) = (agents.presence, agents.capacity)
    var found: [(token: AccessToken, isReady: Bool)] = []
    for token in page { found.append((token, await agents.isReady(token.name))) }
    return .json(adding: link) { json in
      json.objects(found) { other, object in
        object.member("agentId", other.token.name)
        object.member("role", other.token.role.partyRole.rawValue)
        object.member("ready", other.isReady)
        object.member("presence", presence(other.token.name).rawValue)
        object.member("chats", agents.chatCount(of: other.token.name))
        object.member("capacity", capacity)
        object.member("services", ifPresent: other.token.services)
      }
    }
  }

  /// The agent, as JSON.
  func whoOneIs(_ token: AccessToken) async -> [UInt8] { Self.agent(token, isReady: await agents.isReady(token.name)) }

  func setReady(_ token: AccessToken, _ isReady: Bool) async throws -> [UInt8] {
    try await agents.setReady(token.viewer, isReady)
    return Self.agent(token, isReady: isReady)
  }

  private static func agent(_ token: AccessToken, isReady: Bool) -> [UInt8] {
    JSONWriter.object(capacity: 128) { AgentRendering.write(token, isReady: isReady, into: &$0) }
  }

  func events(_ token: AccessToken, _ request: Request, _ context: EdgeRequestContext) throws -> Response {
    _ = try ListQuery.known(request, [])
    return AgentEventStream.response(
      agents, of: token.viewer, lastEventID: request.headers[.lastEventID],
      base: address.origin(request, context)
    ) { [tokens] in tokens.isUsable(token) }
  }

  /// What concerns the token's holder, for their socket.
  package func events(after number: UInt64?, for token: AccessToken) -> AsyncStream<AgentEvent> {
    agents.events(after: number, for: token.viewer)
  }

  /// An event as a message of a socket.
  package func message(_ event: AgentEvent, _ requested: RequestedAddress) -> [UInt8] {
    AgentEventStream.message(of: event, base: address.origin(requested))
  }

  /// Without `before` and `limit` all that follows, as ever.
  private func transcriptPart(_ request: Request) throws -> (TranscriptPart, RequestParameters) {
    let parameters = try ListQuery.known(request, ["after", "before", "limit"])
    let limit = try Self.number("limit", in: 1...listMaximum, of: parameters)
    guard let before = try Self.number("before", in: 1...Self.positionMaximum, of: parameters) else {
      let after = try Self.number("after", in: 0...Self.positionMaximum, of: parameters) ?? 0
      return (.after(after, limit: limit), parameters)
    }
    guard parameters["after"] == nil else {
      throw EdgeFailure.badParameter("before", "cannot be given together with 'after'")
    }
    return (.before(before, limit: limit ?? ListQuery.limitDefault), parameters)
  }

  private static let positionMaximum = 1_000_000_000

  static func number(
    _ name: String, in range: ClosedRange<Int>, of parameters: RequestParameters
  ) throws(EdgeFailure) -> Int? {
    guard let text = parameters[name] else { return nil }
    guard let number = Int(text), range.contains(number) else {
      throw .badParameter(name, "is not \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }
}

extension AccessToken {
  fileprivate func sharesService(with other: AccessToken) -> Bool {
    guard let services, let others = other.services else { return true }
    return services.contains { others.contains($0) }
  }
}

extension AgentListQuery {
  /// What the parameters of a list's query mean: `state`, `service`, `limit`, `after`; of chats also `phase` and `sort`.
  package init(_ query: ListQuery) throws(EdgeFailure) {
    self.init(
      try query.word("state", AgentService.Filter.self) ?? .all, service: query["service"], after: query.after,
      limit: query.limit)
    phase = try query.word("phase", CustomerPhase.self)
    order = try query.word("sort", ChatOrder.self) ?? .oldest
  }
}
