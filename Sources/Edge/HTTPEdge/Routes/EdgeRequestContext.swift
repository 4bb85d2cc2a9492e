import Hummingbird
import Logging
import NIOCore

/// What a route may know beside the request.
struct EdgeRequestSource: RequestContextSource {
  let logger: Logger
  let isTLS: Bool
  let localPort: Int
  let remoteAddress: SocketAddress?
}

struct EdgeRequestContext: RequestContext {
  typealias Source = EdgeRequestSource

  var coreContext: CoreRequestContextStorage
  let isTLS: Bool
  /// The port that the request came in by.
  let localPort: Int
  /// Who is at the other end of the connection: the client, or a proxy before it.
  let remoteAddress: SocketAddress?

  init(source: EdgeRequestSource) {
    coreContext = CoreRequestContextStorage(source: source)
    isTLS = source.isTLS
    localPort = source.localPort
    remoteAddress = source.remoteAddress
  }
}
