import CometEngine
import HTTPKit

/// A long poll's answer, which the engine gives.
struct CometPoll: HTTPPoll {
  let gateway: CometGateway
  let exchange: CometExchange

  func written(success: Bool) { gateway.written(exchange, success: success) }
  func departed() { gateway.closed(exchange) }
}
