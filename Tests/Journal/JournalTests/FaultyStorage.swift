import Journal
import Synchronization
import SystemPackage

/// A disk in memory that fails when it is told to, and can be copied at any moment like a disk after a crash.
final class FaultyStorage: JournalStorage {
  /// What goes wrong; counts down calls since it was set.
  struct Faults {
    /// The n-th durable write or sync from now on fails, and all after it.
    var failDurableAfter: Int?
    var failure = Errno.ioError
    /// One call writes at most so many bytes.
    var writeByteCountMaximum = Int.max
    /// Bytes that all files together may have.
    var capacity = Int.max
    /// Durable writes wait at this gate while it is closed.
    var gate: Gate?
    /// Durable writes that were tried.
    var durableWriteCount = 0
    /// The n-th call of any kind from now on fails, and all after it: a write leaves half of its bytes.
    var failCallAfter: Int?
    /// Those after it succeed again.
    var failsOneCallOnly = false
    /// Calls that were made.
    var callCount = 0
  }

  struct State {
    var files: [String: Contents] = [:]
    var faults = Faults()
    var locked: Set<String> = []
    var directories: Set<String> = [""]
  }

  /// The bytes of one file; every access is made under the storage's mutex.
  final class Contents: @unchecked Sendable {
    var bytes: [UInt8]
    init(_ bytes: [UInt8]) { self.bytes = bytes }
  }

  let state = Mutex(State())

  init() {}

  init(files: [String: [UInt8]]) {
    state.withLock { state in
      state.files = files.mapValues { Contents($0) }
      for name in files.keys { state.directories.insert(Self.parent(name)) }
    }
  }

  func set(_ change: (inout Faults) -> Void) { state.withLock { change(&$0.faults) } }

  /// All files as a crash now would leave them, by name below `/journal`, or by whole path.
  var files: [String: [UInt8]] {
    get { state.withLock { $0.files.mapValues { $0.bytes } } }
  }

  func crashed() -> FaultyStorage { FaultyStorage(files: files) }

  /// Puts a file there, whoever wrote it.
  func put(_ bytes: [UInt8], at path: FilePath) {
    state.withLock { state in
      state.files[name(path)] = Contents(bytes)
      state.directories.insert(Self.parent(name(path)))
    }
  }

  func update(_ name: String, _ change: (inout [UInt8]) -> Void) {
    state.withLock { state in
      if let contents = state.files[name] { change(&contents.bytes) }
    }
  }

  func createDirectory(_ path: FilePath) throws(StorageError) {
    try call(.createDirectory, path) { _ = $0.directories.insert(name(path)) }
  }

  func list(_ directory: FilePath) throws(StorageError) -> [String] {
    let parent = name(directory)
    let names = try call(.list, directory) { state in
      state.directories.contains(parent)
        ? state.files.keys.filter { Self.parent($0) == parent }.map { String($0.split(separator: "/").last ?? "") }
        : nil
    }
    guard let names else { throw StorageError(.noSuchFileOrDirectory, .list, directory) }
    return names
  }

  func open(_ path: FilePath, _ mode: StorageOpenMode) throws(StorageError) -> any StorageFile {
    let name = name(path)
    let contents = try call(.open, path) { state -> Contents? in
      if mode == .create, state.directories.contains(Self.parent(name)) { state.files[name] = Contents([]) }
      return state.files[name]
    }
    guard let contents else { throw StorageError(.noSuchFileOrDirectory, .open, path) }
    return FaultyFile(self, contents, path)
  }

  func rename(_ from: FilePath, to: FilePath) throws(StorageError) {
    try call(.rename, from) { $0.files[name(to)] = $0.files.removeValue(forKey: name(from)) }
  }

  func remove(_ path: FilePath) throws(StorageError) { try call(.remove, path) { $0.files[name(path)] = nil } }

  func synchronizeDirectory(_ path: FilePath) throws(StorageError) { try call(.synchronizeDirectory, path) { _ in } }

