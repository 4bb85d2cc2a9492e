/// Why bytes are not a snapshot of format 1.
public enum SnapshotFormatError: Error, Sendable, Hashable {
  /// The file does not begin like a snapshot.
  case foreignMagic
  /// Written by a newer version of Carillon.
  case newerVersion(UInt32)
  /// The end is not there: the file was copied half, or written half.
  case incomplete
  /// A checksum, a length or a field at this offset of the file is wrong.
  case damaged(offset: Int)
}
