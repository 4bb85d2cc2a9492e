import Engine
import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOWebSocket
import ServerKit

/// From HTTP to WebSocket: on the Comet endpoint, and on the devices'.
extension HTTPConnectionHandler {
  /// Where devices of our own making connect. See `DEVICE-SOCKET.md`.
  static let deviceSocketPath = "/device/1/socket"

  /// Switches the connection's protocol, or says why not. Spec: RFC 6455, 4.2; Bayeux reference, 14.3 and 19.
  func upgrade(_ head: HTTPRequestHead) {
    surface = .webSocket
    guard mayConnect(head) else { return respond(.forbidden("This origin is not allowed here")) }
    do throws(EdgeFailure) {
      let handshake = try WebSocketHandshake(head)
      let caller = try caller(head)
      switchProtocols(
        handshake, textBytesMaximum: limits.webSocketMessageBytesMaximum,
        to: CometWebSocketHandler(
          services: services, residents: residents, caller: caller, browserID: BrowserCookie.read(head.headers),
          address: clientAddress))
    } catch {
      respond(error)
    }
  }

  /// Makes this a device's connection, or says why not.
  func upgradeDevice(_ head: HTTPRequestHead) {
    surface = .webSocket
    guard head.method == .GET else { return respond(.methodNotAllowed(allow: "GET")) }
    guard WebSocketHandshake.isWanted(head) else {
      return respond(.malformed("A GET of this resource needs a WebSocket handshake"))
    }
    guard mayConnect(head) else { return respond(.forbidden("This origin is not allowed here")) }
    guard services.engine.isReady, !residents.isStopping else {
      return respond(.unavailable("The server is not ready"))
    }
    do throws(EdgeFailure) {
      switchProtocols(
        try WebSocketHandshake(head), textBytesMaximum: DeviceSocketHandler.textBytesMaximum,
        to: DeviceSocketHandler(services: services, residents: residents, address: clientAddress))
    } catch {
      respond(error)
    }
  }

  /// A browser always says where its page is from; who sends no origin is no browser. Pages of this server's own may,
  /// as they may with every other request: browsers ask for no leave there.
  private func mayConnect(_ head: HTTPRequestHead) -> Bool {
    guard let origin = head.headers.first(name: "origin") else { return true }
    return services.configuration.allowedOrigins.allows(origin)
      || head.headers.first(name: "host").map { OriginPolicy.isOrigin(origin, of: $0) } ?? false
  }

  private func switchProtocols(
    _ handshake: WebSocketHandshake, textBytesMaximum: Int, to handler: some ChannelHandler
  ) {
    guard let context else { return }
    var buffer = responseBuffer(capacity: 192)
    ResponseSerializer.statusLine(.switchingProtocols, into: &buffer)
    buffer.writeStaticString("Upgrade: websocket\r\nConnection: upgrade\r\nSec-WebSocket-Accept: ")
    buffer.writeString(handshake.accept)
    buffer.writeStaticString("\r\n")
    services.securityFields.write(into: &buffer)
    buffer.writeStaticString("\r\n")
    services.metrics.countResponse(.webSocket, status: 101)
    let pipeline = context.pipeline.syncOperations
    let decoder = WebSocketFrameDecoder(maxFrameSize: textBytesMaximum)
    do {
      try pipeline.addHandler(ByteToMessageHandler(decoder), position: .after(self))
      try pipeline.addHandler(handler, position: .last)
    } catch {
      return close()
    }
    context.writeAndFlush(wrapOutboundOut(buffer), promise: nil)
    // This handler leaves first: what the parser still holds is the new protocol's.
    pipeline.removeHandler(self, promise: nil)
    pipeline.removeHandler(parser, promise: nil)
  }
}
