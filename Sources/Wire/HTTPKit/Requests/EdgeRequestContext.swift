package import Hummingbird
package import Logging
import NIOCore
package import NetworkAddress

/// What a route may know beside the request.
package struct EdgeRequestSource: RequestContextSource {
  package let logger: Logger
  package let isTLS: Bool
  /// The client speaks TLS, with us or with a proxy that is trusted.
  package let isSecure: Bool
  package let localPort: Int
  package let clientAddress: IPAddress?
  /// By which what is left behind is counted; nil for whoever has no budget.
  package let sharer: UInt128?

  package init(
    logger: Logger, isTLS: Bool, isSecure: Bool = false, localPort: Int, clientAddress: IPAddress?, sharer: UInt128?
  ) {
    self.logger = logger
    self.isTLS = isTLS
    self.isSecure = isTLS || isSecure
    self.localPort = localPort
    self.clientAddress = clientAddress
    self.sharer = sharer
  }
}

package struct EdgeRequestContext: RequestContext {
  package typealias Source = EdgeRequestSource

  package var coreContext: CoreRequestContextStorage
  package let isTLS: Bool
  /// The client speaks TLS, with us or with a proxy that is trusted.
  package let isSecure: Bool
  /// The port that the request came in by.
  package let localPort: Int
  /// Where the request comes from: the other end of the connection, or what the trusted proxies there say. Nil if it is
  /// not known.
  package let clientAddress: IPAddress?
  /// By which what is left behind is counted; nil for whoever has no budget.
  package let sharer: UInt128?

  package init(source: EdgeRequestSource) {
    coreContext = CoreRequestContextStorage(source: source)
    isTLS = source.isTLS
    isSecure = source.isSecure
    localPort = source.localPort
    clientAddress = source.clientAddress
    sharer = source.sharer
  }
}
