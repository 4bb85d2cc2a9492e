import Glibc
public import Journal
import Synchronization
public import SystemPackage

/// A place in a program's dealings with the disk where it is to die.
public struct CrashPoint: Sendable, Hashable {
  public enum Moment: String, Sendable, CaseIterable {
    case before
    /// Writes: half of the bytes are written. Other calls have no middle: as `before`.
    case middle
    case after
  }

  /// As `StorageCall.name`.
  public var name: String
  public var moment: Moment
  /// Counts the calls of that name from 1.
  public var occurrence: Int

  public init(_ name: String, _ moment: Moment, occurrence: Int = 1) {
    self.name = name
    self.moment = moment
    self.occurrence = occurrence
  }
}

/// A storage that passes every call on, counts it by name, and at one of them ends the process as `kill -9` does.
public final class CrashPointStorage: JournalStorage {
  fileprivate let base: any JournalStorage
  fileprivate let point: CrashPoint?
  fileprivate let probe = StorageProbe()
  fileprivate let strike: @Sendable () -> Void
  /// By path: who has a file open that is renamed writes to it by its new name.
  private let names = Mutex<[FilePath: FileName]>([:])

  /// - Parameters:
  ///   - point: nil only counts.
  ///   - strike: what happens at the point; not expected to return.
  public init(
    _ base: any JournalStorage = DiskStorage(), at point: CrashPoint?,
    strike: @escaping @Sendable () -> Void = CrashPointStorage.killSelf
  ) {
    self.base = base
    self.point = point
    self.strike = strike
  }

  /// `SIGKILL` to this process: nothing is flushed, nobody is told.
  public static let killSelf: @Sendable () -> Void = { _ = kill(getpid(), SIGKILL) }

  /// Calls so far, by name.
  public var callCounts: [String: Int] { probe.callCounts }

  public func createDirectory(_ path: FilePath) throws(StorageError) {
    let call = try begin(.createDirectory, FileKind.of(directory: path), path)
    try base.createDirectory(path)
    end(call)
  }

  public func list(_ directory: FilePath) throws(StorageError) -> [String] { try base.list(directory) }

  public func open(_ path: FilePath, _ mode: StorageOpenMode) throws(StorageError) -> any StorageFile {
    guard mode != .read else { return try base.open(path, mode) }
    let kind = FileKind.of(file: path)
    let call = try begin(.open, kind, path)
    let file = try base.open(path, mode)
    end(call)
    let name = names.withLock { names in
      let name = names[path] ?? FileName(path)
      names[path] = name
      return name
    }
    return CrashPointFile(file, name, self)
  }

  public func rename(_ from: FilePath, to: FilePath) throws(StorageError) {
    let call = try begin(.rename, FileKind.of(file: from), from)
    try base.rename(from, to: to)
    names.withLock { names in
      let name = names.removeValue(forKey: from)
      name?.become(to)
      names[to] = name
    }
    end(call)
  }

  public func remove(_ path: FilePath) throws(StorageError) {
    let call = try begin(.remove, FileKind.of(file: path), path)
    try base.remove(path)
    names.withLock { _ = $0.removeValue(forKey: path) }
    end(call)
  }

  public func synchronizeDirectory(_ path: FilePath) throws(StorageError) {
    let call = try begin(.synchronizeDirectory, FileKind.of(directory: path), path)
    try base.synchronizeDirectory(path)
    end(call)
  }

  public func lock(_ path: FilePath) throws(StorageError) -> any StorageLock { try base.lock(path) }

  fileprivate func begin(
    _ operation: StorageError.Operation, _ kind: String, _ path: FilePath
  ) throws(StorageError) -> StorageCall {
    let (call, _) = try probe.begin(operation, kind, path)
    if isDue(call, .before) || (operation != .write && isDue(call, .middle)) { strike() }
    return call
  }

  fileprivate func isDue(_ call: StorageCall, _ moment: CrashPoint.Moment) -> Bool {
    guard let point else { return false }
    return point.moment == moment && point.occurrence == call.occurrence && point.name == call.name
  }

  fileprivate func end(_ call: StorageCall) {
    if isDue(call, .after) { strike() }
  }
}

private final class CrashPointFile: StorageFile {
  private let base: any StorageFile
  private let name: FileName
  private let storage: CrashPointStorage

  init(_ base: any StorageFile, _ name: FileName, _ storage: CrashPointStorage) {
    self.base = base
    self.name = name
    self.storage = storage
  }

  func size() throws(StorageError) -> Int { try base.size() }

  func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(StorageError) -> Int {
    try base.read(into: buffer, at: offset)
  }

  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int, durably: Bool) throws(StorageError) -> Int {
    let call = try storage.begin(.write, name.kind, name.path)
    if storage.isDue(call, .middle) {
      _ = try base.write(UnsafeRawBufferPointer(rebasing: bytes[..<(bytes.count / 2)]), at: offset, durably: false)
      storage.strike()
    }
    let count = try base.write(bytes, at: offset, durably: durably)
    storage.end(call)
    return count
  }

  func synchronize() throws(StorageError) {
    let call = try storage.begin(.synchronize, name.kind, name.path)
    try base.synchronize()
    storage.end(call)
  }

  func close() { base.close() }
}

/// The name that a file has now.
private final class FileName: Sendable {
  private let state: Mutex<(path: FilePath, kind: String)>

  init(_ path: FilePath) { state = Mutex((path, FileKind.of(file: path))) }

  var path: FilePath { state.withLock { $0.path } }
  var kind: String { state.withLock { $0.kind } }

  func become(_ path: FilePath) { state.withLock { $0 = (path, FileKind.of(file: path)) } }
}
