import JSONEnvelope
import PushDomain
import Testing

@testable import PushProviders

@Suite("APNs payload, over its limit")
struct APNsFitTests {
  private func fitted(_ message: PushMessage, _ options: [String: String] = [:]) throws -> [UInt8]? {
    try APNsPayload(message, PushOptions(options)).fittedBytes()
  }

  private func value(_ bytes: [UInt8]?) throws -> JSONValue { try JSONValue(parsing: try #require(bytes)) }

  @Test("256 bytes pass whole and 257 do not")
  func border() throws {
    let fixed = #"{"aps":{"alert":{"body":""}},"message":{"serviceId":"1"}}"#.utf8.count
    for (count, isWhole) in [(256 - fixed, true), (257 - fixed, false)] {
      let text = String(repeating: "x", count: count)
      let message = MobileSamples.message(MobileSamples.ios(), alert: text, content: #"{"serviceId":"1"}"#)
      let bytes = try #require(try fitted(message))
      #expect(bytes.count <= 256)
      #expect((try value(bytes)["aps"]?["alert"]?["body"]?.string == text) == isWhole)
    }
  }

  @Test("the title goes before the text is touched")
  func title() throws {
    let text = String(repeating: "x", count: 150)
    let message = MobileSamples.message(MobileSamples.ios(), alert: text, content: #"{"serviceId":"1"}"#)
    let alert = try value(try fitted(message, ["apple.title": String(repeating: "t", count: 100)]))["aps"]?["alert"]
    #expect(alert?["title"] == nil)
    #expect(alert?["body"]?.string == text)
  }

  @Test(
    "the text is cut between characters, never within one, and ends with …",
    arguments: [
      "👨‍👩‍👧‍👦", "é", "e\u{301}", "🇩🇪", "\"", "\u{1}", "Ж",
    ])
  func graphemes(character: String) throws {
    let text = String(repeating: character, count: 300)
    let message = MobileSamples.message(MobileSamples.ios(), alert: text, content: #"{"serviceId":"1"}"#)
    let bytes = try #require(try fitted(message))
    #expect(bytes.count <= 256)
    let body = try #require(try value(bytes)["aps"]?["alert"]?["body"]?.string)
    #expect(body.last == "…")
    #expect(body.dropLast().allSatisfy { $0 == Character(character) })
    // One more would have been too long.
    let escaped = JSONValue.string(character).text.count - 2
    #expect(bytes.count + escaped > 256)
  }

  @Test("if the alert says the same, the inner message goes and the alert stays long")
  func innerMessage() throws {
    let text = String(repeating: "long ", count: 40)
    let message = MobileSamples.message(
      MobileSamples.ios(), alert: text,
      content: #"{"message":"\#(text)","serviceId":"\#(MobileSamples.serviceID)","_id":"i","_action":"a"}"#)
    let result = try value(try fitted(message))
    #expect(result["message"]?.object?.names == ["serviceId", "_id", "_action"])
    let body = try #require(result["aps"]?["alert"]?["body"]?.string)
    #expect(body.hasSuffix("…"))
    #expect(body.count > 80)
  }

  @Test("a message whose ids alone are too long is refused")
  func tooLarge() throws {
    let message = MobileSamples.message(
      MobileSamples.ios(), content: #"{"serviceId":"\#(String(repeating: "1", count: 300))"}"#)
    #expect(try fitted(message) == nil)
    let members = MobileSamples.message(
      MobileSamples.ios(), content: #"{"a":"\#(String(repeating: "1", count: 4_100))"}"#, form: .members)
    #expect(try fitted(members) == nil)
  }

  @Test("a string message is counted with its escapes")
  func stringForm() throws {
    let message = MobileSamples.message(
      MobileSamples.ios(), alert: String(repeating: "a", count: 200),
      content: #"{"message":"\#(String(repeating: #"\""#, count: 40))","serviceId":"1"}"#)
    let bytes = try #require(try fitted(message, ["apple.message_format": "string"]))
    #expect(bytes.count <= 256)
    let inner = try #require(try value(bytes)["message"]?.string)
    #expect(try JSONValue(parsing: inner)["serviceId"]?.string == "1")
  }

  @Test(
    "the limit is Apple's own for the app's own keys, and an option bounds it",
    arguments: [
      (PushContentForm.message, "", 256), (.members, "", 4_096), (.message, "4096", 4_096), (.message, "5120", 4_096),
      (.members, "1000", 1_000), (.message, "5121", 256), (.message, "-1", 256), (.message, "x", 256),
    ])
  func limits(form: PushContentForm, option: String, expected: Int) throws {
    let message = MobileSamples.message(MobileSamples.ios(), content: "{}", form: form)
    let options = option.isEmpty ? [:] : ["apple.payload_limit": option]
    #expect(try APNsPayload(message, PushOptions(options)).bytesMaximum == expected)
  }

  @Test("a voip push may have 5,120 bytes")
  func voip() throws {
    let message = MobileSamples.message(
      MobileSamples.ios(), content: "{}", display: MobileSamples.display { $0.pushType = "voip" }, form: .members)
    #expect(try APNsPayload(message, PushOptions()).bytesMaximum == 5_120)
  }

  private static let transcript = ["apple.include_transcript": "true"]

  @Test("with the transcript asked for, all of it goes if it fits")
  func wholeTranscript() throws {
    let result = try value(
      try fitted(
        MobileSamples.message(MobileSamples.ios()), Self.transcript.merging(["apple.payload_limit": "4096"]) { $1 }))
    #expect(result["message"]?["lastTranscript"]?.array?.count == 2)
    #expect(result["message"]?["truncated"] == nil)
  }

  @Test("its oldest entries go first, and the message says so")
  func oldestEntries() throws {
    let entries = (1...20).map { #"{"Message.Text":"line \#($0)"}"# }.joined(separator: ",")
    let message = MobileSamples.message(
      MobileSamples.ios(), alert: "Hi", content: #"{"serviceId":"1","lastTranscript":[\#(entries)]}"#)
    let bytes = try #require(try fitted(message, Self.transcript))
    #expect(bytes.count <= 256)
    let result = try value(bytes)["message"]
    let kept = try #require(result?["lastTranscript"]?.array)
    #expect((2..<20).contains(kept.count))
    #expect(kept.last?["Message.Text"]?.string == "line 20")
    #expect(result?["truncated"]?.bool == true)
    #expect(try value(bytes)["aps"]?["alert"]?["body"]?.string == "Hi")
  }

  @Test("then the newest one's text is cut")
  func newestEntry() throws {
    let message = MobileSamples.message(
      MobileSamples.ios(), alert: "Hi",
      content: #"{"serviceId":"1","lastTranscript":[{"Message.Text":"\#(String(repeating: "ü", count: 500))"}]}"#)
    let bytes = try #require(try fitted(message, Self.transcript))
    #expect((250...256).contains(bytes.count))
    let text = try #require(try value(bytes)["message"]?["lastTranscript"]?[0]?["Message.Text"]?.string)
    #expect(text.hasSuffix("ü…"))
  }

  @Test("whatever the texts are, the result is JSON within the limit that keeps its ids, or nothing")
  func randomTexts() throws {
    var random = MobileSplitMix(seed: 20_261_121)
    let pieces = ["a", "é", "\"", "\\", "\n", "👩🏽‍🚀", "漢", "\u{202E}", " ", "\u{7F}", "e\u{301}\u{302}"]
    for _ in 0..<300 {
      func text(_ most: Int) -> String {
        (0..<Int(random.next() % UInt64(most))).map { _ in pieces[Int(random.next() % UInt64(pieces.count))] }.joined()
      }
      let content = JSONValue.object([
        "message": .string(text(120)), "serviceId": .string("s-1"),
        "lastTranscript": .array((0..<Int(random.next() % 5)).map { _ in ["Message.Text": .string(text(80))] }),
      ])
      let message = MobileSamples.message(
        MobileSamples.ios(), alert: text(200), content: String(decoding: content.text, as: UTF8.self))
      var options = Self.transcript
      if random.next() % 2 == 0 { options["apple.message_format"] = "string" }
      let bytes = try #require(try fitted(message, options))
      #expect(bytes.count <= 256)
      let own = try #require(try value(bytes)["message"])
      let inner = try own.string.map { text in try JSONValue(parsing: text) } ?? own
      #expect(inner["serviceId"]?.string == "s-1")
    }
  }
}

/// A small generator, so that a failing run repeats.
struct MobileSplitMix: RandomNumberGenerator {
  private var state: UInt64
  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}
