import EdgeSecurity
import EngineKit
import EventSourcing
import Hummingbird
import Logging
import NIOCore
import NIOEmbedded
import NIOHTTP1
import NIOWebSocket

@testable import HTTPKit
@testable import ServerKit

/// A site without a capability: polls at `/poll`, a WebSocket at `/socket`, routes below `/route`, nothing at `/closed`, and a
/// short answer everywhere else.
///
/// Belongs to the loop of its one connection.
final class ScriptedSite: HTTPSite, @unchecked Sendable {
  private static let surface = HTTPSurface(number: 0, isForCustomers: false, namesUsers: false)
  let services: HTTPServices
  let channel = EmbeddedChannel()
  let residents: LoopResidents
  private(set) var connection: HTTPConnectionHandler?
  private(set) var lastRequest: RequestInProgress?
  /// What the polls were told.
  private(set) var news: [String] = []

  init(_ settings: HTTPSettings = HTTPSettings(port: 0), accessLog: AccessLog? = nil) throws {
    let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    let security = SecurityLog(logger: logger) { 0 }
    services = HTTPServices(
      settings, otherSurface: Self.surface, webSocketSurface: Self.surface,
      identity: UserIdentity(
        .open, proxies: .none, limits: settings.limits, now: { Timestamp(milliseconds: 0) }, security: security,
        logger: logger
      ) { _ in false },
      tokens: try TokenStore(directory: "/nowhere"),
      responder: Router(context: EdgeRequestContext.self).buildResponder(), metrics: HTTPMetrics(surfaces: ["all"]),
      security: security, guesses: GuessGuard(security, settings.budgets), accessLog: accessLog, logger: logger)
    residents = LoopResidents(eventLoop: channel.embeddedEventLoop)
    try HTTPPipeline(site: self).addHandlers(to: channel, residents)
    try channel.connect(to: SocketAddress(ipAddress: "192.0.2.1", port: 1)).wait()
  }

  // MARK: What the connection asks

  func surface(of target: String) -> (HTTPSurface, bodyBytesMaximum: Int) {
    (Self.surface, target == "/packed" ? 64 : 16)
  }

  func refusal(of head: HTTPRequestHead, on connection: HTTPConnectionHandler) -> EdgeFailure? {
    head.uri == "/closed" ? .forbidden("closed") : nil
  }

  func serve(_ request: RequestInProgress, on connection: HTTPConnectionHandler) {
    self.connection = connection
    lastRequest = request
    if request.head.uri == "/poll" {
      connection.hold(for: Poll(site: self), mayWait: true)
    } else if request.head.uri == "/socket" {
      open(request.head, on: connection)
    } else if request.head.uri.hasPrefix("/route") {
      connection.route(request)
    } else {
      answer(request.head.uri, on: connection)
    }
  }

  func body(of failure: EdgeFailure, on connection: HTTPConnectionHandler) -> (StaticString, [UInt8]) {
    ("text/plain", Array("\(connection.target): \(failure.message)".utf8))
  }

  func response(to failure: EdgeFailure, on surface: HTTPSurface) -> Response { Response(status: failure.status) }

  func mayCompress(_ target: String) -> Bool { target == "/route/open" }
  func readsCoding(of target: String) -> Bool { target == "/own-coding" }

  private func open(_ head: HTTPRequestHead, on connection: HTTPConnectionHandler) {
    do throws(EdgeFailure) {
      try connection.checkUpgrade(head)
      connection.switchProtocols(try WebSocketHandshake(head), textBytesMaximum: 1_000, to: Echo())
    } catch {
      connection.respond(error)
    }
  }

  private struct Poll: HTTPPoll {
    let site: ScriptedSite

    func written(success: Bool) { site.news.append(success ? "written" : "not written") }
    func departed() { site.news.append("departed") }
  }

  // MARK: What the test does

  /// The answer of the poll that is held, if anybody waits for it.
  func answerPoll() { if let connection { answerPoll(on: connection) } }

  func answerPoll(on connection: HTTPConnectionHandler) {
    if connection.answersPoll() { answer("news", on: connection) }
  }

  private func answer(_ text: String, on connection: HTTPConnectionHandler) {
    var buffer = connection.responseBuffer(capacity: 64)
    ResponseSerializer.statusLine(.ok, into: &buffer)
    connection.finishHead(.length(text.utf8.count), into: &buffer)
    if !connection.isHead { buffer.writeString(text) }
    connection.write(buffer, status: 200)
  }

  func pass(_ duration: Duration) {
    for _ in 0..<LoopResidents.ticks(duration) { residents.advance() }
    channel.embeddedEventLoop.run()
  }

  func request(_ target: String, body: String = "") throws {
    try channel.writeInbound(
      ByteBuffer(string: "POST \(target) HTTP/1.1\r\nHost: x\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"))
    channel.embeddedEventLoop.run()
  }

  /// What has been written since it was asked last: status and body of each answer.
  func answers() throws -> [String] {
    channel.embeddedEventLoop.run()
    var answers: [String] = []
    while let buffer = try channel.readOutbound(as: ByteBuffer.self) {
      let lines = String(buffer: buffer).split(separator: "\r\n", omittingEmptySubsequences: false)
      answers.append("\(lines[0].split(separator: " ")[1]) \(lines[lines.count - 1])")
    }
    return answers
  }
}

/// Says what it hears, until it is told to stop.
private final class Echo: ChannelInboundHandler {
  typealias InboundIn = WebSocketFrame
  typealias OutboundOut = ByteBuffer

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let frame = unwrapInboundIn(data)
    var answer = ByteBuffer()
    if frame.opcode == .connectionClose {
      WebSocketFrameWriter.close(.normalClosure, into: &answer)
    } else {
      WebSocketFrameWriter.header(frame.opcode, length: frame.data.readableBytes, into: &answer)
      answer.writeImmutableBuffer(frame.unmaskedData)
    }
    context.writeAndFlush(wrapOutboundOut(answer), promise: nil)
    if frame.opcode == .connectionClose { context.close(promise: nil) }
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if let event = event as? ChannelEvent, event == .inputClosed { context.close(promise: nil) }
  }
}
