import Engine
import Foundation
import Logging
import NIOCore
import NIOEmbedded
import Synchronization

@testable import HTTPEdge

/// Lets clients leave in great number, on connections without sockets: the pipeline is the server's, and so is the
/// engine behind it.
struct Departures: Sendable {
  enum Kind: Sendable { case pollClosed, pollReset, webSocket, deviceSocket, idle, halfHead, halfBody }

  /// What was found: bytes that each departure has cost, over the second half of them.
  struct Leak: Error, CustomStringConvertible {
    let description: String
  }

  private static let count = 100_000
  private static let bytesMaximum = 20.0
  /// After so many the engine is waited for: it works on lanes of its own.
  private static let round = 500

  private let kind: Kind
  private let services: EdgeServices
  private let clientID: String

  static func run(_ kind: Kind) async throws {
    try await ServerHarness.run { server in
      let clientID = try await server.cometSession(try await server.connect())
      let services = EdgeServices(
        engine: server.engine, tokens: server.tokens, configuration: EdgeConfiguration(port: 0), exposition: { "" },
        logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
      let departures = Departures(kind: kind, services: services, clientID: clientID)
      // An embedded loop belongs to one thread.
      try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
        Thread { continuation.resume(with: Result { try departures.run() }) }.start()
      }
    }
  }

  private func run() throws {
    let residents = LoopResidents(eventLoop: EmbeddedEventLoop())
    for _ in 0..<(Self.count / 2) / Self.round { try depart(residents) }
    let before = Heap.bytesInUse
    for _ in 0..<(Self.count / 2) / Self.round { try depart(residents) }
    let growth = Heap.bytesInUse - before
    let slope = Double(growth) / Double(Self.count / 2)
    print("\(kind): \(slope) bytes a departure")
    guard slope <= Self.bytesMaximum else { throw Leak(description: "\(kind): \(slope) bytes a departure") }
    guard services.heldPolls.current == 0 else { throw Leak(description: "a poll is held by nobody") }
  }

  /// One round; returns once the engine has forgotten it.
  private func depart(_ residents: LoopResidents) throws {
    weak var last: CometExchange?
    weak var handler: HTTPConnectionHandler?
    for index in 0..<Self.round {
      let channel = EmbeddedChannel(loop: residents.eventLoop as! EmbeddedEventLoop)
      try Listener.addHandlers(to: channel.pipeline.syncOperations, services, residents)
      let connection = try channel.pipeline.syncOperations.handler(type: HTTPConnectionHandler.self)
      try speak(on: channel)
      if index == Self.round - 1 { (last, handler) = (connection.exchange, connection) }
      leave(channel)
    }
    let deadline = ContinuousClock.now + .seconds(60)
    while last != nil || handler != nil {
      guard ContinuousClock.now < deadline else { throw Leak(description: "\(kind): the last one is still there") }
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

  /// The same over real sockets, for what runs in tasks of its own: streams of events, left by whoever follows them.
  static func runOverSockets(_ path: String, isOperator: Bool) async throws {
    try await ServerHarness.run { server in
      let token = try server.tokens.create(name: "follower", role: isOperator ? .admin : .agent)
      func depart(_ count: Int) async throws {
        for _ in 0..<count {
          let client = try await server.connect()
          try await client.get(path, headers: "Authorization: Bearer \(token)\r\n")
          guard try await client.response(withoutBody: true).status == 200 else {
            throw Leak(description: "\(path): not served any more")
          }
          await client.close()
          // Only so many may follow at once.
          try await until { server.server.connectionCount < 4 }
        }
        try await until { server.server.connectionCount == 0 }
      }
      try await depart(socketCount / 2)
      let before = Heap.bytesInUse
      try await depart(socketCount / 2)
      let slope = Double(Heap.bytesInUse - before) / Double(socketCount / 2)
      print("\(path): \(slope) bytes a departure")
      guard slope <= socketBytesMaximum else { throw Leak(description: "\(path): \(slope) bytes a departure") }
    }
  }

  private static let socketCount = 2_000
  /// A stream of events is a task, a stream and their buffers: 2 KB and more. The pools of threads and sockets breathe.
  private static let socketBytesMaximum = 200.0

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

/// What the process has asked the C library's allocator for and not given back.
enum Heap {
  static var bytesInUse: Int {
    // `malloc_info` is not in the module that Swift makes of the C library's headers.
    typealias Report = @convention(c) (Int32, UnsafeMutablePointer<FILE>) -> Int32
    var text: UnsafeMutablePointer<CChar>?
    var count = 0
    guard let symbol = dlsym(nil, "malloc_info"), let stream = open_memstream(&text, &count) else {
      fatalError("the allocator does not say what it has given out")
    }
    _ = unsafeBitCast(symbol, to: Report.self)(0, stream)
    fclose(stream)
    defer { free(text) }
    guard let text else { fatalError("the allocator says nothing") }
    // The sums over all arenas stand behind the last of them.
    let report = String(cString: text)
    let sums = report.components(separatedBy: "</heap>").last ?? ""
    func size(_ element: String) -> Int {
      sums.components(separatedBy: "\n").filter { $0.hasPrefix(element) }.reduce(0) { sum, line in
        let digits = line.components(separatedBy: "size=\"").last?.prefix { $0.isNumber } ?? ""
        return sum + (Int(digits) ?? 0)
      }
    }
    return size("<system type=\"current\"") - size("<total type=\"fast\"") - size("<total type=\"rest\"")
      + size("<total type=\"mmap\"")
  }
}
