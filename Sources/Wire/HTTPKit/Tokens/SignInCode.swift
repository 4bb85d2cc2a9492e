package import EventSourcing
import JSONEnvelope
import TextEncoding

/// The code of a one-time link to the console: signs the holder of a token in, once and soon. Only its hash is kept.
package struct SignInCode: Sendable, Equatable {
  /// SHA-256 of the code.
  package let digest: [UInt8]
  /// Of the token whose holder it signs in.
  package let tokenID: String
  package let expiresAt: Timestamp

  package init(digest: [UInt8], tokenID: String, expiresAt: Timestamp) {
    self.digest = digest
    self.tokenID = tokenID
    self.expiresAt = expiresAt
  }

  /// Nil if a member is missing or malformed.
  init?(_ value: JSONValue) {
    guard let digest = value["sha256"]?.string.flatMap({ Hexadecimal.decode($0) }), digest.count == 32,
      let tokenID = value["token"]?.string, let milliseconds = value["expiresAt"]?.integer
    else { return nil }
    self.init(digest: digest, tokenID: tokenID, expiresAt: Timestamp(milliseconds: Int64(milliseconds)))
  }

  func write(into object: inout JSONObjectWriter) {
    object.member("sha256", Hexadecimal.encode(digest))
    object.member("token", tokenID)
    object.member("expiresAt", Int(clamping: expiresAt.milliseconds))
  }
}
