package import EngineKit

/// Why a token proves nothing.
package enum TokenFlaw: Error, Equatable {
  case malformed, tooLong
  /// `alg` is `none`.
  case unsigned
  /// No key here is for its `alg`; whether one could be.
  case algorithm(isSupported: Bool)
  /// No key here has its `kid`.
  case unknownKey
  case signature
  /// A header that has to be understood, and is not. Spec: RFC 7515, 4.1.11.
  case criticalHeader
  /// It has no `exp`: it could never be told to be old.
  case endless
  /// Seconds.
  case expired(Int64), notYetValid(Int64), issuedInFuture(Int64)
  case issuer, audience
  /// There is no such claim, or it is no text and no whole number.
  case noUser
  /// The claim is no user key.
  case unusableUser
  case revoked
  /// No key could be read yet: it may be good.
  case noKeys

  /// Whether a key that we do not have may have signed it: the signer may have others by now.
  package var mayBeByNewKey: Bool {
    switch self {
    case .unknownKey, .noKeys, .algorithm(isSupported: true): true
    default: false
    }
  }

  /// For metrics.
  package var name: String {
    switch self {
    case .malformed: "malformed"
    case .tooLong: "too_long"
    case .unsigned: "unsigned"
    case .algorithm: "algorithm"
    case .unknownKey: "unknown_key"
    case .signature: "signature"
    case .criticalHeader: "critical_header"
    case .endless: "endless"
    case .expired: "expired"
    case .notYetValid: "not_yet_valid"
    case .issuedInFuture: "issued_in_future"
    case .issuer: "issuer"
    case .audience: "audience"
    case .noUser: "no_user"
    case .unusableUser: "unusable_user"
    case .revoked: "revoked"
    case .noKeys: "no_keys"
    }
  }

  /// Behind "The token proves nobody: ".
  package var words: String {
    switch self {
    case .malformed: "it is no signed JWT"
    case .tooLong: "it is too long"
    case .unsigned: "it is not signed"
    case .algorithm: "it is signed by an algorithm that no key here is for"
    case .unknownKey: "its key is not known"
    case .signature: "its signature is wrong"
    case .criticalHeader: "it has a critical header that is not understood"
    case .endless: "it has no exp"
    case .expired: "it has expired"
    case .notYetValid: "it is not valid yet"
    case .issuedInFuture: "it was issued in the future"
    case .issuer: "another issuer made it"
    case .audience: "it is meant for somebody else"
    case .noUser: "it names no user"
    case .unusableUser: "what it names cannot be a user key"
    case .revoked: "it was revoked"
    case .noKeys: "no keys could be read yet"
    }
  }

  /// What an operator needs beside the kind: how far two clocks are apart, maybe.
  package var detail: String? {
    switch self {
    case .expired(let seconds): "\(seconds) s ago; is a clock wrong?"
    case .notYetValid(let seconds), .issuedInFuture(let seconds): "in \(seconds) s; is a clock wrong?"
    default: nil
    }
  }

  package var kind: SecurityLog.Kind { SecurityLog.Kind("token_\(name)", "a user's token was refused: \(words)") }
}
