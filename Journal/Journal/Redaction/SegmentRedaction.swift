public import JournalFormat
public import SystemPackage

/// Replaces records by their leaves in all sealed segments, live, archived and packed (`FORMAT.md`, "Redaction").
///
/// Segment by segment: a crash leaves each of them fully before or fully after, and carrying it out again completes it.
public struct SegmentRedaction: Sendable {
  private let vault: any SegmentVault

  package init(_ vault: any SegmentVault) { self.vault = vault }

  public init(directory: FilePath, archive: FilePath? = nil, storage: any JournalStorage = DiskStorage()) {
    self.init(SegmentFiles(directory: JournalDirectory(path: directory, archive: archive, storage: storage)))
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
    try vault.maintain { () throws(JournalError) in
      var report = RedactionReport()
      var image = SegmentImage()
      for segment in try vault.list() {
        guard try vault.header(of: segment.number).firstPosition <= position else { break }
        var count: UInt64 = 0
        let outline = try vault.get(segment, &image) { record in
          if Self.isDue(record, position, matching) { count += 1 }
        }
        report.examinedSegments += 1
        guard count > 0 else { continue }
        guard outline.isSealed else { throw .segmentInUse(segment.file) }
        try replace(segment, image.bytes, outline, position, matching, step)
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
    try vault.removeCutFiles(step)
  }

  private func replace(
    _ segment: SegmentInfo, _ bytes: UnsafeRawBufferPointer, _ outline: SegmentOutline, _ position: UInt64,
    _ matching: (borrowing RecordView) -> Bool, _ step: SegmentStep.Handler
  ) throws(JournalError) {
    func isDue(_ record: borrowing RecordView) -> Bool { Self.isDue(record, position, matching) }
    let redacted = try Self.encode(segment) { () throws(FormatError) in
      try RedactedSegment.replacing(bytes, matching: isDue)
    }
    guard segment.isPacked else {
      return try vault.replace(segment, by: redacted.bytes, outline, step, isWanted: { !isDue($0) })
    }
    let packed = try Self.encode(segment) { () throws(FormatError) in try PackedSegmentEncoder.pack(redacted.bytes) }
    try vault.replace(segment, by: packed.bytes, outline, step, isWanted: { !isDue($0) })
  }

  private static func encode<Encoded: ~Copyable>(
    _ segment: SegmentInfo, _ body: () throws(FormatError) -> Encoded
  ) throws(JournalError) -> Encoded {
    do throws(FormatError) {
      return try body()
    } catch {
      throw JournalError(error, file: segment.file, offset: 0)
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
