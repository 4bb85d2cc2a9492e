public import JSONEnvelope

/// One line of what an agent sees of a chat. Spec: GMS 12.2.
public struct AgentChatLine: Sendable, Equatable {
  /// The customer-side position; nil for a line that only agents see.
  public let position: Int?
  public let type: String
  public let nickname: String
  public let text: String
  public let party: String

  init?(_ value: JSONValue) {
    guard let type = value["type"]?.string else { return nil }
    self.type = type
    position = value["position"]?.integer
    nickname = value["nickname"]?.string ?? ""
    text = value["text"]?.string ?? ""
    party = (value["partyType"] ?? value["party"] ?? value["role"])?.string ?? ""
  }

  public var isAgentOnly: Bool { position == nil }
}

/// One event of an agent's stream.
public struct AgentEventMessage: Sendable {
  public enum Kind: Sendable, Equatable {
    /// A chat waits for an agent.
    case waiting
    case line(AgentChatLine)
    case customerOnline(Bool)
    case typingPreview(String)
    case dataChanged
    case ended
    /// Something has happened to a callback.
    /// - Parameter change: `queued`, `offered`, `accepted`, `confirming`, `routing`, `connected`, `completed`, …
    case callback(AgentCallback, change: String)
    /// Events were lost between two streams: ask for the transcripts anew.
    case reset
    /// A kind that this version does not know, by its name.
    case other(String)
  }

  /// Empty for what is about no chat.
  public let chatID: String
  public let serviceID: String
  public let kind: Kind
  /// The event's data as it came.
  public let body: JSONValue
}

/// One chat in an agent's list.
public struct AgentChat: Sendable, Equatable {
  public let chatID: String
  public let serviceID: String
  public let subject: String
  public let customer: String
  public let customerIsOnline: Bool
  public let position: Int

  init(_ value: JSONValue) throws(ClientError) {
    guard let chatID = value["chatId"]?.string else { throw .malformedResponse("chat without an id") }
    self.chatID = chatID
    serviceID = value["serviceId"]?.string ?? ""
    subject = value["subject"]?.string ?? ""
    customer = value["customer"]?.string ?? ""
    customerIsOnline = value["customerOnline"]?.bool ?? false
    position = value["position"]?.integer ?? 0
  }
}