  /// Counts a call, which may be the one that fails.
  func call<Result>(
    _ operation: StorageError.Operation, _ path: FilePath, _ body: (inout State) -> Result
  ) throws(StorageError) -> Result {
    let result = state.withLock { state in state.faults.nextCall() ? body(&state) : nil }
    guard let result else { throw StorageError(.ioError, operation, path) }
    return result
  }

  func lock(_ path: FilePath) throws(StorageError) -> any StorageLock {
    guard state.withLock({ $0.locked.insert(name(path)).inserted }) else {
      throw StorageError(.wouldBlock, .lock, path)
    }
    return FaultyLock(self, name(path))
  }

  private func name(_ path: FilePath) -> String {
    var below = path
    return below.removePrefix(TestJournal.directory) ? below.string : path.string
  }

  private static func parent(_ name: String) -> String { FilePath(name).removingLastComponent().string }

  final class FaultyLock: StorageLock {
    let storage: FaultyStorage
    let name: String
    init(_ storage: FaultyStorage, _ name: String) {
      self.storage = storage
      self.name = name
    }
    func release() { storage.state.withLock { _ = $0.locked.remove(name) } }
  }
}

/// A file of such a disk.
final class FaultyFile: StorageFile {
  let storage: FaultyStorage
  let contents: FaultyStorage.Contents
  let path: FilePath

  init(_ storage: FaultyStorage, _ contents: FaultyStorage.Contents, _ path: FilePath) {
    self.storage = storage
    self.contents = contents
    self.path = path
  }

  func size() throws(StorageError) -> Int { storage.state.withLock { _ in contents.bytes.count } }

  func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(StorageError) -> Int {
    try storage.call(.read, path) { _ in
      let count = max(0, min(buffer.count, contents.bytes.count - offset))
      guard count > 0 else { return 0 }
      contents.bytes.withUnsafeBytes {
        buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[offset..<(offset + count)]))
      }
      return count
    }
  }

  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int, durably: Bool) throws(StorageError) -> Int {
    if durably { try passGate() }
    let result = storage.state.withLock { state -> Result<Int, Errno> in
      if durably { state.faults.durableWriteCount += 1 }
      if durably, let failure = state.faults.nextDurable() { return .failure(failure) }
      let isCut = !state.faults.nextCall()
      let count = isCut ? bytes.count / 2 : min(bytes.count, state.faults.writeByteCountMaximum)
      let growth = max(0, offset + count - contents.bytes.count)
      let total = state.files.values.reduce(0) { $0 + $1.bytes.count }
      guard total + growth <= state.faults.capacity else { return .failure(.noSpace) }
      contents.bytes.append(contentsOf: [UInt8](repeating: 0, count: growth))
      contents.bytes.withUnsafeMutableBytes {
        UnsafeMutableRawBufferPointer(rebasing: $0[offset..<(offset + count)])
          .copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[..<count]))
      }
      return isCut ? .failure(.ioError) : .success(count)
    }
    return try result.mapError { StorageError($0, .write, path) }.get()
  }

  func synchronize() throws(StorageError) {
    let failure = try storage.call(.synchronize, path) { $0.faults.nextDurable() }
    if let failure { throw StorageError(failure, .synchronize, path) }
  }

  func close() {}

  private func passGate() throws(StorageError) {
    storage.state.withLock { $0.faults.gate }?.pass()
  }
}

extension FaultyStorage.Faults {
  /// False if this call fails.
  mutating func nextCall() -> Bool {
    callCount += 1
    guard let left = failCallAfter else { return true }
    failCallAfter = left > 0 ? left - 1 : failsOneCallOnly ? nil : 0
    return left > 0
  }

  mutating func nextDurable() -> Errno? {
    guard let left = failDurableAfter else { return nil }
    if left > 0 {
      failDurableAfter = left - 1
      return nil
    }
    return failure
  }
}
