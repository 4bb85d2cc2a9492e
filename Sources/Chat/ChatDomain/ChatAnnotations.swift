public import EventSourcing

/// What agents are shown of a chat beside its transcript. Most chats have none of it, and pay for none.
struct ChatAnnotations: Sendable, Equatable, Encodable {
  /// Since when the customer is where they are.
  var presence: Presence?
  /// The last push that a queue has taken over.
  var lastPush: HandedPush?
  /// How far agents have read, the newest marks last.
  var readMarks: [ReadMark] = []
  /// Agents who may come, though it is not theirs: by their ids.
  var invitations: [String] = []
  /// Whose agents it is for now, if no longer those of its own service.
  var desk: String?
  var wrapUp: ChatWrapUp?
  /// To whom it is offered.
  var offer: ChatOffer?
  /// Files that were sent here, and their bytes.
  var fileCount = 0
  var fileBytes = 0

  struct ReadMark: Sendable, Equatable, Encodable {
    let agentID: String
    let position: Int
  }

  /// When the customer went away or came back last.
  struct Presence: Sendable, Equatable, Encodable {
    let since: Timestamp
    /// They went without a word.
    var isLost = false
  }

  init() {}

  /// - Parameter file: was sent. What is counted never grows beyond what the state can hold.
  mutating func note(_ file: ChatFile) {
    fileCount += 1
    fileBytes = min(fileBytes + file.byteCount, Int(Int32.max))
  }

  /// This without what was said, for a chat that is erased.
  var scrubbed: ChatAnnotations {
    var rest = self
    rest.presence = nil
    rest.lastPush = nil
    rest.wrapUp = wrapUp?.scrubbed
    rest.fileCount = 0
    rest.fileBytes = 0
    return rest
  }

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

/// What an agent has noted of a chat when they were done with it.
public struct ChatWrapUp: Sendable, Equatable, Encodable {
  public let agentID: String
  /// What came of it, in the words of the house.
  public let disposition: String
  public let note: String
  public let tags: [String]
  public let time: Timestamp

  fileprivate var scrubbed: ChatWrapUp {
    ChatWrapUp(
      agentID: agentID, disposition: ErasurePlaceholder.text, note: note.isEmpty ? "" : ErasurePlaceholder.text,
      tags: [], time: time)
  }
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

extension Aside: Decodable where Value: Decodable {
  init(from decoder: any Decoder) throws { self = .value(try Value(from: decoder)) }
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
    static let readMark = PayloadField<ReadMark>(4)
    static let invitation = PayloadField<String>(5)
    static let desk = PayloadField<String>(6)
    static let wrapUp = PayloadField<ChatWrapUp>(7)
    static let fileCount = PayloadField<Ordinal>(60)
    static let fileBytes = PayloadField<Ordinal>(61)
    static let offer = PayloadField<ChatOffer>(62)
  }

  func encode(into writer: inout PayloadWriter) {
    writer.put(Field.since, ifPresent: presence?.since)
    writer.put(Field.isLost, ifTrue: presence?.isLost ?? false)
    writer.put(Field.lastPush, ifPresent: lastPush)
    writer.put(each: Field.readMark, readMarks)
    writer.put(each: Field.invitation, invitations)
    writer.put(Field.desk, ifPresent: desk)
    writer.put(Field.wrapUp, ifPresent: wrapUp)
    writer.put(Field.fileCount, fileCount, unless: 0)
    writer.put(Field.fileBytes, fileBytes, unless: 0)
    writer.put(Field.offer, ifPresent: offer)
  }

  init(payload: inout PayloadReader) throws(PayloadError) {
    let read = try PayloadFields(&payload)
    let isLost = try read[Field.isLost] ?? false
    if let since = try read[Field.since] { presence = Presence(since: since, isLost: isLost) }
    lastPush = try read[Field.lastPush]
    readMarks = try read.all(Field.readMark)
    invitations = try read.all(Field.invitation)
    desk = try read[Field.desk]
    wrapUp = try read[Field.wrapUp]
    fileCount = try read[Field.fileCount] ?? 0
    fileBytes = try read[Field.fileBytes] ?? 0
    offer = try read[Field.offer]
  }
}

extension ChatAnnotations.ReadMark: PayloadPart {
  private enum Field {
    static let agentID = PayloadField<String>(1)
    static let position = PayloadField<Ordinal>(2)
  }

  func encode(into writer: inout PayloadWriter) {
    writer.put(Field.agentID, agentID)
    writer.put(Field.position, position)
  }

  init(payload: inout PayloadReader) throws(PayloadError) {
    let read = try PayloadFields(&payload)
    self.init(agentID: try read.required(Field.agentID), position: try read.required(Field.position))
  }
}

extension ChatWrapUp: PayloadPart {
  private enum Field {
    static let agentID = PayloadField<String>(1)
    static let disposition = PayloadField<String>(2)
    static let note = PayloadField<String>(3)
    static let tag = PayloadField<String>(4)
    static let time = PayloadField<Timestamp>(5)
  }

  public func encode(into writer: inout PayloadWriter) {
    writer.put(Field.agentID, agentID)
    writer.put(Field.disposition, disposition)
    writer.put(Field.note, ifNotEmpty: note)
    writer.put(each: Field.tag, tags)
    writer.put(Field.time, time)
  }

  public init(payload: inout PayloadReader) throws(PayloadError) {
    let read = try PayloadFields(&payload)
    self.init(
      agentID: try read.required(Field.agentID), disposition: try read.required(Field.disposition),
      note: try read[Field.note] ?? "", tags: try read.all(Field.tag), time: try read.required(Field.time))
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
