internal import JournalFormat
public import SystemPackage

/// Moves old segments to the archive, or deletes them, beside a live writer and readers.
///
/// ```
///   live ──copy──> .archiving ──sync, compare──> named in the archive ──sync──> removed here
/// ```
/// A crash leaves both files or one: each is whole, and the next run cleans up.
public struct SegmentRetention: Sendable {
  private let directory: JournalDirectory

  /// - Parameter archive: `archive` below `directory` if nil; it is made when it is needed.
  public init(directory: FilePath, archive: FilePath? = nil, storage: any JournalStorage = DiskStorage()) {
    self.directory = JournalDirectory(path: directory, archive: archive, storage: storage)
  }

  /// Carries out `rule`. Blocks: not to be called from a task.
  ///
  /// - Parameters:
  ///   - nowMilliseconds: since 1970.
  ///   - step: called before each change.
  /// - Throws: `locked` if somebody else works on segments. After anything thrown nothing was moved or deleted.
  public func apply(
    _ rule: RetentionRule, nowMilliseconds: Int64, step: SegmentStep.Handler = { _ in }
  ) throws(JournalError) -> RetentionReport {
    try directory.maintain { () throws(JournalError) in
      let due = try self.due(rule, nowMilliseconds: nowMilliseconds)
      var report = RetentionReport()
      do throws(JournalError) {
        for places in due {
          switch rule.action {
          case .archive: for place in places { try move(place.place, step) }
          case .delete: try delete(places.map(\.place), step)
          }
          report.segments.append(places[0].place.number)
          report.byteCount += places.reduce(0) { $0 + $1.byteCount }
        }
      } catch {
        report.failure = error
      }
      return report
    }
  }

  /// The files of the segments that go, segment by segment.
  private func due(
    _ rule: RetentionRule, nowMilliseconds: Int64
  ) throws(JournalError) -> [[(place: SegmentPlace, byteCount: Int)]] {
    let files = try directory.sizes()
    let numbers = Set(files.map(\.place.number)).sorted()
    let counts = { (place: SegmentPlace) in rule.action == .delete || !place.isArchived }
    var total = files.reduce(0) { counts($1.place) ? $0 + $1.byteCount : $0 }
    var due: [[(place: SegmentPlace, byteCount: Int)]] = []
    // The last segment is being written, or the next writer goes on behind it.
    for (number, next) in zip(numbers, numbers.dropFirst()) {
      let own = files.filter { $0.place.number == number && counts($0.place) }
      guard !own.isEmpty else { continue }
      // Without a gap: what begins the next segment ends this one.
      guard next == number + 1 else { throw .missingSegment(directory.segment(number + 1)) }
      let following = try directory.header(of: next).header
      if let point = rule.neverBeyond {
        guard following.firstPosition - 1 <= point.position else { break }
      } else if rule.action == .delete {
        break
      }
      let isOld = rule.ageMillisecondsMaximum.map { nowMilliseconds - following.createdMilliseconds >= $0 } ?? false
      let isMuch = rule.totalByteCountMaximum.map { total > $0 } ?? false
      guard isOld || isMuch else { break }
      due.append(own)
      total -= own.reduce(0) { $0 + $1.byteCount }
    }
    return due
  }

  private func move(_ place: SegmentPlace, _ step: SegmentStep.Handler) throws(JournalError) {
    let target = SegmentPlace(place.number, place.form, in: directory.archive, isArchived: true)
    let copy = directory.archive.appending("\(SegmentPlace.name(place.number, place.form)).archiving")
    try step(SegmentStep(.write, copy, segmentNumber: place.number))
    do throws(StorageError) {
      try directory.makeArchive()
      do throws(StorageError) {
        try directory.storage.copy(place.path, to: copy)
      } catch {
        // The disk may be full: what was begun takes up no more room.
        try? directory.storage.remove(copy)
        throw error
      }
    } catch {
      throw JournalError(error)
    }
    try directory.rename(copy, to: target, step)
    try directory.discard(place, step)
  }

  private func delete(_ places: [SegmentPlace], _ step: SegmentStep.Handler) throws(JournalError) {
    // Each removal is durable before the next, so that no crash can leave an older segment before a gap.
    for place in places { try directory.discard(place, step) }
    if let number = places.first?.number { try directory.removeIndex(of: number, step) }
  }
}
