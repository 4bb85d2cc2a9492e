import NIOCore
import NIOEmbedded
import Testing

@testable import HTTPKit

/// Spec: RFC 9113, 3.3.
@Suite("HTTP/2 in the clear")
struct HTTP2ClearTests {
  private static let preface = Array("\(HTTP2ConnectionHandler.preface)".utf8)

  private func site(allows: Bool = true) throws -> ScriptedSite {
    var settings = HTTPSettings(port: 0)
    settings.takesHTTP2InClear = allows
    return try ScriptedSite(settings)
  }

  private func write(_ bytes: some Sequence<UInt8>, to site: ScriptedSite) throws {
    try site.channel.writeInbound(ByteBuffer(bytes: bytes))
    site.channel.embeddedEventLoop.run()
  }

  @Test("is spoken to whoever begins with it, in however many pieces", arguments: [1, 7, 24, 200])
  func begins(_ length: Int) throws {
    let site = try site()
    let bytes =
      Self.preface + RawFrame.settings().bytes + RawFrame.headers(1, HTTP2Stage.head("/hello")).bytes
    for start in stride(from: 0, to: bytes.count, by: length) {
      try write(bytes[start..<min(start + length, bytes.count)], to: site)
    }
    var answer = ByteBuffer()
    while let part = try site.channel.readOutbound(as: ByteBuffer.self) { answer.writeImmutableBuffer(part) }
    var frames: [RawFrame] = []
    while let frame = RawFrame.read(&answer) { frames.append(frame) }
    #expect(frames.last { $0.kind == .data }.map { String(decoding: $0.payload, as: UTF8.self) } == "/hello")
  }

  @Test("loses nothing of who speaks HTTP/1.1, also where both begin alike", arguments: [1, 2, 5, 1_000])
  func older(_ length: Int) throws {
    let site = try site()
    for _ in 0..<2 {
      let bytes = Array("POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nab".utf8)
      for start in stride(from: 0, to: bytes.count, by: length) {
        try write(bytes[start..<min(start + length, bytes.count)], to: site)
      }
      #expect(try site.answers() == ["200 /a"])
    }
  }

  @Test("is no request where operators have not allowed it")
  func refused() throws {
    let site = try site(allows: false)
    try write(Self.preface, to: site)
    #expect(try site.answers().map { $0.prefix(3) } == ["400"])
  }

  @Test("has no more time to begin than a request has")
  func slow() throws {
    let site = try site()
    try write(Self.preface.prefix(10), to: site)
    site.pass(EdgeLimits().headTimeout)
    #expect(try site.answers().map { $0.prefix(3) } == ["408"])
  }
}
