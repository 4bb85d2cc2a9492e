public import JournalFormat
public import SystemPackage

/// Reads a journal without changing it or locking it; works beside a live writer, whose unfinished end is no error.
public struct JournalReader: Sendable {
  private let directory: JournalDirectory

  public init(directory: FilePath, storage: any JournalStorage = DiskStorage()) {
    self.directory = JournalDirectory(path: directory, storage: storage)
  }

  /// Checks all: checksums, the order of segments and frames, every leaf and every link of the chain.
  ///
  /// - Parameter progress: called after each segment.
  /// - Throws: `JournalError` at the first thing that is wrong.
  public func verify(progress: (VerifyReport) -> Void = { _ in }) throws -> VerifyReport {
    try walk(checkingHashes: true, segment: progress)
  }

  /// Hands on every record from `position` on, in order; checks checksums only.
  ///
  /// - Throws: `JournalError`, or what `body` throws.
  public func forEachRecord(from position: UInt64 = 1, _ body: (borrowing RecordView) throws -> Void) throws {
    _ = try walk(from: position, record: body)
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
    do {
      var report = VerifyReport()
      var image = SegmentImage()
      var decoder = FrameDecoder()
      var chain = SegmentWalk()
      let numbers = try directory.segmentNumbers()
      for number in numbers {
        try load(&image, number, isLast: number == numbers.last)
        let path = directory.segment(number)
        var scanner = try chain.enter(
          image.bytes, number: number, file: path, oldestNeeded: .max, directory: directory)
        if report.segments == 0 { report.firstPosition = scanner.header.firstPosition }
        report.segments += 1
        decoder.beginSegment()
        try read(
          &scanner, &decoder, image.bytes, path, from: position, checkingHashes: checkingHashes, &report, frame, record)
        try judgeEnd(scanner, path, isLast: number == numbers.last, &report)
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
    from position: UInt64, checkingHashes: Bool, _ report: inout VerifyReport, _ frame: (FrameInfo) throws -> Void,
    _ record: (borrowing RecordView) throws -> Void
  ) throws {
    var offset = scanner.offset
    var previousHash = scanner.chainHash
    do {
      while let scanned = try scanner.next() {
        offset = scanned.offset
        try frame(FrameInfo(segmentNumber: scanner.header.number, offset: scanned.offset, header: scanned.header))
        try decoder.forEachRecord(of: scanned, in: bytes, previousHash: checkingHashes ? previousHash : nil) { view in
          if view.isRedacted { report.redactedRecords += 1 }
          if view.position >= position { try record(view) }
        }
        previousHash = scanned.header.chainHash
        report.frames += 1
        report.records += UInt64(scanned.header.recordCount)
        report.plainByteCount += UInt64(scanned.header.plainByteCount)
        report.storedByteCount += UInt64(scanned.header.byteCount)
        offset = scanned.endOffset
      }
    } catch let error as FormatError {
      throw JournalError(error, file: path, offset: offset)
    }
    report.headHash = previousHash
    report.lastPosition = scanner.nextPosition - 1
  }

  private func judgeEnd(
    _ scanner: SegmentScanner, _ path: FilePath, isLast: Bool, _ report: inout VerifyReport
  ) throws(JournalError) {
    switch scanner.verdict() {
    case .clean where isLast || scanner.isSealed:
      break
    case .torn(let range) where isLast && !scanner.isSealed:
      report.tailByteCount = range.count
    case .clean, .torn, .damaged:
      throw .damaged(file: path, offset: scanner.offset, reason: .frameDamaged)
    }
  }

  /// A live writer may finish a frame, and one after it, between two reads of the same segment: what looks like damage
  /// in the last segment is looked at again.
  private func load(_ image: inout SegmentImage, _ number: UInt64, isLast: Bool) throws {
    let file = try directory.storage.open(directory.segment(number), .read)
    defer { file.close() }
    var previousOffset = -1
    for _ in 0..<Limits.readerRetryCount {
      try image.load(file, limit: FormatLimits.segmentByteCountMaximum)
      guard isLast, var scanner = try? SegmentScanner(image.bytes) else { return }
      while (try? scanner.next()) != nil {}
      guard case .damaged = scanner.verdict(), scanner.offset != previousOffset else { return }
      previousOffset = scanner.offset
    }
  }
}
