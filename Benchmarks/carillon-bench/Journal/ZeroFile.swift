import Glibc

/// A file of zeros that are on the disk already, written over from its beginning whenever its end is reached: syncing such
/// a write costs least. Belongs to one thread at a time; goes away with its last owner.
final class ZeroFile {
  let path: String
  private let descriptor: Int32
  private let byteCount: Int
  private var offset = 0

  /// Makes the file and waits until its zeros are on the disk.
  init(in directory: WorkDirectory, byteCount: Int = 64 * 1_048_576) throws {
    path = directory.path + "/raw"
    self.byteCount = byteCount
    descriptor = open(path, O_RDWR | O_CREAT | O_TRUNC, 0o600)
    guard descriptor >= 0 else { throw BenchError("cannot make \(path)") }
    let zeros = [UInt8](repeating: 0, count: 1_048_576)
    for index in 0..<(byteCount / zeros.count) {
      guard pwrite(descriptor, zeros, zeros.count, index * zeros.count) == zeros.count else {
        throw BenchError("cannot fill \(path)")
      }
    }
    guard fdatasync(descriptor) == 0 else { throw BenchError("cannot sync \(path)") }
  }

  deinit {
    close(descriptor)
    unlink(path)
  }

  /// Writes and syncs. - Returns: false if the disk has refused.
  func append(_ bytes: ArraySlice<UInt8>) -> Bool {
    if offset + bytes.count > byteCount { offset = 0 }
    let written = bytes.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, offset) }
    offset += bytes.count
    return written == bytes.count && fdatasync(descriptor) == 0
  }
}
