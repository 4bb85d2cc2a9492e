import NIOCore
import NIOHPACK
import NIOHTTP1
import Testing

@testable import HTTPKit

@Suite("Frames in the bytes of a connection")
struct FrameScannerTests {
  private static let goAway = RawFrame(kind: .goAway, payload: RawFrame.bytes(of: 3) + RawFrame.bytes(of: 11))
  private static let frames = [
    .settings((id: 4, value: 7)), .headers(1, [(":method", "GET")]), .data(1), .data(1, "body"), goAway,
    RawFrame(kind: .goAway, payload: goAway.payload + [1, 2, 3]), RawFrame(kind: .goAway, payload: [1]),
    .windowUpdate(0),
    RawFrame(kind: .unknown, payload: [UInt8](repeating: 7, count: 300)), .ping,
  ]

  @Test("are found wherever the bytes are cut", arguments: [1, 2, 3, 5, 8, 9, 10, 13, 1_000])
  func cut(_ length: Int) {
    let bytes = Array("preface".utf8) + Self.frames.flatMap(\.bytes)
    var scanner = HTTP2FrameScanner(passing: 7)
    var found: [HTTP2FrameScanner.Finding] = []
    for start in stride(from: 0, to: bytes.count, by: length) {
      bytes[start..<min(start + length, bytes.count)].withUnsafeBytes { scanner.scan($0) { found.append($0) } }
    }
    let expected: [HTTP2FrameScanner.Finding] = Self.frames.flatMap { frame -> [HTTP2FrameScanner.Finding] in
      let kind = HTTP2FrameScanner.Finding.frame(HTTP2FrameScanner.Kind(code: frame.kind.rawValue))
      return frame.kind == .goAway && frame.payload.count >= 8 ? [kind, .goAway(code: 11)] : [kind]
    }
    #expect(found == expected)
  }
}

@Suite("A head over HTTP/2")
struct HTTP2HeadTests {
  private static let limits = HTTPConnectionLimits(EdgeLimits())

  private func read(_ fields: [(String, String)]) throws -> HTTPRequestHead {
    try HTTP2RequestHead.read(HPACKHeaders(fields), Self.limits)
  }

  @Test("is the one that HTTP/1.1 would have")
  func request() throws {
    let head = try read(HTTP2Stage.head("/a?b", "POST") + [("cookie", "a=b"), ("x", "y"), ("cookie", "c=d")])
    #expect(head.version == .http2 && head.method == .POST && head.uri == "/a?b")
    #expect(head.headers.map { "\($0.name): \($0.value)" } == ["x: y", "host: x", "cookie: a=b; c=d"])
  }

  @Test("names its server once, in either way, or in both if they are the same")
  func server() throws {
    let request = [(":method", "GET"), (":scheme", "https"), (":path", "/")]
    #expect(try read(request + [("host", "X")]).headers["host"] == ["X"])
    #expect(try read(request + [(":authority", "x"), ("host", "X")]).headers["host"] == ["x"])
    #expect(try read(request).headers["host"] == [])
    #expect(throws: HTTPRequestFlaw.malformed) { try read(request + [(":authority", "x"), ("host", "y")]) }
  }

  @Test("asks for a tunnel at a server")
  func tunnel() throws {
    let head = try read([(":method", "CONNECT"), (":authority", "x:443")])
    #expect(head.method == .CONNECT && head.uri == "x:443")
  }

  @Test("of an answer is what was written for HTTP/1.1, without what that says of its connection")
  func answer() throws {
    var bytes = ByteBuffer(
      string: "HTTP/1.1 204 No Content\r\nX-Name:  value: it \r\nSet-Cookie: a=b\r\nSet-Cookie: c\r\n"
        + "Connection: close\r\nTransfer-Encoding: chunked\r\nEmpty:\r\n\r\nbody\r\n")
    let head = HTTP2ResponseHead(takenFrom: &bytes)
    #expect(head.status == 204 && !head.isInterim)
    let fields = head.fields.map { "\($0.name)=\($0.value)" }
    #expect(fields == [":status=204", "x-name=value: it ", "set-cookie=a=b", "set-cookie=c", "empty="])
    #expect(String(buffer: bytes) == "body\r\n")
  }
}
