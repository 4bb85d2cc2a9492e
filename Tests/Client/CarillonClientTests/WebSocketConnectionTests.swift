import CarillonClient
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOWebSocket
import Testing

@Suite("A client's WebSocket", .timeLimit(.minutes(1)))
struct WebSocketConnectionTests {
  @Test("whose server is gone with the upgrade says so, each time")
  func goneAtOnce() async throws {
    let group = MultiThreadedEventLoopGroup.singleton
    let server = try await ServerBootstrap(group: group)
      .childChannelInitializer { channel in
        let upgrader = NIOWebSocketServerUpgrader(
          shouldUpgrade: { channel, _ in channel.eventLoop.makeSucceededFuture(HTTPHeaders()) },
          upgradePipelineHandler: { channel, _ in channel.close() })
        return channel.pipeline.configureHTTPServerPipeline(
          withServerUpgrade: (upgraders: [upgrader], completionHandler: { _ in }))
      }
      .bind(host: "127.0.0.1", port: 0).get()
    let address = ServerAddress(host: "127.0.0.1", port: server.localAddress?.port ?? 0)
    for _ in 0..<200 {
      let loop = group.next()
      let (ends, end) = AsyncStream.makeStream(of: Void.self)
      WebSocketConnection.open(to: address, path: "/", on: loop) { connection in
        connection.onClose = { _, _ in end.finish() }
      }.whenFailure { _ in end.finish() }
      for await _ in ends {}
    }
    try await server.close()
  }
}
