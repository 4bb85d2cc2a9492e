public import EventSourcing

/// What agents are shown of a chat beside its transcript. Most chats have none of it, and pay for none.
struct ChatAnnotations: Sendable, Equatable, Encodable {
  /// Since when the customer is where they are.
  var presence: Presence?
  /// The last push that a queue has taken over.
  var lastPush: HandedPush?

  /// When the customer went away or came back last.
  struct Presence: Sendable, Equatable, Encodable {
    let since: Timestamp
    /// They went without a word.
    var isLost = false
  }

  init() {}

  var isEmpty: Bool { self == ChatAnnotations() }
}

/// The last push of a chat that a queue has taken over, and what became of it.
public struct HandedPush: Sendable, Equatable, Encodable {
  /// Within the chat.
  public let number: Int
  /// The last position that it stood for.
  public let position: Int
  /// Nil as long as it waits for its device, or was never to be sent.
  public internal(set) var outcome: ChatPushOutcome?
  /// When it was taken over, or ended.
  public internal(set) var time: Timestamp
}

/// What became of a push in the end, as its queue has said.
public enum ChatPushOutcome: String, Sendable, Codable, CaseIterable {
  case delivered, refused, failed, expired, collapsed, overflowed, unregistered, erased
}

/// A value that most owners do not have: it stands elsewhere, and takes a pointer's room.
indirect enum Aside<Value: Sendable & Equatable & Encodable>: Sendable, Equatable, Encodable {
  case value(Value)

  var value: Value {
    switch self {
    case .value(let value): value
    }
  }

  func encode(to encoder: any Encoder) throws { try value.encode(to: encoder) }
}

extension ChatSession {
  var annotations: ChatAnnotations {
    get { aside?.value ?? ChatAnnotations() }
    set { aside = newValue.isEmpty ? nil : .value(newValue) }
  }
}

// MARK: Payload

/// As part of a chat's state; frozen like that.
extension ChatAnnotations: PayloadPart {
  private enum Field {
    static let since = PayloadField<Timestamp>(1)
    static let isLost = PayloadField<Bool>(2)
    static let lastPush = PayloadField<HandedPush>(3)
  }

  func encode(into writer: inout PayloadWriter) {
    writer.put(Field.since, ifPresent: presence?.since)
    writer.put(Field.isLost, ifTrue: presence?.isLost ?? false)
    writer.put(Field.lastPush, ifPresent: lastPush)
  }

  init(payload: inout PayloadReader) throws(PayloadError) {
    let read = try PayloadFields(&payload)
    let isLost = try read[Field.isLost] ?? false
    if let since = try read[Field.since] { presence = Presence(since: since, isLost: isLost) }
    lastPush = try read[Field.lastPush]
  }
}

extension HandedPush: PayloadPart {
  private enum Field {
    static let number = PayloadField<Ordinal>(1)
    static let position = PayloadField<Ordinal>(2)
    static let outcome = PayloadField<ChatPushOutcome>(3)
    static let time = PayloadField<Timestamp>(4)
  }

  public func encode(into writer: inout PayloadWriter) {
    writer.put(Field.number, number)
    writer.put(Field.position, position, unless: 0)
    writer.put(Field.outcome, ifPresent: outcome)
    writer.put(Field.time, time)
  }

  public init(payload: inout PayloadReader) throws(PayloadError) {
    let read = try PayloadFields(&payload)
    self.init(
      number: try read.required(Field.number), position: try read[Field.position] ?? 0,
      outcome: try read[Field.outcome], time: try read.required(Field.time))
  }
}
