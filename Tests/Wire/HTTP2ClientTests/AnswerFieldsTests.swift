import NIOHPACK
import Testing

@testable import HTTP2Client

/// NIOHTTP2 does not look at them: the client does.
@Suite("The fields of an answer")
struct AnswerFieldsTests {
  @Test(
    "a head has its status at first and once, and no field that HTTP/2 has not",
    arguments: [
      ([(":status", "200"), ("apns-id", "x")], true), ([(":status", "100")], true), ([], false),
      ([("apns-id", "x"), (":status", "200")], false), ([(":status", "200"), (":status", "200")], false),
      ([(":status", "20")], false), ([(":status", "")], false), ([(":path", "/")], false),
      ([(":status", "200"), ("Date", "x")], false), ([(":status", "200"), ("connection", "close")], false),
      ([(":status", "200"), ("", "x")], false), ([(":status", "200"), ("a b", "x")], false),
      ([(":status", "200"), ("a", "x\r\nb: c")], false), ([(":status", "200"), ("a", "x\0")], false),
      ([(":status", "200"), ("a", "")], true),
    ] as [([(String, String)], Bool)])
  func head(_ fields: [(String, String)], _ isGood: Bool) {
    #expect(HPACKHeaders(fields).isWellFormed(asHeadOfAnswer: true) == isGood)
  }

  @Test("trailers have no status")
  func trailers() {
    #expect(HPACKHeaders([("a", "x")]).isWellFormed(asHeadOfAnswer: false))
    #expect(HPACKHeaders([]).isWellFormed(asHeadOfAnswer: false))
    #expect(!HPACKHeaders([(":status", "200")]).isWellFormed(asHeadOfAnswer: false))
  }
}
