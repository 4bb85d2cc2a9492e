internal import Glibc
internal import Synchronization
internal import SystemPackage

/// A file of the local file system.
final class DiskFile: StorageFile {
  private let descriptor: Int32
  /// The same file opened with `O_DSYNC`: one call instead of `pwrite` and `fdatasync`, and the disk may then write
  /// through instead of flushing its whole cache. -1 in a file that is only read.
  private let durableDescriptor: Int32
  private let path: FilePath
  private let isClosed = Atomic(false)

  init(_ descriptor: Int32, durable: Int32, _ path: FilePath) {
    self.descriptor = descriptor
    durableDescriptor = durable
    self.path = path
  }

  deinit { close() }

  func size() throws(StorageError) -> Int {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw StorageError(last(), .size, path) }
    return Int(status.st_size)
  }

  func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(StorageError) -> Int {
    while true {
      let count = pread(descriptor, buffer.baseAddress, buffer.count, offset)
      if count >= 0 { return count }
      guard errno == EINTR else { throw StorageError(last(), .read, path) }
    }
  }

  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int, durably: Bool) throws(StorageError) -> Int {
    while true {
      let count = pwrite(durably ? durableDescriptor : descriptor, bytes.baseAddress, bytes.count, offset)
      if count >= 0 { return count }
      guard errno == EINTR else { throw StorageError(last(), .write, path) }
    }
  }

  func synchronize() throws(StorageError) {
    // Not repeated on EINTR either: whether a sync that did not succeed left anything dirty, nobody knows.
    guard fdatasync(descriptor) == 0 else { throw StorageError(last(), .synchronize, path) }
  }

  func close() {
    guard !isClosed.exchange(true, ordering: .relaxed) else { return }
    _ = Glibc.close(descriptor)
    if durableDescriptor >= 0 { _ = Glibc.close(durableDescriptor) }
  }
}
