package import EngineKit
package import Journal

/// What a journal has of somebody: the story, and the records that it is told of.
package struct FoundRecords: Sendable {
  /// With bookkeeping.
  package private(set) var entries: [TimelineEntry] = []
  /// Of all records that were asked for, also of those that tell nothing; ascending.
  package private(set) var positions: [UInt64] = []

  private static let entriesAtOnce = 1_000
  /// Nobody else is kept waiting.
  private static let pageMilliseconds: Int64 = 3_600_000

  /// - Parameters:
  ///   - head: the last record that is looked at.
  ///   - index: nil: all is read.
  ///   - maximum: of records.
  /// - Throws: `tooMany`; `JournalError`, `StorageError`.
  package init(
    _ question: TimelineQuestion, upTo head: UInt64, _ reader: JournalReader, index: RecordIndex?, maximum: Int,
    in catalogue: Catalogue
  ) throws {
    var search = TimelineSearch(question, TimelineFilter(hasDetails: true), in: catalogue)
    search.teller.keepTrail()
    var next: UInt64? = 0
    while let after = next {
      let page = try search.page(
        after: after, limit: Self.entriesAtOnce, head: head, reader, milliseconds: Self.pageMilliseconds, index: index)
      entries += page.entries
      next = page.next
      guard search.teller.trail?.count ?? 0 <= maximum else { throw TooMany(maximum: maximum) }
    }
    positions = search.teller.trail ?? []
  }

  package struct TooMany: Error, CustomStringConvertible {
    let maximum: Int

    package var description: String { "more than \(maximum) records were asked for" }
  }
}
