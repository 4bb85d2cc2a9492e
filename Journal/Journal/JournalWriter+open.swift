public import JournalFormat
public import SystemPackage

extension JournalWriter {
  /// Opens or makes the journal in `directory`, handing every record behind the configuration's starting point to
  /// `replay` first.
  ///
  /// Blocks; call it before the server listens.
  /// - Parameters:
  ///   - deliver: takes the waiters of a commit together; without it each is called by itself.
  ///   - onFatal: see `FatalHandler`.
  /// - Throws: `JournalError`, or what `replay` throws. Nothing was changed if the journal itself is what is wrong.
  public static func open(
    directory: FilePath, configuration: JournalConfiguration = JournalConfiguration(),
    storage: any JournalStorage = DiskStorage(), deliver: Delivery? = nil, onFatal: @escaping FatalHandler,
    replay: (borrowing RecordView) throws -> Void
  ) throws -> (writer: JournalWriter, report: RecoveryReport) {
    // The reading ends before this call does.
    return try withoutActuallyEscaping(replay) { replay in
      try open(directory, configuration, storage, deliver, onFatal, InlineReplay(replay))
    }
  }

  /// Replays records: those of them that are its share, if there are several.
  public typealias Replay = @Sendable (borrowing RecordView) throws -> Void

  /// As the other `open`, by several threads: each of `replays` is handed every record, in order, on a thread of its
  /// own, and looks which are its share.
  ///
  /// - Throws: as the other; of several records with which something is wrong, the first one counts. Those behind it
  ///   may have been handed on as well.
  public static func open(
    directory: FilePath, configuration: JournalConfiguration = JournalConfiguration(),
    storage: any JournalStorage = DiskStorage(), deliver: Delivery? = nil, onFatal: @escaping FatalHandler,
    replays: [Replay]
  ) throws -> (writer: JournalWriter, report: RecoveryReport) {
    guard replays.count > 1, !configuration.isStepped else {
      return try open(
        directory: directory, configuration: configuration, storage: storage, deliver: deliver, onFatal: onFatal
      ) { record in
        for replay in replays { try replay(record) }
      }
    }
    return try open(directory, configuration, storage, deliver, onFatal, ReplayCrew(replays))
  }

  private static func open(
    _ directory: FilePath, _ configuration: JournalConfiguration, _ storage: any JournalStorage, _ deliver: Delivery?,
    _ onFatal: @escaping FatalHandler, _ replay: some ReplayTaker
  ) throws -> (writer: JournalWriter, report: RecoveryReport) {
    guard FormatLimits.isValidSegmentByteCount(configuration.segmentByteCount) else {
      throw JournalError.configuration(
        "segments are a multiple of 4096 bytes, at least \(FormatLimits.segmentByteCountMinimum), "
          + "at most \(FormatLimits.segmentByteCountMaximum)")
    }
    do {
      return try start(directory, configuration, storage, deliver ?? callEach, onFatal, replay)
    } catch let error as StorageError {
      throw error.isDiskFull ? JournalError.storageFull : JournalError.storage(error)
    }
  }

  private static func start(
    _ path: FilePath, _ configuration: JournalConfiguration, _ storage: any JournalStorage,
    _ deliver: @escaping Delivery, _ onFatal: @escaping FatalHandler, _ replay: some ReplayTaker
  ) throws -> (writer: JournalWriter, report: RecoveryReport) {
    let began = ContinuousClock.now
    let directory = JournalDirectory(path: path, archive: configuration.archiveDirectory, storage: storage)
    try storage.createDirectory(path)
    let lock = try directory.claim()
    let preallocator = SegmentPreallocator(
      directory: directory, byteCount: configuration.segmentByteCount, isStepped: configuration.isStepped)
    do {
      // Before anything is read or changed: whoever was relieved does not even cut a torn end.
      let epoch = try EpochStore(directory).epochToWrite()
      try preallocator.start()
      let recovery = Recovery(
        directory: directory, configuration: configuration, preallocator: preallocator, epoch: epoch)
      var outcome = try recovery.run(replay)
      if !configuration.isStepped { outcome.report.duration = ContinuousClock.now - began }
      let log = SegmentLog(
        directory: directory, configuration: configuration, preallocator: preallocator, directoryLock: lock,
        tail: outcome.tail, epoch: outcome.epoch)
      if try log.beginEpoch(nextPosition: outcome.lastPosition + 1) {
        outcome.report.currentFile = directory.segment(log.segmentNumber)
        // The seal has confirmed everything.
        outcome.needsConfirmation = false
      }
      let pipeline = CommitPipeline(
        lastPosition: outcome.lastPosition, needsConfirmation: outcome.needsConfirmation)
      let writer = try JournalWriter(
        configuration: configuration, log: log, pipeline: pipeline, deliver: deliver, onFatal: onFatal)
      return (writer, outcome.report)
    } catch {
      preallocator.stop()
      lock.release()
      throw error
    }
  }

  private static let callEach: Delivery = { waiters, position in
    for waiter in waiters {
      if let position { waiter.becameDurable(position: position) } else { waiter.wasLost() }
    }
  }
}
