import EventSourcing
import HTTPKit
import JSONEnvelope
import TextEncoding

/// Judges what a provider has signed of somebody. Spec: OpenID Connect Core 1.0, 3.1.3.7 and 3.1.3.8.
struct IDTokenReader: Sendable {
  /// Why it proves nothing.
  enum Flaw: Error, Equatable {
    case token(TokenFlaw)
    /// It has no `iat`.
    case undated
    /// It was made for another sign-in.
    case nonce
    /// It is for several, and was given to another of them.
    case authorizedParty
    /// It was made beside another access token.
    case accessToken
    case noSubject

    /// See `TokenFlaw.mayBeByNewKey`.
    var mayBeByNewKey: Bool {
      if case .token(let flaw) = self { flaw.mayBeByNewKey } else { false }
    }

    /// For metrics.
    var name: String {
      switch self {
      case .token(let flaw): "token_\(flaw.name)"
      case .undated: "token_undated"
      case .nonce: "token_nonce"
      case .authorizedParty: "token_party"
      case .accessToken: "token_access_token"
      case .noSubject: "token_no_subject"
      }
    }

    /// Behind "the id_token proves nobody: ".
    var words: String {
      switch self {
      case .token(let flaw): flaw.words + (flaw.detail.map { ", \($0)" } ?? "")
      case .undated: "it has no iat"
      case .nonce: "its nonce is not the one of this sign-in"
      case .authorizedParty: "its azp is somebody else"
      case .accessToken: "its at_hash is not that of the access token"
      case .noSubject: "its sub is missing or too long"
      }
    }
  }

  let issuer: String
  let clientID: String
  let clockSkew: Duration

  /// - Parameters:
  ///   - access: the access token that came beside it.
  /// - Returns: its claims, which then hold.
  func claims(
    of token: String, beside access: String?, nonce: String, keys: [VerificationKey], now: Timestamp
  ) throws(Flaw) -> JSONObject {
    let (signed, issuedAt): (SignedToken, Timestamp?)
    do throws(TokenFlaw) {
      signed = try SignedToken(token, keys: keys, takesSecrets: false)
      guard signed.claims["iss"]?.string == issuer else { throw .issuer }
      guard signed.audiences.contains(clientID) else { throw .audience }
      issuedAt = try signed.times(now: now, skew: clockSkew).issuedAt
    } catch {
      throw .token(error)
    }
    guard issuedAt != nil else { throw .undated }
    try judge(signed.claims, signed.audiences, nonce)
    if let hash = signed.claims["at_hash"], !hash.isNull {
      guard let access, hash.string == signed.algorithm.leftHalfOfHash(of: access) else {
        throw .accessToken
      }
    }
    return signed.claims
  }

  private func judge(_ claims: JSONObject, _ audiences: [String], _ nonce: String) throws(Flaw) {
    guard let given = claims["nonce"]?.string, ConstantTime.equal(given, nonce) else { throw .nonce }
    if let party = claims["azp"], !party.isNull {
      guard party.string == clientID else { throw .authorizedParty }
    } else if audiences.count > 1 {
      throw .authorizedParty
    }
    guard let subject = claims["sub"]?.string, Self.subjectBytes.contains(subject.utf8.count) else { throw .noSubject }
  }

  /// Spec: OpenID Connect Core 1.0, 2.
  private static let subjectBytes = 1...255
}
