internal import Glibc
public import SystemPackage

/// The local file system.
public struct DiskStorage: JournalStorage {
  public init() {}

  public func createDirectory(_ path: FilePath) throws(StorageError) {
    var made = FilePath()
    made.root = path.root
    for component in path.components {
      made.append(component)
      guard made.withPlatformString({ mkdir($0, 0o750) }) == 0 else {
        guard errno == EEXIST else { throw StorageError(last(), .createDirectory, made) }
        continue
      }
      // All that will be synced in it is worth nothing if a loss of power takes the directory itself.
      let above = made.removingLastComponent()
      try synchronizeDirectory(above.isEmpty ? "." : above)
    }
  }

  public func roomLeft(in directory: FilePath) -> UInt64? {
    var status = statvfs()
    guard directory.withPlatformString({ statvfs($0, &status) }) == 0 else { return nil }
    return UInt64(status.f_bavail) * UInt64(status.f_frsize)
  }

  public func list(_ directory: FilePath) throws(StorageError) -> [String] {
    guard let stream = directory.withPlatformString({ opendir($0) }) else {
      throw StorageError(last(), .list, directory)
    }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) { String(cString: $0) }
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names
  }

  public func open(_ path: FilePath, _ mode: StorageOpenMode) throws(StorageError) -> any StorageFile {
    let flags =
      switch mode {
      case .read: O_RDONLY
      case .readWrite: O_RDWR
      case .create: O_RDWR | O_CREAT | O_TRUNC
      }
    let file = try descriptor(path, flags, .open)
    guard mode != .read else { return DiskFile(file, durable: -1, path) }
    do {
      return DiskFile(file, durable: try descriptor(path, O_WRONLY | O_DSYNC, .open), path)
    } catch {
      _ = Glibc.close(file)
      throw error
    }
  }

  public func rename(_ from: FilePath, to: FilePath) throws(StorageError) {
    let result = from.withPlatformString { old in to.withPlatformString { new in Glibc.rename(old, new) } }
    guard result == 0 else { throw StorageError(last(), .rename, from) }
  }

  public func remove(_ path: FilePath) throws(StorageError) {
    guard path.withPlatformString({ unlink($0) }) == 0 || errno == ENOENT else {
      throw StorageError(last(), .remove, path)
    }
  }

  public func synchronizeDirectory(_ path: FilePath) throws(StorageError) {
    let directory = try descriptor(path, O_RDONLY | O_DIRECTORY, .synchronizeDirectory)
    defer { _ = Glibc.close(directory) }
    guard fsync(directory) == 0 else { throw StorageError(last(), .synchronizeDirectory, path) }
  }

  public func lock(_ path: FilePath) throws(StorageError) -> any StorageLock {
    let file = try descriptor(path, O_RDWR | O_CREAT, .lock)
    // The lock belongs to this open file, not to the process: a second writer in the same process is refused too.
    guard flock(file, LOCK_EX | LOCK_NB) == 0 else {
      let reason = last()
      _ = Glibc.close(file)
      throw StorageError(reason, .lock, path)
    }
    return DiskLock(file)
  }

  private func descriptor(
    _ path: FilePath, _ flags: Int32, _ operation: StorageError.Operation
  ) throws(StorageError) -> Int32 {
    while true {
      let result = path.withPlatformString { Glibc.open($0, flags | O_CLOEXEC, 0o640) }
      if result >= 0 { return result }
      guard errno == EINTR else { throw StorageError(last(), operation, path) }
    }
  }
}

/// What the last call into the C library failed with.
func last() -> Errno { Errno(rawValue: errno) }

/// A `flock` on an open file.
final class DiskLock: StorageLock {
  private let descriptor: Int32

  init(_ descriptor: Int32) { self.descriptor = descriptor }

  func release() {
    // The descriptor stays open until the last reference goes, so that its number cannot be reused under us.
    _ = flock(descriptor, LOCK_UN)
  }

  deinit { _ = Glibc.close(descriptor) }
}
