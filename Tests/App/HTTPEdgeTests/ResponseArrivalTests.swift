import NIOCore
import NIOPosix
import Testing

@testable import HTTPEdge

@Suite("Answers that are lost on the way", .timeLimit(.minutes(5)))
struct ResponseArrivalTests {
  private static let headers = "gms_user: user\r\n"

  /// Lets `client` be answered with "hello"; how it ends then is `leave`'s affair. - Returns: what the session's next
  /// connect, over another connection, is answered with after "next" was said.
  private func answerAfter(_ leave: (RawClient) async throws -> Void) async throws -> String {
    var answer = ""
    try await ServerHarness.run { server in
      let rest = try await server.connect()
      try await rest.post("/genesys/1/service/request-chat", "")
      let serviceID = try #require(try await rest.response().body.split(separator: "\"").dropFirst(3).first)
      try await rest.post(
        "/genesys/1/service/\(serviceID)/ixn/chat", #"{"notify_by":"comet","nickname":"Guest 7"}"#,
        headers: Self.headers)
      _ = try await rest.response()
      let client = try await server.connect()
      let clientID = try await server.cometSession(client)
      try await client.post("/genesys/cometd/connect", server.connect(clientID), headers: Self.headers)
      try await server.holdsPolls(1)
      func say(_ text: String) async throws {
        try await rest.post(
          "/genesys/1/service/\(serviceID)/ixn/chat/send", #"{"message":"\#(text)"}"#, headers: Self.headers)
        #expect(try await rest.response().status == 200)
      }
      try await say("hello")
      #expect(try await client.response().body.contains("hello"))
      try await leave(client)
      let other = try await server.connect()
      try await other.post("/genesys/cometd/connect", server.connect(clientID), headers: Self.headers)
      try await say("next")
      answer = try await other.response().body
    }
    return answer
  }

  @Test("a connection that was reset may not have brought its answer: it comes again over the next one")
  func reset() async throws {
    let answer = try await answerAfter { try await $0.reset() }
    #expect(answer.contains("hello"))
  }

  @Test("a client that says goodbye to its connection, or keeps it, gets nothing twice", arguments: [true, false])
  func read(closes: Bool) async throws {
    let answer = try await answerAfter { if closes { try await $0.shutdownOutput() } }
    #expect(answer.contains("next") && !answer.contains("hello"))
  }

  @Test("what the client's kernel has not taken has not come, and a connection that ends so has lost it")
  func unacknowledged() async throws {
    let group = MultiThreadedEventLoopGroup.singleton
    let accepted = group.any().makePromise(of: (any Channel).self)
    let server = try await ServerBootstrap(group: group)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(Anchor())
          accepted.succeed(channel)
        }
      }
      .bind(host: "127.0.0.1", port: 0).get()
    let client = try await ClientBootstrap(group: group)
      .channelOption(.autoRead, value: false)
      .connect(host: "127.0.0.1", port: server.localAddress?.port ?? 0).get()
    let channel = try await accepted.futureResult.get()
    func ask<Answer: Sendable>(_ body: @escaping @Sendable (ChannelHandlerContext) -> Answer) async throws -> Answer {
      try await channel.eventLoop.submit {
        body(try channel.pipeline.syncOperations.context(handlerType: Anchor.self))
      }.get()
    }
    func hasArrived() async throws -> Bool? { try await ask { ResponseArrival().hasArrived($0) } }
    #expect(try await hasArrived() == true)
    // More than both kernels take together.
    let written = channel.eventLoop.makePromise(of: Void.self)
    channel.writeAndFlush(ByteBuffer(repeating: 0x78, count: 32 << 20), promise: written)
    #expect(try await hasArrived() == nil)
    let atItsEnd = try await ask { context in
      var arrival = ResponseArrival()
      arrival.end(wasReset: false, context)
      return arrival.hasArrived(nil)
    }
    #expect(atItsEnd == false)
    try await client.setOption(.autoRead, value: true).get()
    try await written.futureResult.get()
    while !Task.isCancelled, try await hasArrived() != true { await Task.yield() }
    try? await client.close()
    try await server.close()
  }

  /// A place in the pipeline to ask from.
  private final class Anchor: ChannelInboundHandler, Sendable {
    typealias InboundIn = ByteBuffer
  }
}
