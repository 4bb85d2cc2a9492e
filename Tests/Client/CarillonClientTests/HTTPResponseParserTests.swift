import NIOCore
import Testing

@testable import CarillonClient

@Suite("HTTP responses, in pieces")
struct HTTPResponseParserTests {
  private static let stream = Array(
    ("HTTP/1.1 200 OK\r\nContent-Type: a\r\nx-a:  b c \r\nContent-Length: 5\r\n\r\nhello"
      + "HTTP/1.1 100 Continue\r\n\r\n"
      + "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4;x=1\r\nabcd\r\n1a\r\nabcdefghijklmnopqrstuvwxyz\r\n"
      + "0\r\nT: x\r\n\r\n"
      + "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\nHTTP/1.0 200 OK\r\ncontent-length: 0\r\n\r\n").utf8)
  private static let parts = "200+[b c]hello.200+[]abcdabcdefghijklmnopqrstuvwxyz.204-[].200-[]."

  @Test("come out the same wherever the stream is cut", arguments: [true, false])
  func cuts(wholeBodies: Bool) throws {
    for cut in 0...Self.stream.count {
      let pieces = [Self.stream[..<cut], Self.stream[cut...]].map(Array.init)
      #expect(try read(pieces, wholeBodies: wholeBodies) == Self.parts, "cut at \(cut)")
    }
  }

  @Test("come out the same byte by byte")
  func bytewise() throws { #expect(try read(Self.stream.map { [$0] }, wholeBodies: false) == Self.parts) }

  @Test(
    "that are no HTTP are refused",
    arguments: [
      "XTTP/1.1 200 OK\r\n\r\n", "HTTP/1.1 2x0 OK\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
      "HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nfffffffff\r\n",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nabc\r\n",
    ])
  func malformed(text: String) {
    #expect(throws: ClientError.self) { try read([Array(text.utf8)], wholeBodies: true) }
  }

  @Test("without an end do not fill the memory")
  func endlessHead() {
    let head = "HTTP/1.1 200 OK\r\nX: " + String(repeating: "x", count: Limits.responseHeadBytesMaximum)
    #expect(throws: ClientError.self) { try read([Array(head.utf8)], wholeBodies: true) }
  }

  @Test("without a length end with the connection")
  func untilClose() throws {
    var parser = HTTPResponseParser(wholeBodies: true)
    var buffer = ByteBuffer(string: "HTTP/1.1 200 OK\r\n\r\nall of it")
    var body = ""
    while let part = try parser.next(&buffer) {
      if case .body(let piece) = part { body += String(buffer: piece) }
    }
    #expect(body == "all of it")
    let isComplete = parser.finish()
    #expect(isComplete)
  }

  private func read(_ pieces: [[UInt8]], wholeBodies: Bool) throws -> String {
    var parser = HTTPResponseParser(wholeBodies: wholeBodies)
    var buffer = ByteBuffer()
    var text = ""
    for piece in pieces {
      buffer.writeBytes(piece)
      while let part = try parser.next(&buffer) {
        switch part {
        case .head(let head): text += "\(head.status)\(head.keepsAlive ? "+" : "-")[\(head.header("X-A") ?? "")]"
        case .body(let body): text += String(buffer: body)
        case .end: text += "."
        }
      }
    }
    return text
  }
}
