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
  private struct State {
    var writer: CopyWriter?
    /// Belongs to the process as long as it lives.
    var lock: (any StorageLock)?
    var epoch: JournalEpoch?
    var files: FollowedFiles
    /// Versions of the journal's files in the new copy; nil if none is made.
    var copyVersions: [String: String]?
    var unsavedCount = 0
  }

  private let data: FilePath
  let journal: FilePath
  private let storage: any JournalStorage
  private let protect: @Sendable (FilePath) throws(StorageError) -> Void
  private let clock: @Sendable () -> Int64
  private let growing = NIOThreadPool(numberOfThreads: 1)
  private let keeping = NIOThreadPool(numberOfThreads: 1)
  private let state: Mutex<State>

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
        state.epoch = epoch
        if let files = known.flatMap({ FollowedFiles(document: $0) }) { state.files = files }
      }
      return try open(journal)
    }
  }

  /// Closes files and gives the lock back.
  func close() async {
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

  private func open(_ directory: FilePath) throws(JournalError) -> FollowedJournal {
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

  // MARK: The journal that grows

  /// Makes ready for the stream: what was not whole is forgotten, after an error the journal is opened anew.
  func rewind() async throws(JournalError) -> CopyEnd? {
    try await run(on: growing) { [self] () throws(JournalError) in
      if let writer = state.withLock({ $0.writer }), (try? writer.rewind()) != nil { return writer.end }
      let isCopying = state.withLock { $0.copyVersions != nil }
      return try open(isCopying ? journal.appending("copy") : journal).end
    }
  }

  /// Writes pieces of the stream, and syncs them if it is said to.
  ///
  /// - Returns: the end of what is on the disk, if it was synced and there is a segment.
  func grow(
    _ pieces: [(place: StandbyPlace, bytes: [UInt8])], synchronizing: Bool
  ) async throws(CopyError) -> CopyEnd? {
    let result: Result<CopyEnd?, CopyError>
    do throws(JournalError) {
      result = try await run(on: growing) { [self] () throws(JournalError) in
        guard let writer = state.withLock({ $0.writer }) else { throw .closed }
        return Result { () throws(CopyError) in
          for piece in pieces {
            let taken = piece.bytes.withUnsafeBytes { bytes in
              Result { () throws(CopyError) in
                try writer.receive(bytes, segment: piece.place.segment, offset: piece.place.offset)
              }
            }
            try taken.get()
          }
          return synchronizing ? try writer.synchronize() : nil
        }
      }
    } catch {
      throw .journal(error)
    }
    return try result.get()
  }

  /// The end of what is on the disk.
  var durableEnd: CopyEnd? { state.withLock { $0.writer }?.durableEnd }

  // MARK: A new copy

  /// - Parameter isFresh: what was copied before is thrown away.
  func beginCopy(isFresh: Bool) async throws(JournalError) {
    try await run(on: growing) { [self] () throws(JournalError) in
      let exchange = CopyExchange(directory: journal, storage: storage)
      guard isFresh || state.withLock({ $0.copyVersions == nil }) else { return }
      state.withLock { $0.writer }?.close()
      try Self.attempt { () throws(StorageError) in
        try exchange.discard()
        try storage.createDirectory(exchange.copy)
      }
      state.withLock { $0.copyVersions = [:] }
      _ = try open(exchange.copy)
    }
  }

  /// Puts the new copy, which is whole and synced, in the place of the old one.
  func exchange() async throws(JournalError) -> FollowedJournal {
    try await run(on: growing) { [self] () throws(JournalError) in
      let exchange = CopyExchange(directory: journal, storage: storage)
      state.withLock { $0.writer }?.close()
      try Self.attempt { () throws(StorageError) in
        try exchange.begin(at: clock())
        _ = try exchange.finish()
      }
      state.withLock { state in
        state.files.exchangeJournal(for: state.copyVersions ?? [:])
        state.copyVersions = nil
      }
      try save()
      return try open(journal)
    }
  }

  // MARK: Files

  private func path(_ place: StandbyPath) -> FilePath {
    let isCopied = place.isOfJournal && state.withLock { $0.copyVersions != nil }
    // The paths are a closed list, none of which leaves the directory.
    let relative = FilePath(isCopied ? "journal/copy/" + place.text.dropFirst("journal/".count) : place.text)
    return data.pushing(relative)
  }

  func has(_ file: StandbyFile) -> Bool {
    state.withLock { state in
      guard file.place.isOfJournal, let versions = state.copyVersions else { return state.files.has(file) }
      return versions[file.path] == file.version
    }
  }

  /// Begins to copy a file.
  func begin(_ file: StandbyFile) async throws(JournalError) -> FileCopy {
    let path = path(file.place)
    return try await run(on: keeping) { [self] () throws(JournalError) in
      try Self.attempt { () throws(StorageError) in
        try FileCopy(path, byteCount: file.byteCount, storage: storage) { path throws(StorageError) in
          if file.place.isSecret { try protect(path) }
        }
      }
    }
  }

  func append(_ bytes: [UInt8], to copy: FileCopy) async throws(JournalError) {
    try await run(on: keeping) { () throws(JournalError) in
      let result = bytes.withUnsafeBytes { bytes in
        Result { () throws(JournalError) in try Self.attempt { () throws(StorageError) in try copy.append(bytes) } }
      }
      try result.get()
    }
  }

  /// All of a file has come: it is synced, and stays under its name for the time being.
  func synchronize(_ copy: FileCopy) async throws(JournalError) {
    try await run(on: keeping) { () throws(JournalError) in
      try Self.attempt { () throws(StorageError) in try copy.synchronize() }
    }
  }

  func discard(_ copy: FileCopy) async throws(JournalError) {
    try await run(on: keeping) { () throws(JournalError) in
      try Self.attempt { () throws(StorageError) in try copy.discard() }
    }
  }

  /// Gives a file that was synced its place.
  func install(_ copy: FileCopy, _ file: StandbyFile) async throws(JournalError) {
    try await run(on: keeping) { [self] () throws(JournalError) in
      try Self.attempt { () throws(StorageError) in try copy.install() }
      try note(file)
    }
  }

  /// Gives a segment its place, if it is the one that belongs there.
  ///
  /// - Parameter end: where the copy ends, if this segment continues it.
  func install(
    _ copy: FileCopy, _ segment: StandbyManifest.Segment, after end: CopyEnd?
  ) async throws(JournalError) -> CopyEnd {
    try await run(on: keeping) { [self] () throws(JournalError) in
      let directory = state.withLock { $0.copyVersions != nil } ? journal.appending("copy") : journal
      let end = try SegmentInstallation(directory: directory, storage: storage).install(
        copy, number: segment.number, id: segment.id, after: end)
      try note(segment.file)
      return end
    }
  }

  /// The journal grows behind segments that were installed.
  func reopen() async throws(JournalError) -> CopyEnd? {
    try await run(on: growing) { [self] () throws(JournalError) in
      let isCopying = state.withLock { $0.copyVersions != nil }
      return try open(isCopying ? journal.appending("copy") : journal).end
    }
  }

  /// What is here and not in a manifest any more, with its version.
  func gone(from manifest: StandbyManifest) -> [String: String] { state.withLock { $0.files.gone(from: manifest) } }

  /// Removes files that the primary has not got any more, unless they have come again since, and segments that it does
  /// not keep.
  func remove(_ gone: [String: String], and manifest: StandbyManifest) async throws(JournalError) {
    try await run(on: keeping) { [self] () throws(JournalError) in
      for (text, version) in gone.sorted(by: { $0.key < $1.key }) {
        guard let place = StandbyPath(text), state.withLock({ $0.files.versions[text] == version }) else { continue }
        let path = path(place)
        try Self.attempt { () throws(StorageError) in
          try storage.remove(path)
          try storage.synchronizeDirectory(path.removingLastComponent())
        }
        state.withLock { $0.files.versions[text] = nil }
      }
      if let oldest = manifest.segments.map(\.number).min() {
        try SegmentInstallation(directory: journal, storage: storage).remove(before: oldest)
      }
      state.withLock { $0.files.forgetSegments(notIn: manifest) }
      try save()
    }
  }

  /// Writes down which versions there are.
  func saveVersions() async throws(JournalError) {
    try await run(on: keeping) { [self] () throws(JournalError) in try save() }
  }

  private func note(_ file: StandbyFile) throws(JournalError) {
    let isDue = state.withLock { state in
      if file.place.isOfJournal, state.copyVersions != nil {
        state.copyVersions?[file.path] = file.version
        return false
      }
      state.files.versions[file.path] = file.version
      state.unsavedCount += 1
      // Written as a whole each time: rarer the more there are.
      return state.unsavedCount > 64 + state.files.versions.count / 8
    }
    if isDue { try save() }
  }

  private func save() throws(JournalError) {
    let document = state.withLock { state in
      state.unsavedCount = 0
      return state.files.document
    }
    try replace(FollowedFiles.fileName, document)
  }

  // MARK: Small files of its own

  func write(status: [UInt8]) async throws(JournalError) {
    try await run(on: keeping) { [self] () throws(JournalError) in try replace(FollowerStatus.fileName, status) }
  }

  private func replace(_ name: String, _ bytes: [UInt8]) throws(JournalError) {
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
  static func read(_ path: FilePath, atMost maximum: Int, _ storage: any JournalStorage) throws(StorageError) -> [UInt8]? {
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

  private func run<Value: Sendable>(
    on thread: NIOThreadPool, _ body: @escaping @Sendable () throws(JournalError) -> Value
  ) async throws(JournalError) -> Value {
    let result: Result<Value, JournalError>
    do {
      result = try await thread.runIfActive { Result { () throws(JournalError) in try body() } }
    } catch {
      // It is stopped, and so are we.
      throw .closed
    }
    return try result.get()
  }

  private static func attempt<Value>(
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
