public import JournalFormat
public import SystemPackage

/// Reads a journal, archived and packed segments too, without changing it or locking it.
///
/// Works beside a live writer, whose unfinished end is no error, and while segments are moved, packed or redacted. An
/// archive by itself can be read like a journal.
public struct JournalReader: Sendable {
  let directory: JournalDirectory

  /// - Parameter archive: where old segments are; `archive` below `directory` if nil. It need not be there.
  public init(directory: FilePath, archive: FilePath? = nil, storage: any JournalStorage = DiskStorage()) {
    self.directory = JournalDirectory(path: directory, archive: archive, storage: storage)
  }

  init(_ directory: JournalDirectory) { self.directory = directory }

  /// Segments that are there now, archived and packed ones too.
  ///
  /// - Throws: `JournalError.storage`.
  public func segmentCount() throws(JournalError) -> Int {
    do throws(StorageError) { return try directory.segmentNumbers().count } catch { throw .storage(error) }
  }

  /// Checks all: checksums, the order of segments and frames, every leaf and every link of the chain.
  ///
  /// - Parameters:
  ///   - progress: called after each segment.
  ///   - frame: called for each frame, before it is checked.
  ///   - leaves: called for the records of each frame once it is checked; nil if nobody wants them.
  /// - Throws: `JournalError` at the first thing that is wrong, or what `progress` throws.
  public func verify(
    progress: (VerifyReport) throws -> Void = { _ in }, frame: (FrameInfo) -> Void = { _ in },
    leaves: FrameDecoder.LeafTaker? = nil
  ) throws -> VerifyReport {
    try walk(
      from: 1, checking: .hashesOnly, fillingLinks: true, segment: progress, frame: frame, record: { _ in },
      leaves: leaves)
  }

  /// Hands on every record from `position` on, in order; checks checksums only.
  ///
  /// - Throws: `JournalError`, or what `body` throws.
  public func forEachRecord(from position: UInt64 = 1, _ body: (borrowing RecordView) throws -> Void) throws {
    _ = try walk(
      from: position, checking: .checksums, fillingLinks: false, segment: { _ in }, frame: { _ in }, record: body)
  }

  /// Hands on every frame, empty ones too.
  ///
  /// - Throws: `JournalError`, or what `body` throws.
  public func forEachFrame(_ body: (FrameInfo) throws -> Void) throws {
    _ = try walk(frame: body)
  }

  /// The one loop behind the others: `frame` is called before the records of that frame.
  ///
  /// - Parameters:
  ///   - position: records before it are not handed on.
  ///   - checkingHashes: leaves and chain too, not only checksums.
  ///   - segment: called after each segment.
  /// - Throws: `JournalError`, or what a closure throws.
  @discardableResult
  public func walk(
    from position: UInt64 = 1, checkingHashes: Bool = false, segment: (VerifyReport) throws -> Void = { _ in },
    frame: (FrameInfo) throws -> Void = { _ in }, record: (borrowing RecordView) throws -> Void = { _ in }
  ) throws -> VerifyReport {
    try walk(
      from: position, checking: checkingHashes ? .hashes : .checksums, fillingLinks: true, segment: segment,
      frame: frame, record: record)
  }

  /// What is checked besides the order of everything.
  private enum Checks {
    case checksums
    case hashes
    /// No record is handed on: the fastest way to check all.
    case hashesOnly
  }

