import EngineKit
import Journal
import JournalFormat

/// The part of the journal that an index covers, for one question to the timeline, and what was found in it.
struct IndexedStretch: Sendable {
  /// The last record of it.
  let coveredTo: UInt64
  fileprivate let silences: [StartDetector.Silence]
  fileprivate let starts: StartDetector
  /// The index itself; only while a page is made.
  var view: RecordIndexView?
  /// What was asked for, and what that has found.
  fileprivate var asked: Set<SubjectTerm> = []
  fileprivate var found: Set<UInt64> = []
  /// Of this, what was not collected yet.
  fileprivate var uncollected: ArraySlice<UInt64> = []
  /// What may be told; nil as long as nobody knows.
  var positions: [UInt64]?

  /// A story that has more records is told without the index.
  private static let recordsMaximum = 500_000

  init(_ view: RecordIndexView) {
    (coveredTo, silences, starts) = (view.coveredTo, view.silences, view.starts)
    self.view = view
  }

  /// - Throws: `RecordIndexError`, `StorageError`.
  fileprivate func lookUp(_ terms: Set<SubjectTerm>) throws -> [UInt64] {
    let view = try opened
    let found = try view.positions(of: terms.map { $0.hashed(with: view.key) }, maximum: Self.recordsMaximum)
    return found.filter { $0 <= coveredTo }
  }

  fileprivate var opened: RecordIndexView {
    get throws(RecordIndexError) {
      guard let view else { throw .gone }
      return view
    }
  }

  /// Asks for what was not asked for.
  fileprivate mutating func ask(_ terms: Set<SubjectTerm>) throws {
    uncollected = try lookUp(terms).filter { !found.contains($0) }[...]
    found.formUnion(uncollected)
    asked.formUnion(terms)
    guard found.count <= Self.recordsMaximum else { throw RecordIndexError.tooMany }
  }
}

extension TimelineSearch {
  /// Collects what the index finds, and what that leads to, until nothing new comes up.
  ///
  /// - Returns: false if the time was over before the end.
  mutating func collectIndexed(_ time: inout ReadingTime) throws -> Bool {
    while var stretch = indexed {
      var isOver = false
      var count = 0
      try stretch.opened.read(at: stretch.uncollected) { record in
        teller.collect(record)
        count += 1
        isOver = time.isOver()
        return !isOver
      }
      stretch.uncollected = stretch.uncollected.dropFirst(count)
      indexed = stretch
      guard !isOver || stretch.uncollected.isEmpty else { return false }
      teller.followLinks()
      let terms = teller.terms.subtracting(stretch.asked)
      guard !terms.isEmpty else {
        // Nothing more is asked for.
        indexed?.found = []
        return true
      }
      try stretch.ask(terms)
      indexed = stretch
    }
    return true
  }

  /// Tells of the records that the index covers.
  ///
  /// - Returns: whether there may be more of them.
  mutating func tellIndexed(
    after: UInt64, limit: Int, _ entries: inout [TimelineEntry], _ time: inout ReadingTime
  ) throws -> Bool {
    guard var stretch = indexed else { return false }
    let view = try stretch.opened
    let positions = try stretch.positions ?? stretch.lookUp(teller.terms)
    stretch.positions = positions
    indexed = stretch
    let silences = stretch.silences
    var silence = silences.firstIndex { $0.position > told } ?? silences.endIndex
    let start = positions.firstIndex { $0 > told } ?? positions.endIndex
    var isStopped = false
    try view.read(at: positions[start...]) { record in
      while silence < silences.endIndex, silences[silence].position <= record.position {
        teller.note(silences[silence])
        silence += 1
      }
      let fresh = teller.entries(of: record)
      told = record.position
      if record.position > after { entries += fresh.filter { $0.position > after } }
      isStopped = entries.count >= limit || time.isOver()
      return !isStopped
    }
    guard !isStopped else { return true }
    for silence in silences[silence...] { teller.note(silence) }
    teller.goOn(with: stretch.starts)
    told = stretch.coveredTo
    return false
  }
}
