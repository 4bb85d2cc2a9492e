internal import JournalFormat
internal import SystemPackage

/// The start of a journal: reads everything, hands it on, and makes the end fit for writing (`FORMAT.md`, "Recovery").
struct Recovery {
  let directory: JournalDirectory
  let configuration: JournalConfiguration
  let preallocator: SegmentPreallocator
  /// In which the journal is gone on with; nil: in that of its last segment.
  let epoch: UInt32?

  struct Outcome {
    var tail: RecoveredTail
    var report: RecoveryReport
    var lastPosition: UInt64
    /// The last frame has records: nothing in the log says yet that they are on the disk.
    var needsConfirmation: Bool
    /// In which the writer writes: that of the tail's segment, or a later one.
    var epoch: UInt32
  }

  func run(_ replay: some ReplayTaker) throws -> Outcome {
    do {
      let outcome = try read(replay)
      try replay.finish()
      return outcome
    } catch {
      // What is wrong further ahead comes first.
      try replay.finish()
      throw error
    }
  }

  private func read(_ replay: some ReplayTaker) throws -> Outcome {
    var numbers = try directory.segmentNumbers()
    // Only the writer makes segments, so only the last one can be half made; what was moved away is whole.
    var halfMade: UInt64?
    if let last = numbers.last, try directory.isHalfMade(last) { halfMade = numbers.removeLast() }
    var start = StartingPointSearch(configuration.startingPoint, directory: directory)
    guard let last = numbers.last else {
      try start.requireReached(end: 0)
      try tidy(settingAside: halfMade)
      return try beginJournal()
    }

    var report = RecoveryReport(currentFile: directory.segment(last))
    var image = SegmentImage()
    var walk = SegmentWalk()
    let current = try directory.isLivePlain(last) ? last : nil
    let wanted = try start.segments(of: numbers)
    configuration.replayProgress?.begin(segmentCount: wanted.count)
    for number in wanted {
      let file = try number == current ? directory.storage.open(directory.segment(number), .readWrite) : nil
      let path = try begin(number, file, into: &image, hashing: !start.isFound)
      try image.read(through: FormatLimits.segmentHeaderByteCount)
      var scanner = try walk.enter(
        image.bytes, number: number, file: path, oldestNeeded: start.oldestNeeded, isLast: number == last,
        directory: directory)
      try start.enter(scanner, file: path)
      try replay.beginSegment(path)
      report.segments += 1
      configuration.replayProgress?.reached(segment: report.segments, records: report.records)
      try replayFrames(&scanner, &image, path, &walk, &start, &report, replay)
      try image.read(through: image.bytes.count)
      if file == nil { _ = try walk.judgeEnd(scanner, file: path, byteCount: image.bytes.count, isLast: false) }
      walk.leave(scanner)
      report.lastPosition = scanner.nextPosition - 1
      guard number == last else {
        try start.leave(file: path)
        continue
      }
      // Before anything is changed on the disk.
      try replay.finish()
      try judgeEnd(scanner, file: path, start)
      try tidy(settingAside: halfMade)
      if let file {
        return try finish(file, scanner, image.bytes, needsConfirmation: walk.lastFrameHasRecords, report)
      }
      return try goOn(behind: scanner, report)
    }
    preconditionFailure("the last segment ends the loop")
  }

  /// Begins to read a segment; a packed one is read as a whole.
  ///
  /// - Parameter file: the current segment; nil for another one, which may lie anywhere.
  /// - Returns: the file that is read.
  private func begin(
    _ number: UInt64, _ file: (any StorageFile)?, into image: inout SegmentImage, hashing: Bool
  ) throws -> FilePath {
    if let file {
      try image.begin(file, limit: FormatLimits.segmentByteCountMaximum)
      return directory.segment(number)
    }
    let (place, file) = try directory.open(number)
    if place.form == .plain {
      // Closed when the image lets go of it.
      try image.begin(file, limit: FormatLimits.segmentReadByteCountMaximum)
    } else {
      defer { file.close() }
      try directory.load(file, place.path, place.form, into: &image, hashing: hashing)
    }
    return place.path
  }

  private func beginJournal() throws -> Outcome {
    let epoch = epoch ?? 1
    let tail = try SegmentLog.begin(
      after: nil, chainHash: .zero, nextPosition: 1, epoch: epoch, directory: directory, configuration: configuration,
      preallocator: preallocator)
    var report = RecoveryReport(currentFile: directory.segment(1))
    report.segments = 1
    return Outcome(tail: tail, report: report, lastPosition: 0, needsConfirmation: false, epoch: epoch)
  }

