internal import Journal
internal import JournalFormat
internal import NIOPosix
internal import StandbyWire
internal import Synchronization
internal import SystemPackage

/// The data directory of a standby: all that is written there, by two threads of its own.
///
/// One makes the journal grow; the other has all else. They meet at no file: what grows is the last segment, and that is
/// not touched by the other.
final class FollowerDisk: Sendable {
  struct State {
    var writer: CopyWriter?
    /// Belongs to the process as long as it lives.
    var lock: (any StorageLock)?
    /// The directory is a standby's, and we have it: only then is anything written.
    var isOurs = false
    var epoch: JournalEpoch?
    var files: FollowedFiles
    /// Versions of the journal's files in the new copy; nil if none is made.
    var copyVersions: [String: String]?
    var unsavedCount = 0
  }

  let data: FilePath
  let journal: FilePath
  let storage: any JournalStorage
  let protect: @Sendable (FilePath) throws(StorageError) -> Void
  let clock: @Sendable () -> Int64
  let growing = NIOThreadPool(numberOfThreads: 1)
  let keeping = NIOThreadPool(numberOfThreads: 1)
  let state: Mutex<State>

  /// - Parameters:
  ///   - data: the data directory.
  ///   - name: if the directory has none yet.
  ///   - protect: makes a file its owner's alone.
  ///   - clock: milliseconds since 1970.
  init(
    _ data: FilePath, name: StandbyName, storage: any JournalStorage,
    protect: @escaping @Sendable (FilePath) throws(StorageError) -> Void, clock: @escaping @Sendable () -> Int64
  ) {
    self.data = data
    journal = data.appending("journal")
    self.storage = storage
    self.protect = protect
    self.clock = clock
    state = Mutex(State(files: FollowedFiles(name: name)))
    growing.start()
    keeping.start()
  }

  // MARK: Beginning and end

  /// Takes the directory's lock and looks at what it holds; a directory that may not follow is not changed.
  func start() async throws(JournalError) -> FollowedJournal {
    try await run(on: growing) { [self] () throws(JournalError) in
      let lock = try Self.attempt { () throws(StorageError) in
        try storage.createDirectory(journal)
        return try storage.lock(journal.appending("LOCK"))
      }
      state.withLock { $0.lock = lock }
      let epoch = try EpochStore(directory: journal, storage: storage).read()
      let isEmpty = try JournalReader(directory: journal, storage: storage).segmentCount() == 0
      guard epoch?.role == .standby || (epoch == nil && isEmpty) else {
        return FollowedJournal(
          segments: [], epoch: epoch ?? JournalEpoch(role: .primary, own: 1, told: 1))
      }
      let known = try Self.attempt { () throws(StorageError) in
        let exchange = CopyExchange(directory: journal, storage: storage)
        _ = try exchange.finish()
        try exchange.discard()
        return try read(FollowedFiles.fileName, atMost: FollowerLimits.followedBytesMaximum)
      }
      state.withLock { state in
        state.isOurs = true
        state.epoch = epoch
        if let files = known.flatMap({ FollowedFiles(document: $0) }) { state.files = files }
      }
      try Self.attempt { () throws(StorageError) in try clear() }
      return try open(journal)
    }
  }

  /// Writes down what is here, closes files and gives the lock back.
  func close() async {
    if state.withLock({ $0.isOurs && $0.unsavedCount > 0 }) { try? await saveVersions() }
    _ = try? await run(on: growing) { [self] () throws(JournalError) in
      state.withLock { state in
        state.writer?.close()
        state.writer = nil
      }
    }
    try? await growing.shutdownGracefully()
    try? await keeping.shutdownGracefully()
    state.withLock { $0.lock?.release() }
  }

  func open(_ directory: FilePath) throws(JournalError) -> FollowedJournal {
    state.withLock { $0.writer }?.close()
    let writer = try CopyWriter(directory: directory, storage: storage)
    return state.withLock { state in
      state.writer = writer
      return FollowedJournal(segments: writer.segments, end: writer.end, epoch: state.epoch)
    }
  }

  // MARK: Who we are

  /// As requests say it.
  var caller: PrimaryCaller {
    state.withLock { PrimaryCaller(name: $0.files.name, epoch: $0.epoch?.told ?? 0) }
  }

  /// Writes down that the directory follows a primary of that epoch, before anything else of it is written.
  func follow(epoch: UInt32) async throws(JournalError) {
    try await run(on: growing) { [self] () throws(JournalError) in
      let known = state.withLock { $0.epoch }
      let new = JournalEpoch(role: .standby, own: epoch, told: max(epoch, known?.told ?? epoch))
      guard known != new else { return }
      try EpochStore(directory: journal, storage: storage).write(new)
      state.withLock { $0.epoch = new }
    }
  }

  // MARK: Small files of its own

  func write(status: [UInt8]) async throws(JournalError) {
    guard state.withLock({ $0.isOurs }) else { return }
    try await run(on: keeping) { [self] () throws(JournalError) in try replace(FollowerStatus.fileName, status) }
  }

  func replace(_ name: String, _ bytes: [UInt8]) throws(JournalError) {
    try Self.attempt { () throws(StorageError) in
      let copy = try FileCopy(journal.appending(name), byteCount: bytes.count, storage: storage)
      let written = bytes.withUnsafeBytes { bytes in Result { () throws(StorageError) in try copy.append(bytes) } }
      try written.get()
      try copy.synchronize()
      try copy.install()
    }
  }

  private func read(_ name: String, atMost maximum: Int) throws(StorageError) -> [UInt8]? {
    try Self.read(journal.appending(name), atMost: maximum, storage)
  }

  /// - Returns: nil if it is not there, or longer.
  static func read(_ path: FilePath, atMost maximum: Int, _ storage: any JournalStorage) throws(StorageError)
    -> [UInt8]?
  {
    guard let file = try storage.openIfThere(path) else { return nil }
    defer { file.close() }
    let size = try file.size()
    guard size <= maximum else { return nil }
    var bytes = [UInt8](repeating: 0, count: size)
    let read = bytes.withUnsafeMutableBytes { buffer in
      Result { () throws(StorageError) in try file.readAll(into: buffer, at: 0) }
    }
    return try read.get() == size ? bytes : nil
  }

  // MARK: Threads

  func run<Value: Sendable>(
    on thread: NIOThreadPool, _ body: @escaping @Sendable () throws(JournalError) -> Value
  ) async throws(JournalError) -> Value {
    // Not NIO's own `runIfActive`: whoever is cancelled still closes its files and writes its last status.
    let result: Result<Value, JournalError> = await withCheckedContinuation { continuation in
      thread.submit { state in
        switch state {
        case .active: continuation.resume(returning: Result { () throws(JournalError) in try body() })
        case .cancelled: continuation.resume(returning: .failure(.closed))
        }
      }
    }
    return try result.get()
  }

  static func attempt<Value>(
    _ body: () throws(StorageError) -> Value
  ) throws(JournalError) -> Value {
    do throws(StorageError) {
      return try body()
    } catch {
      if error.operation == .lock, error.errno == .wouldBlock {
        throw .locked(directory: error.path.removingLastComponent())
      }
      throw error.isDiskFull ? .storageFull : .storage(error)
    }
  }
}
