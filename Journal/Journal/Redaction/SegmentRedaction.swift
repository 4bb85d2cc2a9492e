public import JournalFormat
public import SystemPackage

/// Replaces records by their leaves in all sealed segments, live, archived and packed (`FORMAT.md`, "Redaction").
///
/// ```
///   segment ──re-encode──> .redacting ──sync, read back──> renamed over the segment ──sync
/// ```
/// Segment by segment: a crash leaves each of them fully before or fully after, and carrying it out again completes it.
public struct SegmentRedaction: Sendable {
  private let directory: JournalDirectory

  public init(directory: FilePath, archive: FilePath? = nil, storage: any JournalStorage = DiskStorage()) {
    self.directory = JournalDirectory(path: directory, archive: archive, storage: storage)
  }

  /// Redacts every record up to `position` for which `matching` is true. Blocks.
  ///
  /// The caller has let the journal begin a new segment behind `position`.
  /// - Parameters:
  ///   - matching: asked several times for a record, always with the same answer; never asked for a redacted one.
  ///   - step: called before each change.
  /// - Throws: `locked` if somebody else works on segments; `segmentInUse`; what is wrong with a segment, which is left
  ///   as it is. Segments before it are done: the next run goes on.
  public func redact(
    upTo position: UInt64, matching: (borrowing RecordView) -> Bool, step: SegmentStep.Handler = { _ in }
  ) throws(JournalError) -> RedactionReport {
    try directory.maintain { () throws(JournalError) in
      var report = RedactionReport()
      var image = SegmentImage()
      for number in try directory.numbers() {
        let (header, place) = try directory.header(of: number)
        guard header.firstPosition <= position else { break }
        var count: UInt64 = 0
        let outline = try directory.examine(place, &image) { record in
          if Self.isDue(record, position, matching) { count += 1 }
        }
        report.examinedSegments += 1
        guard count > 0 else { continue }
        guard outline.isSealed else { throw .segmentInUse(place.path) }
        // First: a crash between the two must not leave terms of what is erased. Whoever redacts sees to it that nobody
        // makes it anew meanwhile.
        try directory.removeIndex(of: number, step)
        try replace(place, image.bytes, outline, position, matching, step)
        report.records += count
        report.segments += 1
      }
      return report
    }
  }

  /// Removes what recovery cut off segments: side files that may hold anything.
  ///
  /// - Returns: how many there were.
  /// - Throws: `storage`.
  public func removeCutFiles(step: SegmentStep.Handler = { _ in }) throws(JournalError) -> Int {
    let files: [FilePath]
    do throws(StorageError) {
      files = try directory.cutFiles()
    } catch {
      throw .storage(error)
    }
    for file in files { try step(SegmentStep(.remove, file, segmentNumber: 0)) }
    do throws(StorageError) {
      try directory.remove(files)
    } catch {
      throw .storage(error)
    }
    return files.count
  }

  private func replace(
    _ place: SegmentPlace, _ bytes: UnsafeRawBufferPointer, _ outline: SegmentOutline, _ position: UInt64,
    _ matching: (borrowing RecordView) -> Bool, _ step: SegmentStep.Handler
  ) throws(JournalError) {
    func isDue(_ record: borrowing RecordView) -> Bool { Self.isDue(record, position, matching) }
    let redacted = try Self.encode(place) { () throws(FormatError) in
      try RedactedSegment.replacing(bytes, matching: isDue)
    }
    guard place.form == .packed else {
      return try directory.install(
        redacted.bytes, as: place, suffix: ".redacting", outline: outline, step, isWanted: { !isDue($0) })
    }
    let packed = try Self.encode(place) { () throws(FormatError) in try PackedSegmentEncoder.pack(redacted.bytes) }
    try directory.install(
      packed.bytes, as: place, suffix: ".redacting", outline: outline, step, isWanted: { !isDue($0) })
  }

  private static func encode<Encoded: ~Copyable>(
    _ place: SegmentPlace, _ body: () throws(FormatError) -> Encoded
  ) throws(JournalError) -> Encoded {
    do throws(FormatError) {
      return try body()
    } catch {
      throw JournalError(error, file: place.path, offset: 0)
    }
  }

  private static func isDue(
    _ record: borrowing RecordView, _ position: UInt64, _ matching: (borrowing RecordView) -> Bool
  ) -> Bool {
    record.position <= position && !record.isRedacted && matching(record)
  }
}

/// What redaction did.
public struct RedactionReport: Sendable, Equatable {
  /// Records that were replaced by this run.
  public var records: UInt64 = 0
  /// Segments that were rewritten.
  public var segments = 0
  /// Segments that were looked through, these included.
  public var examinedSegments = 0

  public init() {}
}
