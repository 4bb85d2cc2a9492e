internal import AsyncHTTPClient
internal import Foundation
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import NIOSSL
internal import PushDomain

/// POSTs that need no HTTP/2 of our own: the token endpoint, and the old form of messages. Spec: providers 7.
///
/// It follows no redirect and repeats nothing. Must be closed before it goes.
final class FCMHTTPClient: Sendable {
  static let connectTimeout: TimeAmount = .seconds(10)
  /// For connecting, asking and reading together.
  static let requestTimeout: TimeAmount = .seconds(20)
  static let responseBytesMaximum = 65_536

  enum Answer: Sendable {
    case answered(status: Int, retryAfter: String?, body: [UInt8])
    /// No connection could be made.
    case unreachable(reason: String)
    /// Perhaps written, and no whole answer.
    case unknown(reason: String)
    /// The TLS peer is not to be trusted.
    case untrusted(reason: String)
  }

  private let client: HTTPClient

  /// - Parameter caFile: PEM file of roots to trust in place of the system's.
  init(caFile: String?) {
    var configuration = HTTPClient.Configuration()
    configuration.redirectConfiguration = .disallow
    configuration.timeout.connect = Self.connectTimeout
    configuration.httpVersion = .automatic
    // The queue of pushes repeats, and so does the renewal of the token.
    configuration.connectionPool.retryConnectionEstablishment = false
    configuration.decompression = .disabled
    if let caFile {
      var tls = TLSConfiguration.makeClientConfiguration()
      tls.trustRoots = .file(caFile)
      configuration.tlsConfiguration = tls
    }
    client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
  }

  /// True for an absolute http(s) URL of a host, without user info.
  static func isUsable(_ url: String) -> Bool {
    guard PushText.isPrintable(url), let parts = URLComponents(string: url), let host = parts.host, !host.isEmpty
    else { return false }
    return ["http", "https"].contains(parts.scheme?.lowercased()) && parts.user == nil && parts.password == nil
  }

  /// - Throws: if these are no certificates in PEM.
  static func checkRoots(_ content: [UInt8], option: String) throws(PushObstacle) {
    guard let roots = try? NIOSSLCertificate.fromPEMBytes(content), !roots.isEmpty else {
      throw PushObstacle("\(option): not certificates in PEM")
    }
  }

  func post(_ body: [UInt8], to url: String, type: String, authorization: String? = nil) async -> Answer {
    var request = HTTPClientRequest(url: url)
    request.method = .POST
    request.headers.add(name: "content-type", value: type)
    if let authorization { request.headers.add(name: "authorization", value: authorization) }
    request.body = .bytes(ByteBuffer(bytes: body))
    do {
      let response = try await client.execute(request, deadline: .now() + Self.requestTimeout)
      let buffer = try await response.body.collect(upTo: Self.responseBytesMaximum)
      return .answered(
        status: Int(response.status.code), retryAfter: response.headers.first(name: "retry-after"),
        body: Array(buffer.readableBytesView))
    } catch {
      return Self.judge(error)
    }
  }

  func close() async {
    // The only error is that it has been done before.
    try? await client.shutdown()
  }

  private static func judge(_ error: any Error) -> Answer {
    switch error {
    case is NIOSSLError, is NIOSSLExtraError, is BoringSSLError: return .untrusted(reason: "TLS failed")
    case let error as HTTPClientError:
      switch error {
      case .connectTimeout, .tlsHandshakeTimeout, .getConnectionFromPoolTimeout:
        return .unreachable(reason: "connect timeout")
      case .alreadyShutdown: return .unreachable(reason: "shut down")
      case .readTimeout, .deadlineExceeded, .writeTimeout: return .unknown(reason: "timeout")
      case .cancelled: return .unknown(reason: "cancelled")
      default: return .unknown(reason: "connection lost")
      }
    case is NIOConnectionError: return .unreachable(reason: "connection refused")
    case let error as IOError where error.errnoCode == ECONNREFUSED: return .unreachable(reason: "connection refused")
    case is CancellationError: return .unknown(reason: "cancelled")
    default: return .unknown(reason: "connection lost")
    }
  }
}
