public import Journal
import Synchronization
public import SystemPackage

/// A disk in memory that knows what is durable, can lose its power, and fails when it is told to.
///
/// ```
///  write ──> written ──synchronize, durable write──> durable          (for each sector)
///  create, rename, remove ──synchronizeDirectory──> durable           (for each entry)
///
///  crash()      what is written                 kill -9: the system keeps its pages
///  powerLoss()  what is durable, and any part of the rest, in any order, some of it garbled
/// ```
/// `createDirectory` and `lock` files are durable at once. Everything is drawn from seeds: the same calls and seeds
/// give the same disk. A fresh file of zeros takes no memory.
public final class MemoryDisk: JournalStorage {
  struct State {
    var directories: Set<String> = ["/"]
    /// What programs see.
    var entries: [String: Inode] = [:]
    /// What a loss of power certainly leaves.
    var durableEntries: [String: Inode] = [:]
    var pendingChanges: [EntryChange] = []
    var changeGroup = 0
    var locked: Set<String> = []
    var usedByteCount = 0
    var capacity = Int.max
    var writeByteCountMaximum = Int.max
    var isLying = false
  }

  /// A change of a directory that was not synced; those of one group (a rename) happen together or not at all.
  struct EntryChange {
    var directory: String
    var name: String
    /// Nil: the entry goes.
    var inode: Inode?
    var group: Int
  }

  /// 512 or 4096: what survives a loss of power, survives by sectors.
  public let sectorByteCount: Int
  let state = Mutex(State())
  let probe = StorageProbe()

  public init(sectorByteCount: Int = 512) {
    precondition(sectorByteCount == 512 || sectorByteCount == 4096, "disks have sectors of 512 or 4096 bytes")
    self.sectorByteCount = sectorByteCount
  }

  // MARK: JournalStorage

  public func createDirectory(_ path: FilePath) throws(StorageError) {
    let call = try begin(.createDirectory, FileKind.of(directory: path), path)
    state.withLock { state in
      var path = path
      while !path.components.isEmpty {
        state.directories.insert(path.string)
        path.removeLastComponent()
      }
    }
    try probe.pass(.after, call)
  }

  public func list(_ directory: FilePath) throws(StorageError) -> [String] {
    let call = try begin(.list, FileKind.of(directory: directory), directory)
    let names = state.withLock { state -> [String]? in
      guard state.directories.contains(directory.string) else { return nil }
      let prefix = directory.string.hasSuffix("/") ? directory.string : directory.string + "/"
      var names: [String] = []
      for path in [Array(state.entries.keys), Array(state.directories)].joined() {
        guard path.utf8.count > prefix.utf8.count, path.hasPrefix(prefix) else { continue }
        let name = path.dropFirst(prefix.count)
        if !name.utf8.contains(UInt8(ascii: "/")) { names.append(String(name)) }
      }
      return names.sorted()
    }
    guard let names else { throw StorageError(.noSuchFileOrDirectory, .list, directory) }
    try probe.pass(.after, call)
    return names
  }

  public func open(_ path: FilePath, _ mode: StorageOpenMode) throws(StorageError) -> any StorageFile {
    let call = try begin(.open, FileKind.of(file: path), path)
    let inode = state.withLock { $0.open(path, mode, sectorByteCount) }
    guard let inode else { throw StorageError(.noSuchFileOrDirectory, .open, path) }
    try probe.pass(.after, call)
    return MemoryFile(self, inode, path, isWritable: mode != .read)
  }

  public func rename(_ from: FilePath, to: FilePath) throws(StorageError) {
    let call = try begin(.rename, FileKind.of(file: from), from)
    guard state.withLock({ $0.rename(from, to) }) else { throw StorageError(.noSuchFileOrDirectory, .rename, from) }
    try probe.pass(.after, call)
  }

  public func remove(_ path: FilePath) throws(StorageError) {
    let call = try begin(.remove, FileKind.of(file: path), path)
    state.withLock { $0.remove(path) }
    try probe.pass(.after, call)
  }

  public func synchronizeDirectory(_ path: FilePath) throws(StorageError) {
    let call = try begin(.synchronizeDirectory, FileKind.of(directory: path), path)
    let exists = state.withLock { state in
      guard state.directories.contains(path.string) else { return false }
      if !state.isLying { state.synchronize(directory: path.string) }
      return true
    }
    guard exists else { throw StorageError(.noSuchFileOrDirectory, .synchronizeDirectory, path) }
    try probe.pass(.after, call)
  }

  public func lock(_ path: FilePath) throws(StorageError) -> any StorageLock {
    let call = try begin(.lock, FileKind.of(file: path), path)
    let isFree = state.withLock { state in
      if state.entries[path.string] == nil {
        let inode = Inode(sectorByteCount: sectorByteCount)
        state.entries[path.string] = inode
        state.durableEntries[path.string] = inode
      }
      return state.locked.insert(path.string).inserted
    }
    guard isFree else { throw StorageError(.wouldBlock, .lock, path) }
    try probe.pass(.after, call)
    return MemoryLock(self, path.string)
  }

  /// For every call but writes and syncs of files, which fail in their own ways.
  private func begin(
    _ operation: StorageError.Operation, _ kind: String, _ path: FilePath
  ) throws(StorageError) -> StorageCall {
    let (call, fault) = try probe.begin(operation, kind, path)
    if case .fail(let errno) = fault { throw StorageError(errno, operation, path) }
    return call
  }
}

/// A lock on such a disk.
final class MemoryLock: StorageLock {
  private let disk: MemoryDisk
  private let name: String

  init(_ disk: MemoryDisk, _ name: String) {
    self.disk = disk
    self.name = name
  }

  func release() { disk.state.withLock { _ = $0.locked.remove(name) } }
}
