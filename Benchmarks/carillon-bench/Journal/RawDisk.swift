import Glibc

/// What the disk itself does: one write and one sync after another into a file of zeros, with the bytes of real frames.
struct RawDisk: ~Copyable {
  private let descriptor: Int32
  private let path: String
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

  /// - Parameters:
  ///   - frames: bytes as a journal holds them.
  ///   - frameBytes: how many of them make one write.
  mutating func measure(_ frames: [UInt8], frameBytes: Int, for duration: Duration) throws -> Appenders.Outcome {
    let start = ContinuousClock.now
    var writes = 0
    var source = 0
    while ContinuousClock.now - start < duration {
      if offset + frameBytes > byteCount { offset = 0 }
      if source + frameBytes > frames.count { source = 0 }
      let written = frames.withUnsafeBytes { bytes in
        pwrite(descriptor, bytes.baseAddress.map { $0 + source }, frameBytes, offset)
      }
      guard written == frameBytes, fdatasync(descriptor) == 0 else { throw BenchError("cannot write \(path)") }
      offset += frameBytes
      source += frameBytes
      writes += 1
    }
    return Appenders.Outcome(events: writes, seconds: (ContinuousClock.now - start).inSeconds)
  }
}
