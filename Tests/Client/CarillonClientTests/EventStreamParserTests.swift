import NIOCore
import Testing

@testable import CarillonClient

@Suite("Event streams, in pieces")
struct EventStreamParserTests {
  @Test("give the same events wherever they are cut")
  func cuts() throws {
    let stream = Array(": comment\n\nevent: line\nid: 7\ndata: {\"a\":\ndata: 1}\r\n\r\ndata:x\n\nid: 8\n\n".utf8)
    for cut in 0...stream.count {
      var parser = EventStreamParser()
      var events = try parser.received(ByteBuffer(bytes: stream[..<cut]))
      events += try parser.received(ByteBuffer(bytes: stream[cut...]))
      #expect(
        events == [
          .init(id: "7", name: "line", data: "{\"a\":\n1}"), .init(id: nil, name: "message", data: "x"),
        ], "cut at \(cut)")
      #expect(parser.lastEventID == "8")
    }
  }
}
