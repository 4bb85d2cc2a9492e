package import EventSourcing
package import JSONEnvelope
import TextEncoding

/// A JSON Web Token whose signature one of our keys has verified. What its claims mean is for others to judge.
/// Spec: RFC 7515, 5.2; RFC 7519, 7.2; RFC 8725.
package struct SignedToken: Sendable {
  package let claims: JSONObject
  /// Of the key that verified it.
  package let algorithm: VerificationKey.Algorithm

  /// - Parameter takesSecrets: whether a secret that both know may be the key: whoever has it could sign.
  package init(_ token: String, keys: [VerificationKey], takesSecrets: Bool = true) throws(TokenFlaw) {
    let parts = token.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3, let header = Self.object(parts[0]), let name = header["alg"]?.string,
      let signature = Base64.decode(parts[2])
    else { throw .malformed }
    guard name.lowercased() != "none", !signature.isEmpty else { throw .unsigned }
    guard header["crit"] == nil else { throw .criticalHeader }
    guard !keys.isEmpty else { throw .noKeys }
    // The header chooses among our keys; what each of them is for is not its to say.
    let algorithm = VerificationKey.Algorithm(rawValue: name)
    guard let algorithm, takesSecrets || algorithm != .hs256 else { throw .algorithm(isSupported: false) }
    let fitting = keys.filter { $0.algorithm == algorithm }
    guard !fitting.isEmpty else { throw .algorithm(isSupported: true) }
    let candidates: [VerificationKey]
    if let id = header["kid"]?.string {
      let named = fitting.filter { $0.id == id }
      candidates = named.isEmpty ? fitting.filter { $0.id == nil } : named
      guard !candidates.isEmpty else { throw .unknownKey }
    } else {
      candidates = fitting
    }
    let text = Array("\(parts[0]).\(parts[1])".utf8)
    guard candidates.contains(where: { $0.verifies(signature, of: text) }) else { throw .signature }
    guard let claims = Self.object(parts[1]) else { throw .malformed }
    self.claims = claims
    self.algorithm = algorithm
  }

  private static func object(_ part: Substring) -> JSONObject? {
    guard let bytes = Base64.decode(part) else { return nil }
    return (try? JSONValue(parsing: bytes))?.object
  }

  // MARK: Claims

  /// Whom it is meant for.
  package var audiences: [String] {
    claims["aud"]?.array?.compactMap(\.string) ?? claims["aud"]?.string.map { [$0] } ?? []
  }

  /// - Parameter skew: how far the signer's clock may be from ours.
  /// - Throws: if its time has not come, or is over.
  package func times(
    now: Timestamp, skew: Duration
  ) throws(TokenFlaw) -> (issuedAt: Timestamp?, expiresAt: Timestamp) {
    guard let expiresAt = try time("exp") else { throw .endless }
    if expiresAt.advanced(by: skew) <= now { throw .expired(Self.seconds(from: expiresAt, to: now)) }
    let latest = now.advanced(by: skew)
    if let start = try time("nbf"), start > latest { throw .notYetValid(Self.seconds(from: now, to: start)) }
    let issuedAt = try time("iat")
    if let issuedAt, issuedAt > latest { throw .issuedInFuture(Self.seconds(from: now, to: issuedAt)) }
    return (issuedAt, expiresAt)
  }

  /// Nil if it is absent.
  private func time(_ name: String) throws(TokenFlaw) -> Timestamp? {
    guard let claim = claims[name], !claim.isNull else { return nil }
    // What no calendar holds is no time.
    guard let seconds = claim.double, seconds.magnitude < 1e11 else { throw .malformed }
    return Timestamp(milliseconds: Int64((seconds * 1_000).rounded()))
  }

  private static func seconds(from start: Timestamp, to end: Timestamp) -> Int64 {
    (end.milliseconds - start.milliseconds) / 1_000
  }
}
