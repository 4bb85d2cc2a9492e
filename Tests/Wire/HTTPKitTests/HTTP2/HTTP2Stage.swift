import NIOCore
import NIOEmbedded
import NIOHPACK
import NIOHTTP2
import NIOTLS

@testable import HTTPKit

/// A site's one connection, whose client has chosen HTTP/2: frames go in and come out, and time passes when it is told to.
final class HTTP2Stage {
  let site: ScriptedSite
  private var decoder = HPACKDecoder(allocator: ByteBufferAllocator())
  private var unread = ByteBuffer()
  /// What the server's last PING has said.
  private(set) var lastPing: [UInt8]?

  /// - Parameter introduces: the client has begun as it has to, and knows the server's settings.
  init(_ settings: HTTPSettings = HTTPSettings(port: 0), introduces: Bool = true) throws {
    site = try ScriptedSite(settings)
    site.channel.pipeline.fireUserInboundEventTriggered(
      TLSUserEvent.handshakeCompleted(negotiatedProtocol: HTTPConnectionHandler.http2Name))
    guard introduces else { return }
    try introduce()
    try send(RawFrame(kind: .settings, flags: RawFrame.ack))
    _ = try frames()
  }

  var isOpen: Bool { site.channel.isActive }

  /// - Parameter first: stands where the first SETTINGS have to.
  func introduce(_ first: RawFrame = .settings()) throws {
    try write(Array("\(HTTP2ConnectionHandler.preface)".utf8))
    try send(first)
  }

  func write(_ bytes: [UInt8]) throws {
    guard isOpen else { return }
    do {
      try site.channel.writeInbound(ByteBuffer(bytes: bytes))
    } catch  where error is any NIOHTTP2Error || error is NIOHTTP2Errors.StreamError {
      // It is told to the client; a socket's channel says nothing beside that.
    }
    site.channel.embeddedEventLoop.run()
  }

  func send(_ frames: RawFrame...) throws { try write(frames.flatMap(\.bytes)) }

  func request(
    _ target: String, _ method: String = "GET", on stream: UInt32 = 1, fields: [(String, String)] = [],
    ends: Bool = true
  ) throws {
    try send(.headers(stream, Self.head(target, method) + fields, ends: ends))
  }

  static func head(_ target: String, _ method: String = "GET") -> [(String, String)] {
    [(":method", method), (":scheme", "https"), (":authority", "x"), (":path", target)]
  }

  /// What has come since it was asked last; what only keeps the connection going is left out.
  func frames() throws -> [RawFrame] {
    site.channel.embeddedEventLoop.run()
    while let bytes = try site.channel.readOutbound(as: ByteBuffer.self) { unread.writeImmutableBuffer(bytes) }
    var frames: [RawFrame] = []
    while let frame = RawFrame.read(&unread) {
      if frame.kind == .ping, frame.flags != RawFrame.ack { lastPing = frame.payload }
      if frame.kind != .settings, frame.kind != .windowUpdate { frames.append(frame) }
    }
    return frames
  }

  /// The same, in words: status and text of answers, and how streams and the connection end.
  func news() throws -> [String] { try frames().map { try tell($0) } }

  private func tell(_ frame: RawFrame) throws -> String {
    let end = frame.endsStream ? "." : ""
    switch frame.kind {
    case .headers:
      let status = try fields(of: frame).first(name: ":status") ?? ""
      return "\(frame.stream): \(status)\(end)"
    case .data: return "\(frame.stream): \(String(decoding: frame.payload, as: UTF8.self))\(end)"
    case .reset: return "\(frame.stream) reset \(frame.code)"
    case .goAway:
      let last = RawFrame(kind: .data, payload: Array(frame.payload.prefix(4))).code
      return "goaway \(last == .max >> 1 ? "later" : String(last)) \(frame.code)"
    case .ping: return frame.flags == RawFrame.ack ? "pong" : "ping"
    case .priority, .settings, .pushPromise, .windowUpdate, .continuation, .unknown: return "\(frame.kind)"
    }
  }

  func fields(of frame: RawFrame) throws -> HPACKHeaders {
    var block = ByteBuffer(bytes: frame.payload)
    return try decoder.decodeHeaders(from: &block)
  }

  func pass(_ duration: Duration) { site.pass(duration) }
}

extension HPACKHeaders {
  func first(name: String) -> String? { self[name].first }
}
