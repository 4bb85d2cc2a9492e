import Bayeux
package import CometEngine
package import HTTPKit
import HTTPTypes
package import NIOHTTP1

/// The Comet endpoint: what it takes, and which way. Spec: GMS 4.
package struct CometEndpoint: Sendable {
  let gateway: CometGateway
  private let isOpened: @Sendable (_ authorization: String?) -> Bool

  /// - Parameter isOpened: whether this `Authorization` opens the endpoint, or it needs none.
  package init(gateway: CometGateway, isOpened: @escaping @Sendable (_ authorization: String?) -> Bool) {
    self.gateway = gateway
    self.isOpened = isOpened
  }

  /// Nil if the request is one that is served here.
  package func refusal(of head: HTTPRequestHead) -> EdgeFailure? {
    guard isOpened(head.headers.first(name: "authorization")) else { return .basicAuthenticationRequired }
    switch head.method {
    case .POST: return nil
    case .GET where WebSocketHandshake.isWanted(head): return nil
    case .GET where CallbackRequest.isOne(head.uri):
      return gateway.takes(.callbackPolling) ? nil : .malformed("callback-polling is switched off here")
    case .GET: return .malformed("A GET of this resource needs a WebSocket handshake, or messages in its query")
    default: return .methodNotAllowed(allow: "POST, GET, OPTIONS")
    }
  }

  package func serve(_ request: RequestInProgress, on connection: HTTPConnectionHandler) {
    if request.head.method == .POST {
      poll(request, on: connection)
    } else if WebSocketHandshake.isWanted(request.head) {
      upgrade(request.head, on: connection)
    } else {
      pollByScript(request.head, on: connection)
    }
  }

  /// Switches the connection's protocol, or says why not. Spec: RFC 6455, 4.2; Bayeux reference, 14.3 and 19.
  private func upgrade(_ head: HTTPRequestHead, on connection: HTTPConnectionHandler) {
    connection.wantsWebSocket()
    guard connection.mayOpenWebSocket(head) else {
      return connection.respond(.forbidden("This origin is not allowed here"))
    }
    do throws(EdgeFailure) {
      let handshake = try WebSocketHandshake(head)
      let caller = try connection.caller(head)
      connection.switchProtocols(
        handshake, textBytesMaximum: connection.services.limits.webSocketMessageBytesMaximum,
        to: CometWebSocketHandler(
          gateway: gateway, services: connection.services, residents: connection.residents, caller: caller,
          browserID: BrowserCookie.read(head.headers), address: connection.clientAddress))
    } catch {
      connection.respond(error)
    }
  }
}
