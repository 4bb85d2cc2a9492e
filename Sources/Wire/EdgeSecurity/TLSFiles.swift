/// The files of a port's certificate, PEM.
public struct TLSFiles: Sendable, Equatable {
  /// The server's own certificate first.
  public let certificateChainPath: String
  public let privateKeyPath: String

  public init(certificateChainPath: String, privateKeyPath: String) {
    self.certificateChainPath = certificateChainPath
    self.privateKeyPath = privateKeyPath
  }
}