  private func replayFrames(
    _ scanner: inout SegmentScanner, _ image: inout SegmentImage, _ path: FilePath, _ walk: inout SegmentWalk,
    _ start: inout StartingPointSearch, _ report: inout RecoveryReport, _ replay: some ReplayTaker
  ) throws {
    let bytes = image.bytes
    var offset = scanner.offset
    do {
      while true {
        try image.read(through: scanner.offset + FormatLimits.frameReadByteCountMaximum)
        guard let frame = try scanner.next() else { break }
        offset = frame.offset
        walk.lastFrameHasRecords = !frame.header.isEmpty
        report.frames += 1
        if try start.isBefore(frame, file: path) { continue }
        // Their plain bytes may be referred to.
        for held in start.takeHeld() { try replay.pass(held, in: bytes) }
        try replay.take(frame, in: bytes)
        report.records += UInt64(frame.header.recordCount)
        configuration.replayProgress?.reached(segment: report.segments, records: report.records)
        offset = frame.endOffset
      }
    } catch let error as FormatError {
      throw JournalError(error, file: path, offset: offset)
    }
  }

  /// Whether a journal that ends so may be gone on with. Until then nothing is changed on the disk.
  private func judgeEnd(_ scanner: SegmentScanner, file: FilePath, _ start: StartingPointSearch) throws(JournalError) {
    if case .damaged = scanner.verdict() {
      throw .damaged(file: file, offset: scanner.offset, reason: .frameDamaged)
    }
    if let epoch, scanner.header.epoch > epoch {
      throw .epochFell(file: file, from: scanner.header.epoch, to: epoch)
    }
    try start.requireReached(end: scanner.nextPosition - 1)
    try start.leave(file: file)
  }

  /// Clears away what crashes left behind.
  ///
  /// - Parameter halfMade: the number of a last segment that holds nothing.
  private func tidy(settingAside halfMade: UInt64?) throws {
    try directory.removeLeftovers()
    guard let halfMade else { return }
    let path = directory.segment(halfMade)
    try directory.storage.rename(path, to: directory.unusedCut(path, offset: 0))
    try directory.storage.synchronizeDirectory(directory.path)
  }

  /// Cuts what was torn at the end of the last segment, and goes on to a new segment after a seal.
  private func finish(
    _ file: any StorageFile, _ scanner: SegmentScanner, _ bytes: UnsafeRawBufferPointer, needsConfirmation: Bool,
    _ report: RecoveryReport
  ) throws -> Outcome {
    var report = report
    if case .torn(let range) = scanner.verdict() {
      let side = try directory.unusedCut(directory.segment(scanner.header.number), offset: range.lowerBound)
      try directory.keepAside(UnsafeRawBufferPointer(rebasing: bytes[range]), in: side)
      try file.writeZeros(range)
      report.cutByteCount = range.count
      report.cutFile = side
    }
    // What a killed process had written may still be on its way to the disk. It has been replayed, so it must get
    // there.
    try file.synchronize()

    if scanner.isSealed {
      file.close()
      return try goOn(behind: scanner, report)
    }
    preallocator.prepare()
    let tail = RecoveredTail(
      file: file, header: scanner.header, seed: scanner.checksumSeed, offset: scanner.offset,
      chainHash: scanner.chainHash)
    return Outcome(
      tail: tail, report: report, lastPosition: scanner.nextPosition - 1, needsConfirmation: needsConfirmation,
      epoch: epoch ?? scanner.header.epoch)
  }

  /// Makes the segment behind a sealed one.
  private func goOn(behind scanner: SegmentScanner, _ report: RecoveryReport) throws -> Outcome {
    var report = report
    let epoch = epoch ?? scanner.header.epoch
    let tail = try SegmentLog.begin(
      after: scanner.header, chainHash: scanner.chainHash, nextPosition: scanner.nextPosition, epoch: epoch,
      directory: directory, configuration: configuration, preallocator: preallocator)
    report.currentFile = directory.segment(tail.header.number)
    // The seal has confirmed everything.
    return Outcome(
      tail: tail, report: report, lastPosition: scanner.nextPosition - 1, needsConfirmation: false, epoch: epoch)
  }
}
