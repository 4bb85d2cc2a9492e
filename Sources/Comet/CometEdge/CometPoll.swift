import CometEngine
import HTTPKit

/// A poll's answer, which the engine gives.
struct CometPoll: HTTPPoll {
  let gateway: CometGateway
  let exchange: CometExchange
  /// The function that the page wants to have called with it; nil if it is to be JSON.
  let callback: String?

  func written(success: Bool) { gateway.written(exchange, success: success) }
  func departed() { gateway.closed(exchange) }
}
