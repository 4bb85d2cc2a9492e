/// Why settings cannot be used; for the operator, in few words, without file contents or passwords.
public struct HTTP2ConfigurationError: Error, Sendable, Equatable, CustomStringConvertible {
  public enum Code: Sendable, Equatable {
    /// Not an absolute http(s) URL of a host, or cleartext where it was not allowed.
    case badURL
    /// A file is missing, cannot be read, or is larger than `Limits.fileBytesMaximum`.
    case fileUnreadable
    /// A file does not hold the certificates or the key that it should, or the password is wrong.
    case badCertificate
    /// A number that must be positive is not.
    case badLimit
  }

  public let code: Code
  public let reason: String
  public var description: String { reason }

  public init(_ code: Code, _ reason: String) {
    self.code = code
    self.reason = reason
  }
}
