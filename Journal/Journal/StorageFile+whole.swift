internal import SystemPackage

extension StorageFile {
  /// Writes all of `bytes`, however many calls that takes.
  package func writeAll(_ bytes: UnsafeRawBufferPointer, at offset: Int, durably: Bool) throws(StorageError) {
    var done = 0
    while done < bytes.count {
      let written = try write(UnsafeRawBufferPointer(rebasing: bytes[done...]), at: offset + done, durably: durably)
      // A disk that takes nothing and reports nothing would keep the writer here for ever.
      guard written > 0 else { throw StorageError(.ioError, .write, "") }
      done += written
    }
  }

  /// Reads until `buffer` is full or the file ends, and returns how many bytes there were.
  package func readAll(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(StorageError) -> Int {
    var done = 0
    while done < buffer.count {
      let count = try read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[done...]), at: offset + done)
      if count == 0 { break }
      done += count
    }
    return done
  }

  /// Overwrites `range` with zeros, durably.
  func writeZeros(_ range: Range<Int>) throws(StorageError) {
    let zeros = [UInt8](repeating: 0, count: min(range.count, Limits.zeroChunkByteCount))
    var offset = range.lowerBound
    while offset < range.upperBound {
      let count = min(zeros.count, range.upperBound - offset)
      try writeArray(zeros, count: count, at: offset)
      offset += count
    }
    try synchronize()
  }

  /// Writes the first `count` of `bytes`.
  func writeArray(_ bytes: [UInt8], count: Int? = nil, at offset: Int, durably: Bool = false) throws(StorageError) {
    // `withUnsafeBytes` does not carry typed errors through, so the result does.
    let result = bytes.withUnsafeBytes { buffer -> Result<Void, StorageError> in
      let part = UnsafeRawBufferPointer(rebasing: buffer[..<(count ?? buffer.count)])
      return Result { () throws(StorageError) in try writeAll(part, at: offset, durably: durably) }
    }
    try result.get()
  }
}
