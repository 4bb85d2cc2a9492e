import PushDomain
import Testing

@Suite("Device identifiers")
struct DeviceIdentifierTests {
  @Test(
    "they are brought into one spelling",
    arguments: [
      ("ios", "9F1C07AB", "9f1c07ab"), ("ios", "<9f1c 07ab 0011>", "9f1c07ab0011"), ("ios", " 9F1C ", "9f1c"),
      // Not all hex digits: it is left as it is.
      ("ios", "9F1CXY", "9F1CXY"), ("ios", "ＦＦ", "ＦＦ"), ("fcm", "AbC:dE-_f", "AbC:dE-_f"), ("fcm", "9F1C", "9F1C"),
      ("fcm", "a b", "ab"), ("gcm", "<t>", "t"), ("android", "T k", "Tk"),
      ("airship", "ios_channel:A", "ios_channel:A"),
      ("comet", "x", "x"), ("httpcb", "https://h/ä?a=<b> c", "https://h/ä?a=<b> c"), ("customhttp", " x ", " x "),
      ("webpush", #"{"endpoint": "https://h/<x>"}"#, #"{"endpoint": "https://h/<x>"}"#),
    ])
  func cleaned(type: String, text: String, becomes: String) throws {
    #expect(try DeviceIdentifier.cleaned(text, type: type) == becomes)
    #expect(try DeviceIdentifier.cleaned(becomes, type: type) == becomes)
  }

  @Test(
    "what names no device is refused",
    arguments: [
      ("ios", "", .empty), ("ios", "   ", .empty), ("fcm", "<>", .empty), ("httpcb", "", .empty),
      ("webpush", "", .empty), ("httpcb", "device-7", .noURL), ("httpcb", "ftp://h/x", .noURL),
      ("httpcb", "https://", .noURL),
      ("ios", "ab\ncd", .whiteSpace), ("ios", "ab\r\ncd", .whiteSpace), ("fcm", "a\tb", .whiteSpace),
      ("fcm", "a\u{0}b", .whiteSpace), ("fcm", "a\u{7F}", .whiteSpace), ("fcm", "a\u{A0}b", .whiteSpace),
      ("fcm", "a\u{2028}b", .whiteSpace), ("fcm", "a \u{301}b", .whiteSpace), ("ios", "\u{3000}", .whiteSpace),
      ("ios", String(repeating: "a", count: 4_097), .tooLong),
      ("httpcb", String(repeating: "a", count: 4_097), .tooLong),
      ("fcm", String(repeating: "ä", count: 2_049), .tooLong),
    ] as [(String, String, DeviceIdentifier.Problem)])
  func refused(type: String, text: String, problem: DeviceIdentifier.Problem) {
    #expect(throws: problem) { try DeviceIdentifier.cleaned(text, type: type) }
  }

  @Test("the longest is taken")
  func longest() throws {
    let text = String(repeating: "a", count: DeviceIdentifier.lengthMaximum)
    #expect(try DeviceIdentifier.cleaned(text, type: "ios") == text)
  }

  @Test(
    "a token is one person's, a URL or a name may be many people's",
    arguments: [
      ("ios", true), ("fcm", true), ("gcm", true), ("android", true), ("airship", true), ("webpush", true),
      ("httpcb", false), ("customhttp", false), ("comet", false),
    ])
  func tokens(type: String, isToken: Bool) { #expect(DeviceIdentifier.isToken(type: type) == isToken) }
}
