import Crypto
import HTTPKit
import JSONEnvelope
import TextEncoding

/// What a sender of Web Push messages shows: a signed token, and the key that signed it. Spec: RFC 8292.
struct VAPIDAuthorization {
  enum Failure: Error, Equatable {
    /// A scheme or a token that we cannot read: 401.
    case malformed
    /// Signed by somebody else, for somebody else, or not for now: 403.
    case rejected(String)
  }

  private let signedText: String
  private let signature: [UInt8]
  private let claims: JSONValue
  private let key: P256.Signing.PublicKey

  /// The key as browsers and tokens spell it: Base64 for URLs, without padding.
  var publicKey: String { Base64.encodeForURL(key.x963Representation) }

  /// - Parameters:
  ///   - authorization: `vapid t=TOKEN, k=KEY`, or the older `WebPush TOKEN`.
  ///   - cryptoKey: the header `Crypto-Key`; `p256ecdsa` in it is the key of the older form.
  init(authorization: String, cryptoKey: String?) throws(Failure) {
    let scheme = authorization.prefix { $0 != " " }.lowercased()
    let rest = authorization.dropFirst(scheme.count).drop { $0 == " " }
    let token: String?
    let point: String?
    switch scheme {
    case "vapid":
      let parameters = HeaderParameters(rest)
      (token, point) = (parameters["t"], parameters["k"])
    case "webpush", "bearer":
      (token, point) = (String(rest), cryptoKey.flatMap { HeaderParameters($0)["p256ecdsa"] })
    default: throw .malformed
    }
    guard let token, token.utf8.count <= EdgeLimits.vapidTokenBytesMaximum, let point,
      let bytes = Base64.decode(point), let key = try? P256.Signing.PublicKey(x963Representation: bytes)
    else { throw .malformed }
    let parts = token.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3, let header = Self.json(parts[0]), header["alg"]?.string == "ES256",
      let claims = Self.json(parts[1]), let signature = Base64.decode(parts[2])
    else { throw .malformed }
    self.key = key
    self.claims = claims
    self.signature = signature
    signedText = "\(parts[0]).\(parts[1])"
  }

  /// - Parameters:
  ///   - origins: what the token may be made for.
  ///   - now: seconds since the beginning of 1970.
  func verify(origins: Set<String>, now: Int64) throws(Failure) {
    let audiences = claims["aud"]?.array?.compactMap(\.string) ?? [claims["aud"]?.string].compactMap { $0 }
    guard audiences.contains(where: { origins.contains(Self.normalized($0)) }) else {
      throw .rejected("aud is not the origin of this service")
    }
    guard let end = claims["exp"]?.double else { throw .rejected("exp is missing") }
    guard end > Double(now - EdgeLimits.vapidClockSkew) else { throw .rejected("the token has expired") }
    guard end <= Double(now + EdgeLimits.vapidLifeMaximum + EdgeLimits.vapidClockSkew) else {
      throw .rejected("exp is more than 24 hours ahead")
    }
    guard let signature = try? P256.Signing.ECDSASignature(rawRepresentation: signature),
      key.isValidSignature(signature, for: Array(signedText.utf8))
    else { throw .rejected("the signature is not that of the key") }
  }

  /// An origin as it is compared.
  static func normalized(_ origin: String) -> String { PublicAddress.withoutSlash(origin.lowercased()) }

  private static func json(_ part: Substring) -> JSONValue? {
    Base64.decode(part).flatMap { try? JSONValue(parsing: $0, limits: JSONLimits(depthMaximum: 4)) }
  }
}

/// `name=value` pairs of a header, with commas or semicolons between; the first of a name counts.
struct HeaderParameters {
  private var values: [String: String] = [:]

  init(_ text: some StringProtocol) {
    for part in text.split(whereSeparator: { $0 == "," || $0 == ";" }) {
      guard let equals = part.firstIndex(of: "=") else { continue }
      let name = String(part[..<equals].filter { $0 != " " }).lowercased()
      let value = MediaType.unquoted(String(part[part.index(after: equals)...].filter { $0 != " " }))
      if values[name] == nil { values[name] = value }
    }
  }

  subscript(name: String) -> String? { values[name] }
}
