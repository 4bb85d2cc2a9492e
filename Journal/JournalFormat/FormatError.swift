/// Why bytes are not a part of a journal of format 1.
public enum FormatError: Error, Sendable, Hashable {
  /// The file does not begin like a segment.
  case foreignMagic
  /// Written by a newer version of Carillon.
  case newerVersion(UInt32)
  /// Shorter than a segment header.
  case headerIncomplete
  /// The segment header's checksum or one of its fields is wrong.
  case headerDamaged
  /// The file ends before `byteCount`, the length that its header says.
  case fileIncomplete(byteCount: Int)
  /// A frame's checksum or one of its bounded fields is wrong.
  case frameDamaged
  /// A frame with a right checksum whose position does not follow.
  case frameOutOfOrder(expected: UInt64, found: UInt64)
  /// A frame with a right checksum of another epoch than its segment.
  case epochDiffers(expected: UInt32, found: UInt32)
  /// A frame that needs a restart point which is not there.
  case restartPointMissing
  /// A block that does not unpack to the length in the header.
  case blockDamaged
  /// Records that do not fill the plain length, or a field that does not fit.
  case recordDamaged(index: Int)
  /// The chain hash does not cover what stands here: something was changed.
  case chainBroken
}

extension FormatError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .foreignMagic: "not a journal segment"
    case .newerVersion(let version): "journal format \(version), newer than this program"
    case .headerIncomplete: "shorter than a segment header"
    case .headerDamaged: "the segment header is damaged"
    case .fileIncomplete(let count): "shorter than the \(count) bytes that its header says"
    case .frameDamaged: "a frame is damaged"
    case .frameOutOfOrder(let expected, let found): "a frame begins at position \(found) where \(expected) is due"
    case .epochDiffers(let expected, let found): "a frame of epoch \(found) in a segment of epoch \(expected)"
    case .restartPointMissing: "a frame refers to bytes that are not there"
    case .blockDamaged: "a block does not unpack"
    case .recordDamaged(let index): "record \(index) of a frame is damaged"
    case .chainBroken: "the hash chain is broken"
    }
  }
}
