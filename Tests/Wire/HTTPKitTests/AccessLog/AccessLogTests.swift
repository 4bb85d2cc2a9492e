import EventSourcing
import JSONEnvelope
import NIOCore
import NIOEmbedded
import NetworkAddress
import Synchronization
import Testing

@testable import HTTPKit

@Suite("The access log")
struct AccessLogTests {
  /// What has been written, and the log that writes it.
  private final class Book: Sendable {
    let log = AccessLog(now: { Timestamp(milliseconds: 1_700_000_000_123) })
    private let written = Mutex<[UInt8]>([])

    init(oneOf one: Int = 1) {
      log.write(
        to: LineSpool(
          bytesMaximum: 10_000, schedule: { $0() },
          output: { bytes in
            self.written.withLock { $0 += bytes }
            return true
          }, onLost: { _ in }), oneOf: one)
    }

    var lines: [JSONValue] {
      get throws {
        try written.withLock { String(decoding: $0, as: UTF8.self) }.split(separator: "\n")
          .map { try JSONValue(parsing: String($0)) }
      }
    }
  }

  @Test("has a line for each request, and nothing that anybody has said, shown or asked for")
  func line() throws {
    let book = Book()
    let site = try ScriptedSite(accessLog: book.log)
    try site.channel.writeInbound(
      ByteBuffer(
        string: """
          POST /secret?word=secret HTTP/1.1\r
          Host: secret\r
          Authorization: Bearer secret\r
          gms_user: secret\r
          X-Request-Id: secret\r
          Content-Length: 6\r
          \r
          secret
          """))
    let answers = try site.answers()
    #expect(answers.count == 1 && answers[0].hasPrefix("200 "))
    let lines = try book.lines
    try #require(lines.count == 1)
    #expect(lines[0]["time"]?.string == "2023-11-14T22:13:20.123Z")
    #expect(lines[0]["method"]?.string == "POST")
    #expect(lines[0]["route"]?.string == "other")
    #expect(lines[0]["status"]?.integer == 200)
    #expect(try #require(lines[0]["bytes"]?.integer) > 50)
    #expect(try #require(lines[0]["microseconds"]?.integer) >= 0)
    #expect(lines[0]["remote"]?.string == "192.0.2.1")
    #expect(lines[0]["protocol"]?.string == "HTTP/1.1")
    #expect(lines[0]["role"] == nil)
    #expect(!"\(lines[0])".contains("secret"))
  }

  @Test("tells requests apart, and says how each has ended")
  func statuses() throws {
    let book = Book()
    let site = try ScriptedSite(accessLog: book.log)
    try site.request("/closed")
    try site.request("/poll")
    #expect(try book.lines.map { $0["status"]?.integer } == [403])
    site.answerPoll()
    _ = try site.answers()
    try site.request("/poll")
    site.channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
    _ = try? site.channel.finish()
    let lines = try book.lines
    #expect(lines.map { $0["status"]?.integer } == [403, 200, 499])
    #expect(Set(lines.map { $0["request"]?.string }).count == 3)
  }

  @Test("takes a trusted proxy's id, if it is one that a line can hold")
  func requestID() throws {
    let book = Book()
    var settings = HTTPSettings(port: 0)
    settings.proxies = TrustedProxies([try #require(AddressBlock("192.0.2.0/24"))])
    let site = try ScriptedSite(settings, accessLog: book.log)
    for id in ["abc-1.2_3", "a b", String(repeating: "x", count: 65), ""] {
      try site.channel.writeInbound(ByteBuffer(string: "GET / HTTP/1.1\r\nHost: x\r\nX-Request-Id: \(id)\r\n\r\n"))
      _ = try site.answers()
    }
    let ids = try book.lines.compactMap { $0["request"]?.string }
    #expect(ids.count == 4 && ids[0] == "abc-1.2_3")
    #expect(Set(ids).count == 4 && ids.dropFirst().allSatisfy { $0.contains("-") && $0.count < 40 })
  }

  @Test("has one of so many, and none once it is ended")
  func sample() throws {
    let book = Book(oneOf: 4)
    let site = try ScriptedSite(accessLog: book.log)
    for _ in 0..<40 { try site.request("/") }
    _ = try site.answers()
    let count = try book.lines.count
    #expect((8...12).contains(count))
    book.log.write(to: nil)
    for _ in 0..<8 { try site.request("/") }
    #expect(try book.lines.count == count)
  }
}
