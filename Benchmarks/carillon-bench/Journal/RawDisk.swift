/// What the disk itself does: one write and one sync after another into a file of zeros, with the bytes of real frames.
struct RawDisk {
  private let file: ZeroFile

  init(in directory: WorkDirectory) throws { file = try ZeroFile(in: directory) }

  /// - Parameters:
  ///   - frames: bytes as a journal holds them.
  ///   - frameBytes: how many of them make one write.
  func measure(_ frames: [UInt8], frameBytes: Int, for duration: Duration) throws -> Appenders.Outcome {
    let start = ContinuousClock.now
    var writes = 0
    var source = 0
    while ContinuousClock.now - start < duration {
      if source + frameBytes > frames.count { source = 0 }
      guard file.append(frames[source..<(source + frameBytes)]) else { throw BenchError("cannot write \(file.path)") }
      source += frameBytes
      writes += 1
    }
    return Appenders.Outcome(events: writes, seconds: (ContinuousClock.now - start).inSeconds)
  }
}
