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
    /// Frozen fields: 1 id, 2 by, 3 reason, 4 records, 5 entities, 6 segments, 7 up to, 8 requested at.
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

/// Frozen fields of the state: 1 count, 2… redactions.
extension RedactionLog: RestorableState {
  public func encodeState(into writer: inout PayloadWriter) {
    writer.integer(1, count)
    for redaction in redactions { writer.nested(2) { redaction.encode(into: &$0) } }
  }

  public init(state payload: inout PayloadReader) throws(PayloadError) {
    self.init()
    while let field = try payload.next() {
      switch field {
      case 1:
        count = try payload.integer()
        // Far from overflowing when the next one is counted.
        guard 0...Int(Int32.max) ~= count else { throw .outOfRange(field: 1) }
      case 2:
        var nested = try payload.nested()
        redactions.append(try Redaction(payload: &nested))
      default: try payload.skip()
      }
    }
  }

  public var rest: Rest { .asleep(until: nil) }
}

extension RedactionLog.Redaction {
  func encode(into writer: inout PayloadWriter) {
    writer.text(1, id)
    writer.text(2, by)
    writer.text(3, ifNotEmpty: reason)
    writer.integer(4, records)
    writer.integer(5, entities)
    writer.integer(6, segments)
    writer.unsigned(7, upTo)
    writer.time(8, requestedAt)
  }

  init(payload: inout PayloadReader) throws(PayloadError) {
    var (id, by, reason) = ("", "", "")
    var (records, entities, segments) = (0, 0, 0)
    var upTo: UInt64 = 0
    var requestedAt = Timestamp.epoch
    while let field = try payload.next() {
      switch field {
      case 1: id = try payload.text()
      case 2: by = try payload.text()
      case 3: reason = try payload.text()
      case 4: records = try payload.integer()
      case 5: entities = try payload.integer()
      case 6: segments = try payload.integer()
      case 7: upTo = try payload.unsigned()
      case 8: requestedAt = try payload.time()
      default: try payload.skip()
      }
    }
    self.init(
      id: id, by: by, reason: reason, records: records, entities: entities, segments: segments, upTo: upTo,
      requestedAt: requestedAt)
  }
}
