internal import JournalFormat
internal import SystemPackage

/// The start of a journal: reads everything, hands it on, and makes the end fit for writing (`FORMAT.md`, "Recovery").
struct Recovery {
  let directory: JournalDirectory
  let configuration: JournalConfiguration
  let preallocator: SegmentPreallocator

  struct Outcome {
    var tail: RecoveredTail
    var report: RecoveryReport
    var lastPosition: UInt64
    /// The last frame has records: nothing in the log says yet that they are on the disk.
    var needsConfirmation: Bool
  }

  func run(_ replay: (borrowing RecordView) throws -> Void) throws -> Outcome {
    var numbers = try directory.segmentNumbers()
    if let last = numbers.last, try isHalfMade(last) { numbers.removeLast() }
    guard let last = numbers.last else {
      let tail = try SegmentLog.begin(
        after: nil, chainHash: .zero, nextPosition: configuration.replayFrom, directory: directory,
        configuration: configuration, preallocator: preallocator, waitsForRoom: false)
      var report = RecoveryReport(currentFile: directory.segment(1))
      report.segments = 1
      report.lastPosition = configuration.replayFrom - 1
      return Outcome(
        tail: tail, report: report, lastPosition: configuration.replayFrom - 1, needsConfirmation: false)
    }

    var report = RecoveryReport(currentFile: directory.segment(last))
    var image = SegmentImage()
    var decoder = FrameDecoder()
    var walk = SegmentWalk()
    for number in numbers {
      let path = directory.segment(number)
      let file = try directory.storage.open(path, number == last ? .readWrite : .read)
      try image.load(file, limit: FormatLimits.segmentByteCountMaximum)
      var scanner = try walk.enter(
        image.bytes, number: number, file: path, oldestNeeded: configuration.replayFrom, directory: directory)
      decoder.beginSegment()
      report.segments += 1
      try replayFrames(&scanner, &decoder, image.bytes, path, &walk, &report, replay)
      walk.leave(scanner)
      report.lastPosition = scanner.nextPosition - 1
      guard number == last else {
        guard scanner.isSealed else {
          throw JournalError.damaged(file: path, offset: scanner.offset, reason: .frameDamaged)
        }
        file.close()
        continue
      }
      return try finish(file, scanner, image.bytes, needsConfirmation: walk.lastFrameHasRecords, report)
    }
    preconditionFailure("the last segment ends the loop")
  }

  private func replayFrames(
    _ scanner: inout SegmentScanner, _ decoder: inout FrameDecoder, _ bytes: UnsafeRawBufferPointer, _ path: FilePath,
    _ walk: inout SegmentWalk, _ report: inout RecoveryReport, _ replay: (borrowing RecordView) throws -> Void
  ) throws {
    var offset = scanner.offset
    do {
      while let frame = try scanner.next() {
        offset = frame.offset
        walk.lastFrameHasRecords = !frame.header.isEmpty
        report.frames += 1
        try decoder.forEachRecord(of: frame, in: bytes) { record in
          guard record.position >= configuration.replayFrom else { return }
          report.records += 1
          try replay(record)
        }
        offset = frame.endOffset
      }
    } catch let error as FormatError {
      throw JournalError(error, file: path, offset: offset)
    }
  }

  /// Judges the end of the last segment, cuts what was torn, and goes on to a new segment after a seal.
  private func finish(
    _ file: any StorageFile, _ scanner: SegmentScanner, _ bytes: UnsafeRawBufferPointer, needsConfirmation: Bool,
    _ report: RecoveryReport
  ) throws -> Outcome {
    var report = report
    let path = directory.segment(scanner.header.number)
    switch scanner.verdict() {
    case .clean:
      break
    case .damaged:
      throw JournalError.damaged(file: path, offset: scanner.offset, reason: .frameDamaged)
    case .torn(let range):
      let side = try directory.unusedCut(scanner.header.number, offset: range.lowerBound)
      try keepAside(UnsafeRawBufferPointer(rebasing: bytes[range]), in: side)
      try file.writeZeros(range)
      report.cutByteCount = range.count
      report.cutFile = side
    }
    // A segment that was cut short from outside gets its zeros back.
    if try file.size() < scanner.header.segmentByteCount {
      try file.writeZeros(bytes.count..<scanner.header.segmentByteCount)
    }
    // What a killed process had written may still be on its way to the disk. It has been replayed, so it must get
    // there.
    try file.synchronize()

    var tail = RecoveredTail(
      file: file, header: scanner.header, seed: scanner.checksumSeed, offset: scanner.offset,
      chainHash: scanner.chainHash)
    if scanner.isSealed {
      file.close()
      tail = try SegmentLog.begin(
        after: scanner.header, chainHash: scanner.chainHash, nextPosition: scanner.nextPosition, directory: directory,
        configuration: configuration, preallocator: preallocator, waitsForRoom: false)
      report.currentFile = directory.segment(tail.header.number)
    } else {
      preallocator.prepare()
    }
    return Outcome(
      tail: tail, report: report, lastPosition: scanner.nextPosition - 1, needsConfirmation: needsConfirmation)
  }

  /// A last segment without a header and without anything else: set aside, to be made again.
  private func isHalfMade(_ number: UInt64) throws -> Bool {
    let path = directory.segment(number)
    let file = try directory.storage.open(path, .read)
    defer { file.close() }
    var image = SegmentImage()
    try image.load(file, limit: FormatLimits.segmentHeaderByteCount)
    if image.bytes.count == FormatLimits.segmentHeaderByteCount {
      // The header page first: a real segment is told apart at once.
      guard image.bytes.allSatisfy({ $0 == 0 }) else { return false }
      try image.load(file, limit: FormatLimits.segmentByteCountMaximum)
      guard image.bytes.allSatisfy({ $0 == 0 }) else { return false }
    }
    try directory.storage.rename(path, to: directory.unusedCut(number, offset: 0))
    try directory.storage.synchronizeDirectory(directory.path)
    return true
  }

  private func keepAside(_ bytes: UnsafeRawBufferPointer, in path: FilePath) throws {
    let side = try directory.storage.open(path, .create)
    defer { side.close() }
    try side.writeAll(bytes, at: 0, durably: false)
    try side.synchronize()
    // Only then are they zeroed in the segment.
    try directory.storage.synchronizeDirectory(directory.path)
  }
}
