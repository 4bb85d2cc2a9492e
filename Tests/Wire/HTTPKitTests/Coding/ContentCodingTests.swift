import Gzip
import HTTPTypes
import Hummingbird
import NIOCore
import Testing

@testable import HTTPKit

@Suite("Bodies that are coded")
struct ContentCodingTests {
  @Test(
    "are taken as gzip by whoever says so",
    arguments: [
      ("gzip", true), ("gzip, deflate, br", true), ("br;q=1.0, gzip;q=0.001", true), ("GZIP", true), ("x-gzip", true),
      ("*", true), ("", false), ("identity", false), ("br", false), ("gzip;q=0", false), ("gzip; q=0.0, *", false),
      ("*;q=0", false), ("gzip;q=nonsense", false), ("gzipped", false), (",,gzip ;q=0.5,,", true),
    ])
  func accepted(_ field: String, _ isTaken: Bool) {
    #expect(AcceptedCodings.haveGzip([field]) == isTaken)
  }

  @Test("of several fields are taken as of one; whoever says nothing gets none")
  func severalFields() {
    #expect(AcceptedCodings.haveGzip(["br", "gzip"]))
    #expect(!AcceptedCodings.haveGzip([String]()))
  }

  @Test(
    "are known by one name each",
    arguments: [
      ("", ContentCoding.none), ("identity", .none), ("gzip", .gzip), ("X-GZIP", .gzip), ("br", .other),
      ("gzip, gzip", .other), ("aes128gcm", .other),
    ])
  func known(_ field: String, _ coding: ContentCoding) { #expect(ContentCoding(field) == coding) }
}

@Suite("Answers that leave compressed")
struct CompressedAnswerTests {
  private static let text = String(repeating: "the same for everybody ", count: 100)

  private func answer(
    to accepted: String? = "gzip", _ method: HTTPRequest.Method = .get, status: HTTPResponse.Status = .ok,
    saying text: String = text, headers: HTTPFields = [.contentType: "text/html; charset=utf-8"],
    by answers: CompressedAnswers = CompressedAnswers()
  ) async throws -> (head: HTTPResponse, body: [UInt8]) {
    var head = HTTPRequest(method: method, scheme: "https", authority: "x", path: "/page")
    head.headerFields[.acceptEncoding] = accepted
    let response = try await answers.answer(
      Response(status: status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(string: text))),
      to: Request(head: head, body: RequestBody(buffer: ByteBuffer())))
    let collector = BodyCollector()
    try await response.body.write(collector)
    return (response.head, Array(collector.buffer.readableBytesView))
  }

  private func unpacked(_ bytes: [UInt8]) throws -> String {
    String(decoding: try bytes.withUnsafeBytes { try Gzip.unpack($0, limit: 100_000) }, as: UTF8.self)
  }

  @Test("say the same in less, and that it may come otherwise")
  func compressed() async throws {
    let (head, body) = try await answer()
    #expect(head.headerFields[.contentEncoding] == "gzip")
    #expect(head.headerFields[.vary] == "Accept-Encoding")
    #expect(body.count < Self.text.utf8.count / 4)
    #expect(try unpacked(body) == Self.text)
  }

  @Test("have a weak tag; what is kept by it is not that of another one")
  func tags() async throws {
    let answers = CompressedAnswers()
    let fields: HTTPFields = [.contentType: "text/css", .eTag: "\"1\""]
    for _ in 0..<2 {
      let (head, body) = try await answer(headers: fields, by: answers)
      #expect(head.headerFields[.eTag] == "W/\"1\"")
      #expect(try unpacked(body) == Self.text)
    }
    let other = Self.text + "and more"
    let (_, body) = try await answer(saying: other, headers: [.contentType: "text/css", .eTag: "\"2\""], by: answers)
    #expect(try unpacked(body) == other)
  }

  @Test("are those that are worth it, for those who take them so")
  func plain() async throws {
    let plain = [
      try await answer(to: nil), try await answer(to: "br"), try await answer(.head), try await answer(saying: "short"),
      try await answer(status: .notFound), try await answer(headers: [.contentType: "image/png"]),
      try await answer(headers: [:]), try await answer(headers: [.contentType: "text/html", .setCookie: "a=b"]),
      try await answer(headers: [.contentType: "text/html", .contentEncoding: "br"]),
    ]
    for (head, _) in plain {
      #expect(head.headerFields[.contentEncoding] != "gzip")
      #expect(head.headerFields[.vary] == "Accept-Encoding")
    }
  }
}
