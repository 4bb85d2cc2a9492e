import NIOHPACK
import ServerKit
import Testing

@testable import HTTPKit

@Suite("A request over HTTP/2")
struct HTTP2RequestTests {
  @Test("is answered on its stream; a body comes in as many frames as the client likes")
  func answered() throws {
    let stage = try HTTP2Stage()
    try stage.request("/hello")
    #expect(try stage.news() == ["1: 200", "1: /hello."])
    try stage.request("/a", "POST", on: 3, ends: false)
    try stage.send(.data(3, "12345678"))
    #expect(try stage.news().isEmpty)
    try stage.send(.data(3, "12345678"), .data(3, ends: true))
    #expect(try stage.news() == ["3: 200", "3: /a."])
    #expect(stage.isOpen)
  }

  @Test("goes past one whose answer is not there yet")
  func sideBySide() throws {
    let stage = try HTTP2Stage()
    try stage.request("/poll", "POST")
    let poll = try #require(stage.site.connection)
    try stage.request("/quick", on: 3)
    #expect(try stage.news() == ["3: 200", "3: /quick."])
    #expect(stage.site.services.heldPolls.current == 1)
    stage.site.answerPoll(on: poll)
    #expect(try stage.news() == ["1: 200", "1: news."])
    #expect(stage.site.news == ["written"])
    #expect(stage.site.services.heldPolls.current == 0)
  }

  @Test("that is reset before its answer has left; the answer is written to nobody")
  func reset() throws {
    let stage = try HTTP2Stage()
    try stage.request("/poll", "POST")
    try stage.send(.reset(1))
    #expect(stage.site.news == ["departed"])
    stage.site.answerPoll()
    #expect(stage.site.news == ["departed", "not written"])
    #expect(try stage.news().isEmpty)
    #expect(stage.isOpen)
  }

  @Test("says all of the head that HTTP/2 lets it, in small letters")
  func fields() throws {
    let stage = try HTTP2Stage()
    try stage.request("/hello", "HEAD")
    let frames = try stage.frames()
    #expect(frames.map(\.endsStream) == [true])
    let fields = try stage.fields(of: try #require(frames.first))
    #expect(fields.map(\.name) == [":status", "x-content-type-options", "content-length"])
    #expect(fields.first(name: "content-length") == "6")
  }

  @Test("may ask for leave to send its body")
  func expectation() throws {
    let stage = try HTTP2Stage()
    try stage.request("/a", "POST", fields: [("expect", "100-continue"), ("content-length", "2")], ends: false)
    #expect(try stage.news() == ["1: 100"])
    try stage.send(.data(1, "ab", ends: true))
    #expect(try stage.news() == ["1: 200", "1: /a."])
  }

  @Test("that is refused before it has come whole is cut off behind the answer, and the connection goes on")
  func refused() throws {
    let stage = try HTTP2Stage()
    try stage.request("/a", "POST", fields: [("content-length", "17")], ends: false)
    #expect(try stage.news() == ["1: 413", "1: /a: The request body is larger than 16 bytes.", "1 reset 0"])
    try stage.request("/b", "POST", on: 3, ends: false)
    try stage.send(.data(3, "12345678901234567"))
    #expect(try stage.news() == ["3: 413", "3: /b: The request body is larger than 16 bytes.", "3 reset 0"])
    try stage.request("/c", on: 5)
    #expect(try stage.news() == ["5: 200", "5: /c."])
  }

  @Test("may have trailers")
  func trailers() throws {
    let stage = try HTTP2Stage()
    try stage.request("/a", "POST", ends: false)
    try stage.send(.data(1, "ab"), .headers(1, [("x-sum", "1")]))
    #expect(try stage.news() == ["1: 200", "1: /a."])
  }

  @Test(
    "that says what HTTP/2 does not allow is malformed",
    arguments: [
      [("connection", "close")], [("transfer-encoding", "chunked")], [("upgrade", "websocket")], [("te", "gzip")],
      [("Upper", "case")], [("a b", "c")], [("a", "line\r\nb: c")], [("a", "zero\0")],
      [(":status", "200")], [(":path", "/twice")], [("x", "1"), (":late", "2")],
    ])
  func malformed(_ fields: [(String, String)]) throws {
    let stage = try HTTP2Stage()
    try stage.request("/a", fields: fields)
    #expect(try stage.news() == ["1 reset 1"])
    try stage.request("/b", on: 3)
    #expect(try stage.news() == ["3: 200", "3: /b."])
  }

  @Test("of another length than it says is malformed")
  func length() throws {
    let stage = try HTTP2Stage()
    try stage.request("/a", "POST", fields: [("content-length", "3")], ends: false)
    try stage.send(.data(1, "ab", ends: true))
    #expect(try stage.news() == ["1 reset 1"])
  }

  @Test(
    "that HTTP/1.1 would not read is 400 here too",
    arguments: [
      [("host", "y")], [("a", " blank before")], [("a", "behind ")], [("a", "control\u{1}")],
      [("content-length", "0"), ("content-length", "0")], [("content-length", "+0")], [("host", "x"), ("host", "x")],
    ])
  func unreadable(_ fields: [(String, String)]) throws {
    let stage = try HTTP2Stage()
    try stage.request("/a", fields: fields)
    #expect(try stage.news().first == "1: 400")
    try stage.request("/b", on: 3)
    #expect(try stage.news() == ["3: 200", "3: /b."])
  }

  @Test(
    "has a target as HTTP/1.1 would take it",
    arguments: [
      ("*", "GET"), ("a", "GET"), ("http://x/a", "GET"), ("/\u{E4}", "GET"),
    ])
  func target(_ target: String, _ method: String) throws {
    let stage = try HTTP2Stage()
    try stage.request(target, method)
    #expect(try stage.news().first == "1: 400")
  }
}
