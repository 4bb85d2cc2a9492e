import Engine
import Hummingbird
import Logging
import NIOCore
import NetworkAddress

/// What a route may know beside the request.
struct EdgeRequestSource: RequestContextSource {
  let logger: Logger
  let isTLS: Bool
  let localPort: Int
  let clientAddress: IPAddress?
  /// Whose share is taken of what is stored; nil for whoever has no budget.
  let storageSource: StorageSource?
}

struct EdgeRequestContext: RequestContext {
  typealias Source = EdgeRequestSource

  var coreContext: CoreRequestContextStorage
  let isTLS: Bool
  /// The port that the request came in by.
  let localPort: Int
  /// Where the request comes from: the other end of the connection, or what the trusted proxies there say. Nil if it is
  /// not known.
  let clientAddress: IPAddress?
  /// Whose share is taken of what is stored; nil for whoever has no budget.
  let storageSource: StorageSource?

  init(source: EdgeRequestSource) {
    coreContext = CoreRequestContextStorage(source: source)
    isTLS = source.isTLS
    localPort = source.localPort
    clientAddress = source.clientAddress
    storageSource = source.storageSource
  }
}
