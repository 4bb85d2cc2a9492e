/// What is wrong with the header of a file. All of ours begin with a magic, a version and their own length, and end with
/// a checksum.
enum HeaderFault: Error {
  case foreignMagic
  case damaged
  case newerVersion(UInt32)
}

extension UnsafeMutableRawBufferPointer {
  /// Writes what all headers have around the fields of their own, which are there already.
  /// - Returns: the checksum.
  func closeHeader(magic: [UInt8], version: UInt32) -> UInt32 {
    copyBytes(from: magic)
    store(version, little: 8)
    store(UInt32(count), little: 12)
    let checksum = UnsafeRawBufferPointer(rebasing: self[..<(count - 4)]).checksum(seed: 0)
    store(checksum, little: count - 4)
    return checksum
  }
}

extension UnsafeRawBufferPointer {
  /// Judges the first `byteCount` bytes, which must be there; nil if nothing is wrong so far.
  func headerFault(magic: [UInt8], version: UInt32, byteCount: Int) -> HeaderFault? {
    let isWhole = slice(0..<(byteCount - 4)).checksum(seed: 0) == little(byteCount - 4, as: UInt32.self)
    // A flipped bit in magic or version must not send the operator looking for another program.
    guard isWhole || starts(with: magic) else { return .foreignMagic }
    guard isWhole else { return .damaged }
    guard starts(with: magic) else { return .foreignMagic }
    let found = little(8, as: UInt32.self)
    guard found <= version else { return .newerVersion(found) }
    return found == version && little(12, as: UInt32.self) == UInt32(byteCount) ? nil : .damaged
  }
}

extension FormatError {
  init(_ fault: HeaderFault) {
    self =
      switch fault {
      case .foreignMagic: .foreignMagic
      case .damaged: .headerDamaged
      case .newerVersion(let version): .newerVersion(version)
      }
  }
}

extension SnapshotFormatError {
  init(_ fault: HeaderFault) {
    self =
      switch fault {
      case .foreignMagic: .foreignMagic
      case .damaged: .damaged(offset: 0)
      case .newerVersion(let version): .newerVersion(version)
      }
  }
}
