package import HTTPKit
package import MessagingEngine
package import NIOHTTP1
import ServerKit

/// Where devices of our own making connect. See `DEVICE-SOCKET.md`.
package struct DeviceSocketEndpoint: Sendable {
  package static let path = DeviceGateway.socketPath

  private let messaging: MessagingService

  package init(messaging: MessagingService) { self.messaging = messaging }

  /// Makes this a device's connection, or says why not.
  package func serve(_ head: HTTPRequestHead, on connection: HTTPConnectionHandler) {
    connection.wantsWebSocket()
    do throws(EdgeFailure) {
      try connection.checkUpgrade(head)
      guard messaging.isReady, !connection.residents.isStopping else {
        throw .unavailable("The server is not ready")
      }
      connection.switchProtocols(
        try WebSocketHandshake(head), textBytesMaximum: DeviceSocketHandler.textBytesMaximum,
        to: DeviceSocketHandler(
          messaging: messaging, services: connection.services, residents: connection.residents,
          address: connection.clientAddress))
    } catch {
      connection.respond(error)
    }
  }
}
