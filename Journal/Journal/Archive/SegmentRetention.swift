internal import JournalFormat
public import SystemPackage

/// Moves old segments to the archive, or deletes them, beside a live writer and readers.
public struct SegmentRetention: Sendable {
  private let vault: any SegmentVault

  package init(_ vault: any SegmentVault) { self.vault = vault }

  /// - Parameter archive: `archive` below `directory` if nil; it is made when it is needed.
  public init(directory: FilePath, archive: FilePath? = nil, storage: any JournalStorage = DiskStorage()) {
    self.init(SegmentFiles(directory: JournalDirectory(path: directory, archive: archive, storage: storage)))
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
    try vault.maintain { () throws(JournalError) in
      let due = try self.due(rule, nowMilliseconds: nowMilliseconds)
      var report = RetentionReport()
      do throws(JournalError) {
        for segment in due {
          switch rule.action {
          case .archive: try vault.archive(segment, step)
          case .delete: try vault.remove(segment, step)
          }
          report.segments.append(segment.number)
          report.byteCount += segment.byteCount
        }
      } catch {
        report.failure = error
      }
      return report
    }
  }

  /// The segments that go, oldest first.
  private func due(_ rule: RetentionRule, nowMilliseconds: Int64) throws(JournalError) -> [SegmentInfo] {
    let segments = try vault.list()
    let counts = { (segment: SegmentInfo) in rule.action == .delete || !segment.isArchived }
    var total = segments.reduce(0) { counts($1) ? $0 + $1.byteCount : $0 }
    var due: [SegmentInfo] = []
    // The last segment is being written, or the next writer goes on behind it.
    for segment in segments.dropLast() where counts(segment) {
      // Without a gap: what begins the next segment ends this one.
      let following = try vault.header(of: segment.number + 1)
      if let point = rule.neverBeyond {
        guard following.firstPosition - 1 <= point.position else { break }
      } else if rule.action == .delete {
        break
      }
      let isOld = rule.ageMillisecondsMaximum.map { nowMilliseconds - following.createdMilliseconds >= $0 } ?? false
      let isMuch = rule.totalByteCountMaximum.map { total > $0 } ?? false
      guard isOld || isMuch else { break }
      due.append(segment)
      total -= segment.byteCount
    }
    return due
  }
}
