import PeerFormats
import Testing

@Suite("What nchan sends")
struct NchanTests {
  private func number(_ text: String, at offset: Int = 0) -> Int? {
    Array(text.utf8).withUnsafeBytes { NumberedText.number(in: $0, at: offset) }
  }

  @Test("a message's number stands at its beginning")
  func number() {
    #expect(number("#000000001 hello") == 1)
    #expect(number("#123456789") == 123_456_789)
    #expect(number("{\"message\":\"#000000042 hi\"}", at: 12) == 42)
  }

  @Test(
    "what is no numbered text has no number",
    arguments: ["", "#", "#00000001", "#00000000a hello", "000000001 hello", " #000000001 hello", "queued messages: 1"])
  func noNumber(text: String) { #expect(number(text) == nil) }

  @Test("nothing is read behind the end")
  func behindTheEnd() {
    #expect(number("#000000001", at: 1) == nil)
    #expect(number("#000000001", at: 10) == nil)
    #expect(number("#000000001", at: 11) == nil)
  }

  @Test("the next poll says again where the last answer stood")
  func cursor() throws {
    let cursor = try #require(NchanCursor(modified: "Tue, 24 Nov 2026 13:50:22 GMT", tag: "7"))
    #expect(
      cursor.fields == "If-Modified-Since: Tue, 24 Nov 2026 13:50:22 GMT\r\nIf-None-Match: 7\r\n")
  }

  @Test(
    "without time or tag there is no going on",
    arguments: [("", "7"), ("Tue", ""), (nil, "7"), ("Tue", nil)] as [(String?, String?)])
  func noCursor(modified: String?, tag: String?) { #expect(NchanCursor(modified: modified, tag: tag) == nil) }
}
