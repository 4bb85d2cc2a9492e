public import EngineKit
public import EventSourcing
public import JournalFormat

/// Of what a timeline tells.
public enum TimelineQuestion: Sendable, Hashable {
  case everything
  /// All that belongs to one customer; see `SubjectScope`.
  case subject(String)
  /// One entity, and what others record of it; see `EntityScope`.
  case entity(EntityID)
  /// One push or message, by the id that senders, devices or couriers were told.
  case message(String)
}

/// Which entries of a timeline are wanted.
public struct TimelineFilter: Sendable, Hashable {
  /// Bookkeeping too.
  public var hasDetails: Bool
  /// From here on.
  public var from: JournalBound?
  /// Up to and including this.
  public var to: JournalBound?

  public init(hasDetails: Bool = false, from: JournalBound? = nil, to: JournalBound? = nil) {
    self.hasDetails = hasDetails
    self.from = from
    self.to = to
  }

  func wants(_ entry: TimelineEntry) -> Bool { (hasDetails || !entry.isDetail) && isInRange(entry) }

  func isInRange(_ entry: TimelineEntry) -> Bool {
    from?.isAfter(position: entry.position, time: entry.time) != true
      && to?.isBefore(position: entry.position, time: entry.time) != true
  }
}

/// Answers a `TimelineQuestion` from a journal's records: the command and the server's routes tell by this.
///
/// Of a customer's story the records are read twice: `collect` finds out what is the customer's, then `close`, and from
/// the first record on `entries`. `needsCollecting` says whether it is so.
public struct TimelineTeller: Sendable {
  public let question: TimelineQuestion
  private let filter: TimelineFilter
  private let catalogue: Catalogue
  private var timeline: Timeline
  private var scope: SubjectScope?
  private let entityScope: EntityScope?
  /// Told before the next entry, if there is one.
  private var heldStart: TimelineEntry?
  private var hasTold = false
  /// The records that were asked for, whether they told something or not, in order; nil: nobody wants to know.
  private(set) var trail: [UInt64]?

  public init(_ question: TimelineQuestion, _ filter: TimelineFilter, in catalogue: Catalogue) {
    self.question = question
    self.filter = filter
    self.catalogue = catalogue
    timeline = Timeline(catalogue)
    if case .subject(let subject) = question { scope = SubjectScope(subject: subject, in: catalogue) }
    if case .entity(let entity) = question {
      entityScope = EntityScope(entity, in: catalogue)
    } else {
      entityScope = nil
    }
  }

  // MARK: What is the customer's

  /// Whether all records have to be collected before the first is told.
  public var needsCollecting: Bool { scope != nil }

  /// Whether nothing is the customer's; false for other questions.
  public var hasFoundNothing: Bool { scope.map(\.entities.isEmpty) ?? false }

  public mutating func collect(_ record: borrowing RecordView) { scope?.collect(record) }

  /// After the last record that is there. More may be collected later, and this be called again.
  public mutating func close() {
    scope?.close()
    scope?.forgetStrangers()
  }

  // MARK: By an index

  /// Whether an index of records finds what is asked for.
  var isFindable: Bool { scope != nil || entityScope != nil }

  /// By what it does.
  var terms: Set<SubjectTerm> { scope?.terms ?? entityScope?.terms ?? [] }

  /// What leads on from what was collected.
  mutating func followLinks() { scope?.followLinks() }

  /// As `entries(of: FrameHeader, …)`, of a frame that an index tells of.
  mutating func note(_ silence: StartDetector.Silence) {
    let start = Timeline.entry(behind: silence)
    if filter.isInRange(start) { hold(start) }
  }

  /// Goes on with the frames behind those that an index knows.
  mutating func goOn(with starts: StartDetector) { timeline.goOn(with: starts) }

  /// As if nothing had been collected or told.
  func renewed() -> TimelineTeller {
    var teller = TimelineTeller(question, filter, in: catalogue)
    if trail != nil { teller.keepTrail() }
    return teller
  }

  mutating func keepTrail() { trail = [] }

  // MARK: The story

  /// Tells from the first record on again, of what was collected.
  public mutating func begin() {
    timeline = Timeline(catalogue)
    (heldStart, hasTold) = (nil, false)
    if trail != nil { keepTrail() }
  }

  /// What a frame tells by itself: of one customer's story a start of the server is a part only between two of its
  /// events.
  public mutating func entries(of frame: FrameHeader, segmentNumber: UInt64) -> [TimelineEntry] {
    guard let start = timeline.entry(of: frame, segmentNumber: segmentNumber), filter.isInRange(start) else {
      return []
    }
    if question == .everything { return [start] }
    hold(start)
    return []
  }

  private mutating func hold(_ start: TimelineEntry) { if hasTold { heldStart = start } }

  /// What a record tells, if it is asked for. To be fed all records from the first on, also those that the filter leaves
  /// out.
  public mutating func entries(of record: borrowing RecordView) -> [TimelineEntry] {
    guard isAskedFor(record) else { return [] }
    trail?.append(record.position)
    var told = timeline.entries(of: record)
    told.removeAll { !filter.wants($0) }
    guard !told.isEmpty else { return [] }
    hasTold = true
    defer { heldStart = nil }
    return (heldStart.map { [$0] } ?? []) + told
  }

  private func isAskedFor(_ record: borrowing RecordView) -> Bool {
    switch question {
    case .everything: return true
    case .subject: return scope?.belongs(record) ?? false
    case .entity: return entityScope?.belongs(record) ?? false
    case .message(let message):
      guard !record.isRedacted, let tells = catalogue[EntityKind(rawValue: record.kind)]?.tellsOfMessage else {
        return false
      }
      return tells(record.keyText, record.tag, record.payload, message)
    }
  }
}
