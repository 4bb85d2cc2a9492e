/// Why the token file cannot be read or changed.
public struct TokenStoreError: Error, Sendable, Equatable, CustomStringConvertible {
  public enum Code: String, Sendable {
    /// The file system refuses; the message names the call and its error.
    case storage
    /// The file is not what this program writes. Nothing is changed, and no token of it is good.
    case malformed
    /// A name is empty, longer than 64 bytes, or has characters that cannot be printed.
    case invalidName
    /// A sender's id or project is malformed, or is missing, or belongs to no such role.
    case invalidSender
    /// A service's name is malformed, or there are too many, or the role has nothing to do with services.
    case invalidServices
    /// The role has no part in the console, so that there is no link for it.
    case invalidRole
    /// There is a usable token of this name already, or somebody is signed in by it without one.
    case nameTaken
    /// No usable token has this id or name.
    case unknownToken
    /// There are too many tokens in the file.
    case limitReached
  }

  public let code: Code
  public let message: String

  package init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  public var description: String { message }
}
