import JSONEnvelope
import TextEncoding

/// Callbacks: which there are, and what their agent says of them. Spec: GMS 12.3.
extension AgentClient {
  /// What an agent says of a callback.
  public enum CallbackReport: Sendable, Equatable {
    /// Wants to serve this one; the server offers others by itself to whoever is ready.
    case available
    /// Takes what was offered.
    case accepted
    /// Leaves it to the next agent, and is not ready until they say so again.
    case released
    case connected
    case ended
    /// There was no conversation. - Parameter reason: such as `FAIL_CALL_TO_CUSTOMER`; nil for that one.
    case failed(reason: String?)
  }

  /// Those that wait, or are this agent's, or are not over; in the order in which they are served.
  public func callbacks(_ filter: Filter) async throws(ClientError) -> [AgentCallback] {
    var callbacks: [AgentCallback] = []
    for element in try await list("/agent/1/callbacks?state=\(filter.rawValue)") {
      callbacks.append(try AgentCallback(element))
    }
    return callbacks
  }

  public func callback(_ id: String) async throws(ClientError) -> AgentCallback {
    try AgentCallback(try await request(.get, "/agent/1/callbacks/\(PercentEncoding.encode(id))"))
  }

  /// - Returns: the callback as it is then.
  @discardableResult
  public func report(_ report: CallbackReport, of id: String) async throws(ClientError) -> AgentCallback {
    let (word, body): (String, JSONValue) =
      switch report {
      case .available: ("available", [:])
      case .accepted: ("accept", [:])
      case .released: ("release", [:])
      case .connected: ("connected", [:])
      case .ended: ("ended", [:])
      case .failed(let reason): ("failed", reason.map { ["reason": .string($0)] } ?? [:])
      }
    return try AgentCallback(try await request(.post, "/agent/1/callbacks/\(PercentEncoding.encode(id))/\(word)", body))
  }
}

/// One callback as an agent sees it. Spec: GMS 9.4.
public struct AgentCallback: Sendable, Equatable {
  public let id: String
  public let service: String
  /// `SCHEDULED`, `QUEUED`, `ROUTING`, `PROCESSING` or `COMPLETED`.
  public let state: String
  /// Why it is over, such as `AGENT_CONNECTED`; nil while it is not.
  public let reason: String?
  /// Whom it is offered to, or who serves it.
  public let agentID: String?
  /// That agent has accepted.
  public let isAccepted: Bool
  public let customerNumber: String?
  public let subject: String?
  /// The chat session id, once its chat has begun.
  public let chatID: String?

  init(_ value: JSONValue) throws(ClientError) {
    guard let id = value["id"]?.string, let state = value["state"]?.string else {
      throw .malformedResponse("callback without id or state")
    }
    self.id = id
    self.state = state
    service = value["service"]?.string ?? ""
    reason = value["reason"]?.string
    agentID = value["agentId"]?.string
    isAccepted = value["accepted"]?.bool ?? false
    customerNumber = value["customerNumber"]?.string
    subject = value["subject"]?.string
    chatID = value["chatId"]?.string
  }
}
