public import EventSourcing

/// A chat that waits is one agent's to take, for a while.
public struct ChatOffer: Sendable, Equatable, Codable {
  public let agentID: String
  /// When the next one gets it, if this one has said nothing.
  public let until: Timestamp

  public init(agentID: String, until: Timestamp) {
    self.agentID = agentID
    self.until = until
  }
}

/// How an offer came to its end.
public enum ChatOfferEnd: String, Sendable, Codable, CaseIterable {
  /// The agent has joined.
  case accepted
  /// The agent has said nothing in time.
  case passed
  /// The agent has sent it away.
  case released
  /// The agent is not there any more, or not ready.
  case away
  /// Somebody else has joined, who may: a supervisor, or whoever was invited.
  case taken
  /// The chat is over.
  case ended

  /// The agent was there to take it and has not: they are not ready any more, else it would come to them again at once.
  public var isMissed: Bool { self == .passed || self == .released }

  /// The chat still waits, and nothing that comes with the end says so.
  public var leavesWaiting: Bool { isMissed || self == .away }
}

/// As part of a chat's state; frozen like that.
extension ChatOffer: PayloadPart {
  private enum Field {
    static let agentID = PayloadField<String>(1)
    static let until = PayloadField<Timestamp>(2)
  }

  public func encode(into writer: inout PayloadWriter) {
    writer.put(Field.agentID, agentID)
    writer.put(Field.until, until)
  }

  public init(payload: inout PayloadReader) throws(PayloadError) {
    let read = try PayloadFields(&payload)
    self.init(agentID: try read.required(Field.agentID), until: try read.required(Field.until))
  }
}

extension ChatSession {
  /// To whom it is offered. Only while it waits.
  public var offer: ChatOffer? { aside?.value.offer }
}
