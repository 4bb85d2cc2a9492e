/// Why bytes are not what a primary of this version sends. Holds nothing of them, so it may be logged.
public enum StandbyWireError: Error, Sendable, Equatable {
  /// The primary speaks another version of the wire.
  case version(UInt64)
  case unknownMessage(UInt8)
  /// A length beyond `StandbyLimits.payloadByteCountMaximum`.
  case tooLong
  case checksum
  /// A payload with a right checksum that is not a message of its kind.
  case malformed
  /// A stream that does not begin with `hello`, or says it again.
  case outOfOrder
  /// A manifest, an acknowledgement or a refusal that is not JSON of its form.
  case document
}

extension StandbyWireError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .version(let version): "version \(version) of the standby's wire, which this program does not speak"
    case .unknownMessage(let kind): "a message of the unknown kind \(kind)"
    case .tooLong: "a message that is too long"
    case .checksum: "a message with a wrong checksum"
    case .malformed: "a malformed message"
    case .outOfOrder: "a message that is not due here"
    case .document: "a document that is not of its form"
    }
  }
}