  /// - Parameter fillingLinks: packed frames get their chain hashes, which costs hashing all they hold.
  private func walk(
    from position: UInt64, checking checks: Checks, fillingLinks: Bool, segment: (VerifyReport) throws -> Void,
    frame: (FrameInfo) throws -> Void, record: (borrowing RecordView) throws -> Void,
    leaves: FrameDecoder.LeafTaker? = nil
  ) throws -> VerifyReport {
    do {
      var report = VerifyReport()
      var image = SegmentImage()
      var decoder = FrameDecoder()
      var chain = SegmentWalk()
      let numbers = try directory.segmentNumbers()
      for number in numbers {
        let isLast = number == numbers.last
        // What retention deletes just now, from the beginning on, is not missed.
        guard
          let place = try load(
            number, into: &image, hashing: fillingLinks, isLast: isLast, mayBeGone: !isLast && report.segments == 0)
        else { continue }
        var scanner = try chain.enter(
          image.bytes, number: number, file: place.path, oldestNeeded: .max, isLast: isLast, directory: directory)
        if report.segments == 0 { report.firstPosition = scanner.header.firstPosition }
        report.segments += 1
        if place.isArchived { report.archivedSegments += 1 }
        decoder.beginSegment()
        let storedByteCount = report.storedByteCount
        // A packed segment was checked when it was expanded.
        try read(
          &scanner, &decoder, image.bytes, place.path, from: position,
          checking: place.form == .packed && leaves == nil ? .checksums : checks, &report, frame, record,
          leaves: leaves ?? { _, _ in })
        if place.form == .packed {
          report.packedSegments += 1
          report.storedByteCount = storedByteCount + UInt64(image.fileByteCount)
        }
        report.tailByteCount = try chain.judgeEnd(
          scanner, file: place.path, byteCount: image.bytes.count, isLast: isLast)
        chain.leave(scanner)
        try segment(report)
      }
      return report
    } catch let error as StorageError {
      throw JournalError.storage(error)
    }
  }

  private func read(
    _ scanner: inout SegmentScanner, _ decoder: inout FrameDecoder, _ bytes: UnsafeRawBufferPointer, _ path: FilePath,
    from position: UInt64, checking checks: Checks, _ report: inout VerifyReport, _ frame: (FrameInfo) throws -> Void,
    _ record: (borrowing RecordView) throws -> Void, leaves: FrameDecoder.LeafTaker
  ) throws {
    var offset = scanner.offset
    var previousHash = scanner.chainHash
    do {
      while let scanned = try scanner.next() {
        offset = scanned.offset
        try frame(
          FrameInfo(
            segmentNumber: scanner.header.number, segmentID: scanner.header.id, offset: scanned.offset,
            header: scanned.header))
        if checks == .hashesOnly {
          let redacted = try decoder.check(scanned, in: bytes, previousHash: previousHash, leaves: leaves)
          report.redactedRecords += UInt64(redacted)
        } else {
          try decoder.forEachRecord(of: scanned, in: bytes, previousHash: checks == .hashes ? previousHash : nil) {
            if $0.isRedacted { report.redactedRecords += 1 }
            if $0.position >= position { try record($0) }
          }
        }
        previousHash = scanned.header.chainHash
        report.frames += 1
        report.records += UInt64(scanned.header.recordCount)
        report.plainByteCount += UInt64(scanned.header.plainByteCount)
        report.storedByteCount += UInt64(scanned.header.byteCount)
        offset = scanned.endOffset
      }
      try decoder.finishChecks(leaves: leaves)
    } catch let error as FormatError {
      throw JournalError(error, file: path, offset: decoder.brokenFrameOffset ?? offset)
    }
    report.headHash = previousHash
    report.lastPosition = scanner.nextPosition - 1
  }

  /// A live writer may finish a frame, and one after it, between two reads of the same segment: what looks like damage
  /// in the last segment is looked at again.
  ///
  /// - Returns: nil if the segment is gone, and may be.
  func load(
    _ number: UInt64, into image: inout SegmentImage, hashing: Bool, isLast: Bool, mayBeGone: Bool
  ) throws(JournalError) -> SegmentPlace? {
    var previousOffset = -1
    for _ in 1..<Limits.readerRetryCount {
      let place: SegmentPlace
      do {
        place = try directory.load(number, into: &image, hashing: hashing)
      } catch .missingSegment where mayBeGone {
        return nil
      }
      guard isLast, var scanner = try? SegmentScanner(image.bytes) else { return place }
      while (try? scanner.next()) != nil {}
      guard case .damaged = scanner.verdict(), scanner.offset != previousOffset else { return place }
      previousOffset = scanner.offset
    }
    return try directory.load(number, into: &image, hashing: hashing)
  }
}
