internal import Foundation
internal import NIOCore

/// Which server, how to trust it, and how much of it to use. Spec: providers 2.1, 7.
public struct HTTP2Settings: Sendable {
  /// The certificate that this client shows. Spec: providers 2.3.
  public enum ClientCertificate: Sendable, Equatable {
    case pem(chainPath: String, keyPath: String)
    case pkcs12(path: String, password: String?)
  }

  /// `https`, or `http` for HTTP/2 with prior knowledge on a bare connection.
  public let scheme: String
  public let host: String
  public let port: Int
  /// The name that the certificate must have and that SNI says; nil: the host of the URL.
  public var serverName: String?
  /// PEM file of the only roots that are trusted; nil: the system's.
  public var caFile: String?
  public var clientCertificate: ClientCertificate?

  /// Name, TCP, TLS and the server's first SETTINGS.
  public var connectTimeout: Duration = .seconds(10)
  /// Waiting for a stream may take this long, and then so may the answer.
  public var requestTimeout: Duration = .seconds(20)
  /// Connections that take new requests.
  public var connectionsMaximum = 4
  /// PING when streams are open and nothing was read for this long.
  public var pingWhenSilentFor: Duration = .seconds(15)
  /// Nothing read for this long after a PING: the connection is dead.
  public var pingAnswerWithin: Duration = .seconds(10)
  /// PING when no stream is open.
  public var pingWhenIdleEvery: Duration = .seconds(15 * 60)
  /// Every connection but one is closed when it had nothing to do for this long.
  public var surplusIdleTimeout: Duration = .seconds(10 * 60)
  public var responseBytesMaximum = 16 << 10
  /// Requests that wait for a stream; above it `send` answers at once.
  public var queueMaximum = 10_000
  /// One stream only on a new connection until `isProof` was true for an answer. Spec: providers 2.1, streams.
  public var startsWithOneStream = false
  /// Asked on the event loop: must be quick.
  public var isProof: @Sendable (HTTP2Response) -> Bool = { _ in true }
  /// How long the halved concurrency lasts after ENHANCE_YOUR_CALM.
  public var calm: Duration = .seconds(30)

  /// - Parameters:
  ///   - baseURL: `https://host[:port]`, nothing behind it.
  ///   - allowsCleartext: permits `http`.
  /// - Throws: `badURL`; files are looked at by `HTTP2Origin.init`.
  public init(baseURL: String, allowsCleartext: Bool = false) throws(HTTP2ConfigurationError) {
    guard let parts = URLComponents(string: baseURL), let scheme = parts.scheme?.lowercased(), let host = parts.host,
      !host.isEmpty
    else { throw HTTP2ConfigurationError(.badURL, "not a URL with a host") }
    guard scheme == "https" || (scheme == "http" && allowsCleartext) else {
      throw HTTP2ConfigurationError(.badURL, scheme == "http" ? "cleartext is not allowed" : "scheme is not https")
    }
    guard parts.user == nil, parts.password == nil, parts.query == nil, parts.fragment == nil,
      parts.path.isEmpty || parts.path == "/"
    else { throw HTTP2ConfigurationError(.badURL, "URL has more than scheme, host and port") }
    let port = parts.port ?? (scheme == "https" ? 443 : 80)
    guard (1...65_535).contains(port) else { throw HTTP2ConfigurationError(.badURL, "port is out of range") }
    self.scheme = scheme
    // Foundation keeps the brackets of IPv6 on some systems only.
    self.host = host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
    self.port = port
  }

  /// `host[:port]`, the port only if it is not the scheme's.
  var authority: String {
    let name = host.contains(":") ? "[\(host)]" : host
    return port == (scheme == "https" ? 443 : 80) ? name : "\(name):\(port)"
  }

  /// For SNI and the check of the certificate; nil for an address, which SNI cannot say: then the certificate must have
  /// the address.
  var certificateName: String? {
    if let serverName { return serverName }
    return Self.isAddress(host) ? nil : host
  }

  private static func isAddress(_ host: String) -> Bool { (try? SocketAddress(ipAddress: host, port: 0)) != nil }

  func checkLimits() throws(HTTP2ConfigurationError) {
    let durations = [
      connectTimeout, requestTimeout, pingWhenSilentFor, pingAnswerWithin, pingWhenIdleEvery, surplusIdleTimeout, calm,
    ]
    guard durations.allSatisfy({ $0 > .zero && $0 <= Limits.durationMaximum }) else {
      throw HTTP2ConfigurationError(.badLimit, "a timeout is not positive, or longer than 30 days")
    }
    guard connectionsMaximum > 0, responseBytesMaximum >= 0, queueMaximum > 0 else {
      throw HTTP2ConfigurationError(.badLimit, "a limit is not positive")
    }
    guard responseBytesMaximum <= Limits.responseBytesLargest else {
      throw HTTP2ConfigurationError(.badLimit, "an answer may have 16 MiB at most")
    }
  }
}
