import Hummingbird
import Logging

/// What a route may know beside the request.
struct EdgeRequestSource: RequestContextSource {
  let logger: Logger
  let isTLS: Bool
  let localPort: Int
}

struct EdgeRequestContext: RequestContext {
  typealias Source = EdgeRequestSource

  var coreContext: CoreRequestContextStorage
  let isTLS: Bool
  /// The port that the request came in by.
  let localPort: Int

  init(source: EdgeRequestSource) {
    coreContext = CoreRequestContextStorage(source: source)
    isTLS = source.isTLS
    localPort = source.localPort
  }
}
