import Engine
import Foundation
import Logging
import NIOCore
import NIOEmbedded
import ServerKit
import TestSupport

@testable import AgentEdge
@testable import CometEdge
@testable import HTTPEdge

/// Lets clients leave in great number, on connections without sockets: the pipeline is the server's, and so is the
/// engine behind it.
struct Departures: Sendable {
  enum Kind: Sendable { case pollClosed, pollReset, webSocket, deviceSocket, idle, halfHead, halfBody }

  /// After so many the engine is waited for: it works on lanes of its own.
  private static let round = 500

  private let kind: Kind
  private let services: EdgeServices
  private let clientID: String

  static func run(_ kind: Kind) async throws {
    try await ServerHarness.run { server in
      let clientID = try await server.cometSession(try await server.connect())
      let departures = Departures(kind: kind, services: services(of: server), clientID: clientID)
      // An embedded loop belongs to one thread.
      try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
        Thread { continuation.resume(with: Result { try departures.run() }) }.start()
      }
    }
  }

  private func run() throws {
    let residents = LoopResidents(eventLoop: EmbeddedEventLoop())
    try Departing.measure("\(kind)") { count in
      for _ in 0..<count / Self.round { try depart(residents) }
    }
    guard services.services.heldPolls.current == 0 else { throw Departing.Leak("a poll is held by nobody") }
  }

  /// One round; returns once the engine has forgotten it.
  private func depart(_ residents: LoopResidents) throws {
    weak var last: CometExchange?
    weak var handler: HTTPConnectionHandler?
    for index in 0..<Self.round {
      let channel = EmbeddedChannel(loop: residents.eventLoop as! EmbeddedEventLoop)
      try HTTPPipeline(site: services).addHandlers(to: channel, residents)
      let connection = try channel.pipeline.syncOperations.handler(type: HTTPConnectionHandler.self)
      try speak(on: channel)
      if index == Self.round - 1 { (last, handler) = ((connection.poll as? CometPoll)?.exchange, connection) }
      leave(channel)
    }
    let deadline = ContinuousClock.now + .seconds(60)
    while last != nil || handler != nil {
      guard ContinuousClock.now < deadline else { throw Departing.Leak("\(kind): the last one is still there") }
      usleep(200)
    }
  }

  private func speak(on channel: EmbeddedChannel) throws {
    let post = "POST /genesys/cometd HTTP/1.1\r\nHost: x\r\ngms_user: user\r\nContent-Length: "
    let connect = #"[{"channel":"/meta/connect","clientId":"\#(clientID)","connectionType":"long-polling"}]"#
    switch kind {
    case .pollClosed, .pollReset: try write("\(post)\(connect.utf8.count)\r\n\r\n\(connect)", to: channel)
    case .halfHead: try write(post, to: channel)
    case .halfBody: try write("\(post)\(connect.utf8.count)\r\n\r\n[", to: channel)
    case .idle:
      try write("OPTIONS /genesys/cometd HTTP/1.1\r\nHost: x\r\nOrigin: https://shop.test\r\n\r\n", to: channel)
    case .deviceSocket: try write("GET /device/1/socket\(Self.upgrade)", to: channel)
    case .webSocket:
      try write("GET /genesys/cometd\(Self.upgrade)", to: channel)
      let length = connect.utf8.count
      try channel.writeInbound(
        ByteBuffer(
          bytes: [0x81, length < 126 ? 0x80 | UInt8(length) : 0xFE]
            + (length < 126 ? [] : [UInt8(length >> 8), UInt8(length & 255)]) + [0, 0, 0, 0] + Array(connect.utf8)))
    }
  }

  private static let upgrade =
    " HTTP/1.1\r\nHost: x\r\ngms_user: user\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
    + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"

  /// Streams of events, left by whoever follows them: what runs in tasks of its own, so that the loop is anybody's.
  static func runStream(_ path: String, isOperator: Bool) async throws {
    try await run(path, isOperator: isOperator, fields: "", status: 200) { channel in
      Remembered(try channel.pipeline.syncOperations.handler(type: HTTPConnectionHandler.self))
    }
  }

  /// Agents' sockets, left while they follow events.
  static func runAgentSocket() async throws {
    let fields = AgentSocketCaller.upgrade
    try await run(AgentSocketEndpoint.path, isOperator: false, fields: fields, status: 101) { channel in
      Remembered(try channel.pipeline.syncOperations.handler(type: AgentSocketHandler.self))
    }
  }

  /// - Parameter follower: the handler that the connection is by then.
  private static func run(
    _ path: String, isOperator: Bool, fields: String, status: Int,
    follower: @escaping @Sendable (NIOAsyncTestingChannel) throws -> Remembered
  ) async throws {
    try await ServerHarness.run { server in
      let token = try server.tokens.create(name: "follower", role: isOperator ? .admin : .agent)
      let services = services(of: server)
      let loop = NIOAsyncTestingEventLoop()
      let residents = LoopResidents(eventLoop: loop)
      let head = "GET \(path) HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(token)\r\n\(fields)\r\n"
      try await Departing.measureCostly(path) { count in
        for _ in 0..<count {
          try await depart(head, status, services, residents, loop, follower)
        }
      }
      await loop.shutdownGracefully()
    }
  }

  /// Returns once the server has forgotten whoever followed: only so many may at once.
  private static func depart(
    _ head: String, _ status: Int, _ services: EdgeServices, _ residents: LoopResidents,
    _ loop: NIOAsyncTestingEventLoop, _ follower: @escaping @Sendable (NIOAsyncTestingChannel) throws -> Remembered
  ) async throws {
    let channel = NIOAsyncTestingChannel(loop: loop)
    try await loop.executeInContext { try HTTPPipeline(site: services).addHandlers(to: channel, residents) }
    try await channel.writeInbound(ByteBuffer(string: head))
    let answer = String(buffer: try await channel.waitForOutboundWrite(as: ByteBuffer.self))
    guard answer.hasPrefix("HTTP/1.1 \(status) ") else { throw Departing.Leak("not served any more: \(answer)") }
    let handler = try await loop.executeInContext { try follower(channel) }
    try await loop.executeInContext { channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed) }
    _ = try? await channel.finish(acceptAlreadyClosed: true)
    try await Departing.until { handler.isGone }
  }

  static func services(of server: ServerHarness) -> EdgeServices {
    EdgeServices(
      engine: server.engine, tokens: server.tokens, configuration: EdgeConfiguration(HTTPSettings(port: 0)),
      exposition: { _ in MetricsExposition(contentType: "text/plain", text: "") },
      logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
  }

  /// Knows whether a connection is still held by anybody.
  private final class Remembered: @unchecked Sendable {
    private weak var handler: (any ChannelHandler)?

    init(_ handler: any ChannelHandler) { self.handler = handler }

    var isGone: Bool { handler == nil }
  }

  private func write(_ text: String, to channel: EmbeddedChannel) throws {
    try channel.writeInbound(ByteBuffer(string: text))
    channel.embeddedEventLoop.run()
    while try channel.readOutbound(as: ByteBuffer.self) != nil {}
  }

  private func leave(_ channel: EmbeddedChannel) {
    switch kind {
    case .pollReset:
      channel.pipeline.fireErrorCaught(IOError(errnoCode: ECONNRESET, reason: "read"))
    default: channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
    }
    channel.embeddedEventLoop.run()
    _ = try? channel.finish(acceptAlreadyClosed: true)
  }
}
