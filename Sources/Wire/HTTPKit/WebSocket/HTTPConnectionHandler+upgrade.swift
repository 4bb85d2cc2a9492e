import HTTPTypes
package import NIOCore
package import NIOHTTP1
import NIOWebSocket
import ServerKit

/// From HTTP to WebSocket. Spec: RFC 6455, 4.2; Bayeux reference, 14.3 and 19.
extension HTTPConnectionHandler {
  /// The request is for a WebSocket, whether it gets one or not.
  package func wantsWebSocket() { surface = services.webSocketSurface }

  /// A browser always says where its page is from; who sends no origin is no browser. Pages of this server's own may,
  /// as they may with every other request: browsers ask for no leave there. Pages of others may where they may use the rest.
  package func mayOpenWebSocket(_ head: HTTPRequestHead) -> Bool {
    if head.isOfOwnPage { return true }
    return head.headers.first(name: "origin").map { services.settings.origins(on: surface).allows($0) } ?? true
  }

  /// - Throws: what is said to a request that is none for a WebSocket, or comes from a page that may have none.
  package func checkUpgrade(_ head: HTTPRequestHead) throws(EdgeFailure) {
    guard head.method == .GET else { throw .methodNotAllowed(allow: "GET") }
    guard WebSocketHandshake.isWanted(head) else {
      throw .malformed("A GET of this resource needs a WebSocket handshake")
    }
    guard mayOpenWebSocket(head) else { throw .forbidden("This origin is not allowed here") }
  }

  /// Makes the connection another handler's, which is given `WebSocketFrame`s and writes bytes.
  package func switchProtocols(
    _ handshake: WebSocketHandshake, textBytesMaximum: Int, to handler: some ChannelHandler
  ) {
    guard let context else { return }
    var buffer = responseBuffer(capacity: 192)
    if let accept = handshake.accept {
      ResponseSerializer.statusLine(.switchingProtocols, into: &buffer)
      buffer.writeStaticString("Upgrade: websocket\r\nConnection: upgrade\r\nSec-WebSocket-Accept: ")
      buffer.writeString(accept)
      buffer.writeStaticString("\r\n")
    } else {
      ResponseSerializer.statusLine(.ok, into: &buffer)
    }
    services.securityFields.write(into: &buffer)
    buffer.writeStaticString("\r\n")
    services.metrics.countResponse(services.webSocketSurface, status: 101)
    answers(status: 101, bytes: buffer.readableBytes)
    stream?.becomesTunnel()
    let pipeline = context.pipeline.syncOperations
    let decoder = WebSocketFrameDecoder(maxFrameSize: textBytesMaximum)
    do {
      try pipeline.addHandler(ByteToMessageHandler(decoder), position: .after(self))
      try pipeline.addHandler(handler, position: .last)
    } catch {
      return close()
    }
    context.writeAndFlush(wrapOutboundOut(buffer), promise: nil)
    // What has come behind the request is the new protocol's.
    if let rest = takeRest() { context.fireChannelRead(wrapInboundOut(rest)) }
    pipeline.removeHandler(self, promise: nil)
  }
}
