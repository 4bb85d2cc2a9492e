/// A secret that two parties sign with and nobody else knows.
public enum SharedSecret {
  /// Spec: RFC 7518, 3.2.
  public static let byteCounts = 32...1_024

  /// Why these bytes cannot be one; nil if they can.
  public static func objection(to bytes: [UInt8]) -> String? {
    // A public key is no secret: whoever reads it could sign with it.
    guard !String(decoding: bytes, as: UTF8.self).contains("-----BEGIN") else {
      return "the secret is a key in PEM: a public one is known to everybody, and no secret at all"
    }
    return byteCounts.contains(bytes.count)
      ? nil : "the secret has not \(byteCounts.lowerBound) to \(byteCounts.upperBound) bytes"
  }
}
