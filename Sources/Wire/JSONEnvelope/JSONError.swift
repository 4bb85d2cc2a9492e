/// Why a text is not JSON, or not JSON that we take. Holds nothing of the text, so it may be logged and sent.
public struct JSONError: Error, Sendable, Equatable, CustomStringConvertible {
  public enum Reason: String, Sendable, CaseIterable {
    case unexpectedEnd = "the text ends too early"
    case unexpectedByte = "unexpected character"
    case trailingBytes = "more text after the value"
    case wrongKind = "a value of another kind is expected here"
    case controlCharacter = "control character in a string"
    case invalidEscape = "unknown escape in a string"
    case loneSurrogate = "half of a surrogate pair"
    case invalidUTF8 = "not UTF-8"
    case invalidNumber = "malformed number"
    case numberTooLong = "number too long"
    case numberOutOfRange = "number out of range"
    case tooDeep = "nested too deeply"
    case tooLong = "text too long"
  }

  public let reason: Reason
  /// Where it was noticed: bytes from the start of the text.
  public let offset: Int

  public init(_ reason: Reason, at offset: Int) {
    self.reason = reason
    self.offset = offset
  }

  /// One line, fit for an error body.
  public var description: String { "\(reason.rawValue) at byte \(offset)" }
}
