package import EngineKit
import EventSourcing
package import Journal
import JournalFormat

/// A page of a timeline.
package struct TimelinePage: Sendable {
  package var entries: [TimelineEntry] = []
  /// The next page stands behind this record; nil once all is told that is on the disk.
  package var next: UInt64?
  /// The journal was searched up to this record, for this question.
  package var searchedTo: UInt64 = 0
  /// The last record on the disk when the page was begun.
  package var head: UInt64 = 0
}

/// A question to the timeline that is answered page by page: what is known already is not read again.
///
/// ```
///  1 ──── collected ──────────────> head       what is the customer's, if it is about one
///  1 ──── told ───────────────────> closed     the story
/// ```
/// Where an index of records covers a part of the journal, only those records are read there that may be told, or lead
/// to some (`IndexedStretch`); the story is the same.
package struct TimelineSearch: Sendable {
  /// See `TimelineSearches.number`.
  let number: UInt64
  var teller: TimelineTeller
  /// All up to here was looked at for what is the customer's …
  private var collected: UInt64 = 0
  /// … and was found out up to here.
  private var closed: UInt64 = 0
  /// All up to here was told.
  var told: UInt64 = 0
  /// What an index covers; nil: all is read.
  var indexed: IndexedStretch?
  private var asksIndex = true

  package init(
    _ question: TimelineQuestion, _ filter: TimelineFilter, in catalogue: Catalogue, number: UInt64 = 0
  ) {
    self.number = number
    teller = TimelineTeller(question, filter, in: catalogue)
  }

  /// - Parameters:
  ///   - after: entries of this record and earlier ones are left out.
  ///   - limit: entries at most; those of one record stay together, so that one record's may be more.
  ///   - head: the last record that may be read.
  ///   - index: nil: all is read.
  package mutating func page(
    after: UInt64, limit: Int, head: UInt64, _ reader: JournalReader, milliseconds: Int64, index: RecordIndex? = nil
  ) throws -> TimelinePage {
    do {
      defer { indexed?.view = nil }
      try lookUp(index, after: after, upTo: head)
      return try page(after: after, limit: limit, head: head, reader, milliseconds: milliseconds)
    } catch let error as RecordIndexError {
      if case .doubtful(let segment) = error { index?.distrust(segment) }
      // As if there were none, from the beginning.
      teller = teller.renewed()
      (collected, closed, told, indexed, asksIndex) = (0, 0, 0, nil, false)
      return try page(after: after, limit: limit, head: head, reader, milliseconds: milliseconds)
    }
  }

  private mutating func page(
    after: UInt64, limit: Int, head: UInt64, _ reader: JournalReader, milliseconds: Int64
  ) throws -> TimelinePage {
    var page = TimelinePage(head: head)
    var time = ReadingTime(milliseconds: milliseconds)
    if told > after { begin() }
    // What came since is looked at when the story has come that far, or begins, and not for each page.
    if teller.needsCollecting, told == closed || told == 0, closed < head {
      guard try collect(reader, to: head, &time) else {
        page.searchedTo = told
        page.next = after
        return page
      }
    }
    let end = teller.needsCollecting ? closed : head
    let isFull = try tell(reader, after: after, to: end, limit: limit, &page.entries, &time)
    page.searchedTo = told
    if isFull || told < head { page.next = max(after, told) }
    return page
  }

  /// Whether it still notes something of every entity of the journal.
  var isCollecting: Bool { teller.needsCollecting && closed == 0 }

  package var hasFoundNothing: Bool { teller.hasFoundNothing }

  /// A search that has not begun takes what the index covers; one that has goes on in the same stretch.
  private mutating func lookUp(_ index: RecordIndex?, after: UInt64, upTo head: UInt64) throws {
    guard asksIndex, teller.isFindable else { return }
    if let indexed {
      guard isCollecting || told < indexed.coveredTo || told > after else { return }
      guard let view = try index?.look(upTo: head), view.coveredTo >= indexed.coveredTo else {
        throw RecordIndexError.gone
      }
      self.indexed?.view = view
    } else if collected == 0, told == 0, let view = try index?.look(upTo: head) {
      indexed = IndexedStretch(view)
    }
  }

  private mutating func begin() {
    teller.begin()
    told = 0
    indexed?.positions = nil
  }

  /// - Returns: false if the time was over before the end.
  private mutating func collect(_ reader: JournalReader, to head: UInt64, _ time: inout ReadingTime) throws -> Bool {
    // What no index covers comes first: nothing else is to be asked for then.
    if let indexed, collected == 0 { collected = indexed.coveredTo }
    var isOver = false
    if collected < head {
      try reader.read(from: collected + 1) { record in
        guard record.position <= head else { return false }
        teller.collect(record)
        collected = record.position
        isOver = time.isOver()
        return !isOver
      }
    }
    guard !isOver || collected == head else { return false }
    collected = head
    if closed == 0, indexed != nil {
      guard try collectIndexed(&time) else { return false }
    }
    closed = head
    teller.close()
    return true
  }

  /// - Returns: whether there may be more that is not on the page.
  private mutating func tell(
    _ reader: JournalReader, after: UInt64, to end: UInt64, limit: Int, _ entries: inout [TimelineEntry],
    _ time: inout ReadingTime
  ) throws -> Bool {
    guard told < end else { return false }
    if let indexed, told < indexed.coveredTo {
      guard try !tellIndexed(after: after, limit: limit, &entries, &time) else { return true }
      guard told < end else { return false }
    }
    var isStopped = false
    var starts: [TimelineEntry] = []
    try reader.read(
      from: told + 1,
      frame: { frame in
        guard frame.header.firstPosition <= end else { return }
        starts += teller.entries(of: frame.header, segmentNumber: frame.segmentNumber)
      },
      record: { record in
        guard record.position <= end else { return false }
        let fresh = starts + teller.entries(of: record)
        starts = []
        told = record.position
        if record.position > after { entries += fresh.filter { $0.position > after } }
        isStopped = entries.count >= limit || time.isOver()
        return !isStopped
      })
    if !isStopped { told = end }
    return isStopped
  }
}
