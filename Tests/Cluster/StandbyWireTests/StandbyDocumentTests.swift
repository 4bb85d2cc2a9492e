import JSONEnvelope
import JournalFormat
import Testing

@testable import StandbyWire

@Suite("Documents between a primary and a standby")
struct StandbyDocumentTests {
  private static let manifest = StandbyManifest(
    identity: StandbyWireSamples.identity, epoch: 2, place: StandbyWireSamples.place, position: 900,
    segments: [
      StandbyManifest.Segment(
        id: StandbyWireSamples.id,
        file: StandbyFile(.segment(number: 3, isPacked: true, isArchived: true), byteCount: 999, version: "1-999-5"),
        isSealed: true)
    ],
    files: [StandbyWireSamples.file, StandbyFile(.tokens, byteCount: 0, version: "x")], next: .tokens)

  @Test("a manifest says what it was made of")
  func manifest() throws {
    #expect(try StandbyManifest(parsing: Self.text(Self.manifest)) == Self.manifest)
    var last = Self.manifest
    last.next = nil
    #expect(try StandbyManifest(parsing: Self.text(last)) == last)
    #expect(last.segments[0].number == 3)
  }

  @Test(
    "a manifest with one wrong member is none",
    arguments: [
      ("\"oldest_segment\":3", "\"oldest_segment\":0"),
      ("\"oldest_id\":\"0", "\"oldest_id\":\"G"),
      ("\"epoch\":2", "\"epoch\":0"),
      ("\"epoch\":2", "\"epoch\":4294967296"),
      ("\"position\":900", "\"position\":-1"),
      ("\"position\":900", "\"position\":4611686018427387905"),
      ("\"position\":900", "\"position\":18446744073709551615"),
      ("\"segment\":7", "\"segment\":4611686018427387905"),
      ("\"oldest_segment\":3", "\"oldest_segment\":9223372036854775807"),
      ("\"position\":900", "\"position\":1.5"),
      ("\"offset\":8192", "\"offset\":4294967296"),
      ("\"number\":3", "\"number\":4"),
      ("\"is_sealed\":true", "\"is_sealed\":1"),
      ("\"size\":999", "\"size\":99999999999999999"),
      ("\"version\":\"x\"", "\"version\":\"\""),
      ("\"version\":\"x\"", "\"version\":\"a b\""),
      // A segment among the others.
      ("tokens.json\",\"size\"", "journal/000000000003.segment\",\"size\""),
      ("journal/archive/000000000003.packed", "../../etc/passwd"),
      ("\"next\":\"tokens.json\"", "\"next\":\"/\""),
      ("\"files\":[", "\"others\":["),
      ("}", ""),
    ])
  func wrongMembers(member: String, wrong: String) throws {
    let text = String(decoding: Self.text(Self.manifest), as: UTF8.self)
    let range = try #require(text.firstRange(of: member))
    let changed = Array(text.replacingCharacters(range, by: wrong).utf8)
    #expect(throws: StandbyWireError.document) { try StandbyManifest(parsing: changed) }
  }

  @Test("an acknowledgement says what it was made of")
  func acknowledgement() throws {
    let name = try #require(StandbyName("blue-2.example_x"))
    let acknowledgement = StandbyAcknowledgement(name: name, place: StandbyWireSamples.place, position: 900)
    #expect(try StandbyAcknowledgement(parsing: Self.text(acknowledgement)) == acknowledgement)
  }

  @Test(
    "what is no acknowledgement is refused",
    arguments: [
      "", "[]", "{}", "{\"standby\":\"a b\",\"segment\":1,\"offset\":0,\"position\":0}",
      "{\"standby\":\"a\",\"segment\":0,\"offset\":0,\"position\":0}",
      "{\"standby\":\"a\",\"segment\":1,\"offset\":-4,\"position\":0}",
      "{\"standby\":\"a\",\"segment\":1,\"offset\":0}",
      "{\"standby\":\"a\",\"segment\":1,\"offset\":0,\"position\":\"0\"}",
      "{\"standby\":\"a\",\"x\":\"\(String(repeating: "x", count: 1024))\",\"segment\":1,\"offset\":0,\"position\":0}",
    ])
  func badAcknowledgements(text: String) {
    #expect(throws: StandbyWireError.document) { try StandbyAcknowledgement(parsing: Array(text.utf8)) }
  }

  @Test("a name is short and plain", arguments: ["", "a b", "ä", "a/b", "a\n", String(repeating: "a", count: 65)])
  func badNames(text: String) { #expect(StandbyName(text) == nil) }

  @Test("a refusal is read from its reason", arguments: StandbyRefusal.allCases)
  func refusals(refusal: StandbyRefusal) {
    #expect(StandbyRefusal(parsing: Array("{\"message\":\"m\",\"reason\":\"\(refusal.rawValue)\"}".utf8)) == refusal)
    #expect((400..<600).contains(refusal.status))
  }

  @Test("another answer has no reason", arguments: ["", "{}", "{\"reason\":\"else\"}", "{\"reason\":1}", "<html>"])
  func noRefusals(text: String) { #expect(StandbyRefusal(parsing: Array(text.utf8)) == nil) }

  @Test("a segment's id has 32 small digits")
  func ids() {
    let id = StandbyWireSamples.id
    #expect(id.hexadecimal == "0123456789abcdef0000000000000001")
    #expect(SegmentID(hexadecimal: id.hexadecimal) == id)
    #expect(SegmentID(hexadecimal: id.hexadecimal.uppercased()) == nil)
    #expect(SegmentID(hexadecimal: "+123456789abcdef0000000000000001") == nil)
    #expect(SegmentID(hexadecimal: id.hexadecimal.dropLast()) == nil)
  }

  private static func text(_ value: some JSONWritable) -> [UInt8] {
    var writer = JSONWriter()
    writer.value(value)
    return writer.bytes
  }
}

extension String {
  fileprivate func replacingCharacters(_ range: Range<String.Index>, by text: String) -> String {
    var copy = self
    copy.replaceSubrange(range, with: text)
    return copy
  }
}
