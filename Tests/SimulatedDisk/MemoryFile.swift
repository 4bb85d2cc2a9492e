import Journal
import Synchronization
import SystemPackage

/// An open file of a `MemoryDisk`.
final class MemoryFile: StorageFile {
  private let disk: MemoryDisk
  private let inode: Inode
  private let path: FilePath
  private let isWritable: Bool

  init(_ disk: MemoryDisk, _ inode: Inode, _ path: FilePath, isWritable: Bool) {
    self.disk = disk
    self.inode = inode
    self.path = path
    self.isWritable = isWritable
  }

  func size() throws(StorageError) -> Int {
    let call = try begin(.size)
    let size = disk.state.withLock { _ in inode.size }
    try disk.probe.pass(.after, call)
    return size
  }

  func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(StorageError) -> Int {
    let call = try begin(.read)
    let target = Borrowed(bytes: UnsafeRawBufferPointer(buffer))
    let count = disk.state.withLock { _ in
      inode.read(into: UnsafeMutableRawBufferPointer(mutating: target.bytes), at: offset)
    }
    try disk.probe.pass(.after, call)
    return count
  }

  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int, durably: Bool) throws(StorageError) -> Int {
    guard isWritable else { throw StorageError(.badFileDescriptor, .write, path) }
    let (call, fault) = try disk.probe.begin(.write, kind, path)
    var bytes = UnsafeRawBufferPointer(rebasing: bytes[..<min(bytes.count, disk.writeByteCountMaximum)])
    switch fault {
    case .fail(let errno):
      // A disk that fails may have taken a part; one that is full, or was interrupted, has not.
      if errno == .ioError { _ = place(UnsafeRawBufferPointer(rebasing: bytes[..<(bytes.count / 2)]), at: offset) }
      throw StorageError(errno, .write, path)
    case .shortWrite:
      bytes = UnsafeRawBufferPointer(rebasing: bytes[..<((bytes.count + 1) / 2)])
    case nil:
      break
    }
    var count = 0
    if disk.probe.hasHook {
      count = place(UnsafeRawBufferPointer(rebasing: bytes[..<(bytes.count / 2)]), at: offset)
      try disk.probe.pass(.half, call)
    }
    if count == 0 || count == bytes.count / 2 {
      count += place(UnsafeRawBufferPointer(rebasing: bytes[count...]), at: offset + count)
    }
    guard count > 0 || bytes.isEmpty else { throw StorageError(.noSpace, .write, path) }
    try disk.probe.pass(.written, call)
    if durably {
      let range = offset..<(offset + count)
      disk.state.withLock { state in
        if !state.isLying { inode.becameDurable(range) }
      }
    }
    try disk.probe.pass(.after, call)
    return count
  }

  func synchronize() throws(StorageError) {
    let (call, fault) = try disk.probe.begin(.synchronize, kind, path)
    if case .fail(let errno) = fault {
      disk.state.withLock { _ in inode.synchronizeFailed() }
      throw StorageError(errno, .synchronize, path)
    }
    disk.state.withLock { state in
      if !state.isLying { inode.synchronize() }
    }
    try disk.probe.pass(.after, call)
  }

  func close() {}

  private func begin(_ operation: StorageError.Operation) throws(StorageError) -> StorageCall {
    let (call, fault) = try disk.probe.begin(operation, kind, path)
    if case .fail(let errno) = fault { throw StorageError(errno, operation, path) }
    return call
  }

  private var kind: String { disk.state.withLock { _ in inode.kind } }

  /// Writes what there is room for.
  private func place(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> Int {
    let source = Borrowed(bytes: bytes)
    return disk.state.withLock { state in
      let bytes = source.bytes
      let growth = max(0, offset + bytes.count - inode.size)
      let missing = inode.linkCount > 0 ? max(0, growth - max(0, state.capacity - state.usedByteCount)) : 0
      let count = max(0, bytes.count - missing)
      let before = inode.size
      inode.write(UnsafeRawBufferPointer(rebasing: bytes[..<count]), at: offset)
      if inode.linkCount > 0 { state.usedByteCount += inode.size - before }
      return count
    }
  }
}

/// Lets a buffer into the critical section. Safe to send: it is used inside that one call only.
private struct Borrowed: @unchecked Sendable {
  let bytes: UnsafeRawBufferPointer
}
