import NIOCore
import NIOHTTP1
import NIOTLS

/// From HTTP/1.1 to HTTP/2, and the requests that come that way.
extension HTTPConnectionHandler {
  /// What the client has chosen when TLS began. Spec: RFC 7301; RFC 9113, 3.2.
  static let http2Name = "h2"

  /// Whether something that TLS tells was its choice, and has been followed.
  func negotiates(_ event: Any) -> Bool {
    guard let event = event as? TLSUserEvent, case .handshakeCompleted(Self.http2Name?) = event else { return false }
    becomeHTTP2()
    return true
  }

  /// Nothing has been read yet: the connection is another handler's.
  func becomeHTTP2() {
    guard let context else { return }
    let pipeline = context.pipeline.syncOperations
    do {
      try HTTP2ConnectionHandler(site: site, residents: residents).add(to: pipeline, behind: self)
    } catch {
      return close()
    }
    pipeline.removeHandler(self, promise: nil)
  }

  /// The next part of the one request of a stream.
  func received(_ part: HTTPServerRequestPart) {
    // Whoever is told of a part may end this handler's time.
    if context != nil { tellAndGoOn(.part(part)) }
  }
}
