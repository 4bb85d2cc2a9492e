/// Why a client's bytes or stanzas end its connection.
public enum MCSViolation: String, Error, Sendable, CaseIterable {
  /// The first byte is no version of the protocol that is spoken here.
  case unknownVersion = "unknown-version"
  /// A frame begins with a number that stands for nothing.
  case unknownTag = "unknown-tag"
  /// The length takes more than five bytes.
  case endlessLength = "endless-length"
  /// The frame is longer than allowed.
  case tooLong = "too-long"
  /// The content is not what the tag says.
  case malformed = "malformed"
  /// The stanza has no business here, such as a message before the login.
  case unexpected = "unexpected-stanza"
  /// More before the login's answer than is kept.
  case impatient = "impatient"
}
