internal import Crypto
internal import NIOSSL

/// Certificates of an operator's own authority, trusted beside the system's. Spec: providers 1.7.
struct TrustRoots: Sendable, Hashable {
  let certificates: [NIOSSLCertificate]
  private let digest: [UInt8]

  /// Nil if the text is not one PEM certificate or several.
  init?(pem: [UInt8]) {
    guard let certificates = try? NIOSSLCertificate.fromPEMBytes(pem), !certificates.isEmpty else { return nil }
    self.certificates = certificates
    digest = Array(SHA256.hash(data: pem))
  }

  static func == (first: TrustRoots, second: TrustRoots) -> Bool { first.digest == second.digest }
  func hash(into hasher: inout Hasher) { hasher.combine(digest) }
}
