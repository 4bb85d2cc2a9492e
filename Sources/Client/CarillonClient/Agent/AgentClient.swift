import JSONEnvelope
public import NIOCore
public import NIOPosix
import TextEncoding

/// An agent's side of chats, over the agent API. Spec: GMS 12.3.
///
/// ```swift
/// let agent = AgentClient(address, token: token)
/// for await event in agent.events() {
///   if event.kind == .waiting {
///     try await agent.join(event.chatID, nickname: "Agent K")
///     try await agent.send("Hello", to: event.chatID)
///   }
/// }
/// ```
public final class AgentClient: Sendable {
  public enum Filter: String, Sendable { case waiting, own, all }
  public enum Role: String, Sendable { case agent = "AGENT", supervisor = "SUPERVISOR", external = "EXTERNAL" }

  public let address: ServerAddress
  let token: String
  let loop: any EventLoop
  let security: TransportSecurity?
  let pool: ServerPool
  private let trace: (@Sendable (WireTrace) -> Void)?

  /// - Parameters:
  ///   - alternatives: where standbys serve once one has taken the server's place, in the order in which they are tried.
  ///   - token: an agent token, as made by `carillon token create`.
  ///   - security: needed for `https` only.
  public init(
    _ address: ServerAddress, alternatives: [ServerAddress] = [], token: String,
    group: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton, security: TransportSecurity? = nil,
    trace: (@Sendable (WireTrace) -> Void)? = nil
  ) {
    self.address = address
    self.token = token
    self.security = security
    self.trace = trace
    loop = group.next()
    pool = ServerPool(ServerList(address, alternatives: alternatives), group: group, security: security)
  }

  deinit { pool.shutDown() }

  /// All of them, the oldest first; fetched in pages.
  public func chats(_ filter: Filter) async throws(ClientError) -> [AgentChat] {
    var chats: [AgentChat] = []
    for element in try await list("/agent/1/chats?state=\(filter.rawValue)") { chats.append(try AgentChat(element)) }
    return chats
  }

  /// The elements of a list, of all its pages.
  func list(_ path: String) async throws(ClientError) -> [JSONValue] {
    var elements: [JSONValue] = []
    var path: String? = path
    while let page = path {
      let (list, link) = try await answer(.get, page)
      elements += list.array ?? []
      path = link.flatMap { Self.next(in: $0) }
    }
    return elements
  }

  /// The path of `</agent/1/chats?after=…>; rel="next"`. Spec: RFC 8288, 3.
  static func next(in link: String) -> String? {
    guard link.hasPrefix("</"), link.hasSuffix(">; rel=\"next\""), let end = link.firstIndex(of: ">") else {
      return nil
    }
    return String(link[link.index(after: link.startIndex)..<end])
  }

  /// - Returns: the customer-side position of the event; nil if the customer does not see it.
  @discardableResult
  public func join(_ chatID: String, nickname: String, role: Role = .agent) async throws(ClientError) -> Int? {
    try await act(chatID, "join", ["nickname": .string(nickname), "role": .string(role.rawValue)])
  }

  @discardableResult
  public func send(_ text: String, to chatID: String) async throws(ClientError) -> Int? {
    try await act(chatID, "messages", ["text": .string(text)])
  }

  @discardableResult
  public func typing(_ started: Bool, in chatID: String) async throws(ClientError) -> Int? {
    try await act(chatID, "typing", ["started": .bool(started)])
  }

  @discardableResult
  public func pushURL(_ url: String, to chatID: String) async throws(ClientError) -> Int? {
    try await act(chatID, "pushurl", ["url": .string(url)])
  }

  @discardableResult
  public func notice(_ text: String, to chatID: String) async throws(ClientError) -> Int? {
    try await act(chatID, "notice", ["text": .string(text)])
  }

  /// The chat stays open for another agent.
  @discardableResult
  public func leave(_ chatID: String) async throws(ClientError) -> Int? { try await act(chatID, "leave", [:]) }

  /// Ends the chat.
  @discardableResult
  public func close(_ chatID: String) async throws(ClientError) -> Int? { try await act(chatID, "close", [:]) }

  /// The lines after a customer-side position, those that only agents see included.
  public func transcript(_ chatID: String, after position: Int = 0) async throws(ClientError) -> [AgentChatLine] {
    let path = "/agent/1/chats/\(PercentEncoding.encode(chatID))/transcript?after=\(position)"
    let reply = try await request(.get, path)
    let lines = reply.array ?? (reply["lines"] ?? reply["transcript"] ?? reply["events"])?.array ?? []
    return lines.compactMap(AgentChatLine.init)
  }

  public func setReady(_ ready: Bool) async throws(ClientError) {
    _ = try await request(.put, "/agent/1/me", ["ready": .bool(ready)])
  }

  /// Closes the connections; requests under way fail with `ClientError.stopped`. Event streams end by themselves when
  /// their reader does.
  public func shutDown() { pool.shutDown() }

  private func act(_ chatID: String, _ action: String, _ body: JSONValue) async throws(ClientError) -> Int? {
    let reply = try await request(.post, "/agent/1/chats/\(PercentEncoding.encode(chatID))/\(action)", body)
    return reply["position"]?.integer
  }

  func request(
    _ method: HTTPRequest.Method, _ path: String, _ body: JSONValue? = nil
  ) async throws(ClientError) -> JSONValue {
    try await answer(method, path, body).json
  }

  /// - Returns: the body, and the header `Link`.
  private func answer(
    _ method: HTTPRequest.Method, _ path: String, _ body: JSONValue? = nil
  ) async throws(ClientError) -> (json: JSONValue, link: String?) {
    let bytes = body?.text ?? []
    trace?(WireTrace(direction: .sent, summary: "\(method.rawValue) \(path)", body: bytes))
    let response = try await pool.response(
      to: HTTPRequest(
        method, path, headers: [(name: "Authorization", value: "Bearer \(token)")],
        contentType: body == nil ? nil : "application/json", body: bytes))
    let answer = response.bodyBytes
    trace?(WireTrace(direction: .received, summary: String(response.status), body: answer))
    guard (200..<300).contains(response.status) else {
      throw .refused(status: response.status, message: errorMessage(in: answer))
    }
    let link = response.header("Link")
    guard !answer.isEmpty else { return (.null, link) }
    do { return (try JSONValue(parsing: answer), link) } catch { throw .malformedResponse("\(error)") }
  }
}
