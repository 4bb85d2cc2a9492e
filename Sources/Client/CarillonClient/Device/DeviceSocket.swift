import JSONEnvelope
import NIOCore

/// One connection of a device: texts both ways, until it ends or is silent for too long.
final class DeviceSocket: Sendable {
  static let path = "/device/1/socket"

  /// What the server says; ends with the connection.
  let texts: AsyncStream<[UInt8]>
  private let loop: any EventLoop
  private let connection: NIOLoopBoundBox<WebSocketConnection?>

  private init(
    _ texts: AsyncStream<[UInt8]>, _ loop: any EventLoop, _ connection: NIOLoopBoundBox<WebSocketConnection?>
  ) {
    self.texts = texts
    self.loop = loop
    self.connection = connection
  }

  /// - Parameter silence: as long as this without a text, and the server is taken for gone.
  static func open(
    to address: ServerAddress, on loop: any EventLoop, security: TransportSecurity?, silence: Duration
  ) async throws(ClientError) -> DeviceSocket {
    let (texts, continuation) = AsyncStream.makeStream(
      of: [UInt8].self, bufferingPolicy: .bufferingOldest(Limits.waitingEventsMaximum))
    let connection = NIOLoopBoundBox<WebSocketConnection?>.makeEmptyBox(
      valueType: WebSocketConnection.self, eventLoop: loop)
    let opened = WebSocketConnection.open(to: address, path: path, on: loop, security: security) { socket in
      connection.value = socket
      let silence = TimeAmount(silence)
      var deadline = loop.assumeIsolated().scheduleTask(in: silence) { socket.close(because: .timedOut) }
      socket.onText = { socket, text in
        deadline.cancel()
        deadline = loop.assumeIsolated().scheduleTask(in: silence) { socket.close(because: .timedOut) }
        // What nobody reads would otherwise be lost: it comes again with the next connection.
        if case .dropped = continuation.yield(Array(text.readableBytesView)) { socket.close() }
      }
      socket.onClose = { _, _ in
        deadline.cancel()
        connection.value = nil
        continuation.finish()
      }
    }
    do {
      try await opened.get()
    } catch {
      throw (error as? ClientError) ?? .connectionClosed
    }
    return DeviceSocket(texts, loop, connection)
  }

  func send(_ text: JSONValue) {
    let bytes = ByteBuffer(bytes: text.text)
    loop.execute { [connection] in connection.value?.send(bytes) }
  }

  func close() { loop.execute { [connection] in connection.value?.close() } }
}
