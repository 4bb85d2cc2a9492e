public import EventSourcing

/// What was erased from the journal, by whom and why: the part of a redaction that stays for ever.
///
/// There is one, with the key `redactions`. Whose records they were it does not say: that would undo the erasure.
public struct RedactionLog: Decider, Encodable {
  public static let key = "redactions"
  /// Redactions that the state keeps; the journal has all.
  static let keptMaximum = 1_000

  public struct Redaction: Sendable, Equatable, Codable {
    /// Random; the same in the intent and in the event.
    public let id: String
    /// The operator's name as the token or the command line says it.
    public let by: String
    public let reason: String
    public let records: Int
    public let entities: Int
    public let segments: Int
    /// The last position that the search included.
    public let upTo: UInt64
    /// When it was asked for.
    public let requestedAt: Timestamp
  }

  public enum Event: JournaledEvent {
    case redacted(Redaction)

    /// Frozen: 1 redacted.
    public var tag: EventTag { 1 }

    public func encode(into writer: inout PayloadWriter) {
      switch self {
      case .redacted(let redaction): redaction.encode(into: &writer)
      }
    }

    public init(tag: EventTag, payload: inout PayloadReader) throws(PayloadError) {
      guard tag == 1 else { throw .unknownTag(tag) }
      self = .redacted(try Redaction(payload: &payload))
    }
  }

  public private(set) var count = 0
  /// The latest ones, oldest first.
  public private(set) var redactions: [Redaction] = []
  private var known: Set<String> { Set(redactions.map(\.id)) }

  public init() {}

  /// - Parameter command: what was done; no event if it is known already (a redaction taken up after a crash).
  public func decide(_ command: Redaction, now: Timestamp) throws(Never) -> [Event] {
    known.contains(command.id) ? [] : [.redacted(command)]
  }

  public mutating func evolve(_ event: Event, at time: Timestamp) {
    switch event {
    case .redacted(let redaction):
      count += 1
      redactions.append(redaction)
      if redactions.count > Self.keptMaximum { redactions.removeFirst() }
    }
  }

  public func react(to event: Event) -> [Never] { [] }
  public var outstandingEffects: [Never] { [] }
  public var isFinished: Bool { false }
}

/// The state as snapshots hold it. Field numbers are frozen.
extension RedactionLog: RestorableState {
  private enum Field {
    /// Far from overflowing when the next one is counted.
    static let count = PayloadField<Ordinal>(1)
    static let redactions = PayloadField<Redaction>(2)
  }

  public func encodeState(into writer: inout PayloadWriter) {
    writer.put(Field.count, count)
    writer.put(each: Field.redactions, redactions)
  }

  public init(state payload: inout PayloadReader) throws(PayloadError) {
    self.init()
    let read = try PayloadFields(&payload)
    count = try read[Field.count] ?? 0
    redactions = try read.all(Field.redactions)
  }

  public var rest: Rest { .asleep(until: nil) }
}

// Field numbers are frozen.
extension RedactionLog.Redaction: PayloadPart {
  private enum Field {
    static let id = PayloadField<String>(1)
    static let by = PayloadField<String>(2)
    static let reason = PayloadField<String>(3)
    static let records = PayloadField<Int>(4)
    static let entities = PayloadField<Int>(5)
    static let segments = PayloadField<Int>(6)
    static let upTo = PayloadField<UInt64>(7)
    static let requestedAt = PayloadField<Timestamp>(8)
  }

  public func encode(into writer: inout PayloadWriter) {
    writer.put(Field.id, id)
    writer.put(Field.by, by)
    writer.put(Field.reason, ifNotEmpty: reason)
    writer.put(Field.records, records)
    writer.put(Field.entities, entities)
    writer.put(Field.segments, segments)
    writer.put(Field.upTo, upTo)
    writer.put(Field.requestedAt, requestedAt)
  }

  public init(payload: inout PayloadReader) throws(PayloadError) {
    let read = try PayloadFields(&payload)
    self.init(
      id: try read[Field.id] ?? "", by: try read[Field.by] ?? "", reason: try read[Field.reason] ?? "",
      records: try read[Field.records] ?? 0, entities: try read[Field.entities] ?? 0,
      segments: try read[Field.segments] ?? 0, upTo: try read[Field.upTo] ?? 0,
      requestedAt: try read[Field.requestedAt] ?? .epoch)
  }
}
