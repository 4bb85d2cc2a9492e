import Bayeux
import NIOCore

/// Asks whichever of several servers serves, with kept-alive connections to each.
final class ServerPool: Sendable {
  let servers: ServerList
  private let pools: [HTTPPool]
  private let group: any EventLoopGroup
  private let security: TransportSecurity?

  init(_ servers: ServerList, group: any EventLoopGroup, security: TransportSecurity?) {
    self.servers = servers
    self.group = group
    self.security = security
    pools = servers.addresses.map { HTTPPool($0, group: group, security: security) }
  }

  /// The whole response, whatever its status but 503.
  /// - Parameter timeout: of each server that is asked.
  /// - Throws: `ClientError.refused` with status 503 too, if no other server does better.
  func response(
    to request: HTTPRequest, timeout: Duration = .seconds(10)
  ) async throws(ClientError) -> HTTPResponse {
    try await servers.answer { [pools] place throws(ClientError) in
      let response = try await pools[place].response(to: request, timeout: timeout)
      guard response.status != 503 else {
        throw .refused(status: response.status, message: errorMessage(in: response.bodyBytes))
      }
      return response
    }
  }

  /// Carries Bayeux messages to whichever of the servers serves.
  func transport(
    _ type: ConnectionType, headers: [(name: String, value: String)], trace: (@Sendable (WireTrace) -> Void)?,
    deliver: @escaping CometDelivery
  ) -> any CometTransport {
    let transports = zip(servers.addresses, pools).map { address, pool -> any CometTransport in
      switch type {
      case .longPolling, .callbackPolling:
        LongPollingTransport(pool: pool, headers: headers, trace: trace, deliver: deliver)
      case .webSocket:
        WebSocketTransport(
          address: address, headers: headers, loop: group.next(), security: security, trace: trace, deliver: deliver)
      }
    }
    return transports.count == 1 ? transports[0] : FailoverTransport(servers, transports)
  }

  /// Closes every connection; requests under way fail with `ClientError.stopped`.
  func shutDown() { for pool in pools { pool.shutDown() } }
}
