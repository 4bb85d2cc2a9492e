import NIOWebSocket
import ServerKit
import Testing

@testable import HTTPKit

/// Spec: RFC 8441.
@Suite("A WebSocket over HTTP/2")
struct HTTP2TunnelTests {
  private static let fields = [("sec-websocket-version", "13"), ("origin", "https://x")]

  private func open(
    _ stage: HTTP2Stage, _ target: String = "/socket", on stream: UInt32 = 1, for name: String = "websocket",
    fields: [(String, String)] = fields, ends: Bool = false
  ) throws {
    let head = HTTP2Stage.head(target, "CONNECT") + [(":protocol", name)]
    try stage.send(.headers(stream, head + fields, ends: ends))
  }

  /// A client's frame, masked with nothing.
  private func frame(_ opcode: WebSocketOpcode, _ text: String) -> [UInt8] {
    [0x80 | UInt8(webSocketOpcode: opcode), 0x80 | UInt8(text.utf8.count), 0, 0, 0, 0] + Array(text.utf8)
  }

  @Test("is offered, and opened without a key")
  func opens() throws {
    let stage = try HTTP2Stage()
    try open(stage)
    let frames = try stage.frames()
    #expect(frames.map(\.endsStream) == [false])
    let fields = try stage.fields(of: try #require(frames.first))
    #expect(fields.first(name: ":status") == "200")
    #expect(fields.first(name: "sec-websocket-accept") == nil)
  }

  @Test("says what it says in frames of its own, cut anywhere, beside other requests")
  func talks() throws {
    let stage = try HTTP2Stage()
    try open(stage)
    #expect(try stage.news() == ["1: 200"])
    let message = frame(.text, "hello")
    try stage.send(RawFrame(kind: .data, stream: 1, payload: Array(message[..<3])))
    try stage.request("/a", on: 3)
    #expect(try stage.news() == ["3: 200", "3: /a."])
    try stage.send(RawFrame(kind: .data, stream: 1, payload: Array(message[3...])))
    #expect(try stage.frames().map(\.payload) == [[0x81, 5] + Array("hello".utf8)])
    #expect(stage.isOpen)
  }

  @Test("ends when either side says so", arguments: [true, false])
  func ends(_ isClosedByFrame: Bool) throws {
    let stage = try HTTP2Stage()
    try open(stage)
    #expect(try stage.news() == ["1: 200"])
    if isClosedByFrame {
      try stage.send(RawFrame(kind: .data, stream: 1, payload: frame(.connectionClose, "")))
    } else {
      try stage.send(.data(1, ends: true))
    }
    let last = try stage.frames()
    #expect(last.last { $0.kind == .data }?.endsStream == true)
    // Whoever has not said its own end is told that nobody listens.
    #expect(last.filter { $0.kind == .reset }.map(\.code) == (isClosedByFrame ? [0] : []))
    #expect(stage.site.services.metrics.http2Streams.current == 0)
    #expect(stage.isOpen)
  }

  @Test("is refused by a status that says so: what is no WebSocket, what speaks another version, another protocol")
  func refused() throws {
    let stage = try HTTP2Stage()
    try open(stage, "/route")
    #expect(try stage.news().first == "1: 400")
    try open(stage, on: 3, fields: [("sec-websocket-version", "8")])
    #expect(try stage.news().first == "3: 426")
    try open(stage, on: 5, for: "connect-udp", ends: true)
    #expect(try stage.news().first == "5: 501")
    try stage.request("/a", on: 7)
    #expect(try stage.news() == ["7: 200", "7: /a."])
  }
}
