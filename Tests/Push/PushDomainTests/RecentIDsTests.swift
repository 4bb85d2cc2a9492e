import EventSourcing
import Testing

@testable import PushDomain

@Suite("Ids that are remembered for a while")
struct RecentIDsTests {
  static let now = Timestamp(milliseconds: 1_770_000_000_000)

  @Test(
    "one is known by its id and whose it is, for ten minutes",
    arguments: [
      ("a", "s", 0, true), ("a", "s", 599_999, true), ("a", "s", 600_000, false), ("a", "t", 0, false),
      ("b", "s", 0, false), ("s", "a", 0, false), ("", "s", 0, false), ("as", "", 0, false),
      // The clock was set back.
      ("a", "s", -3_600_000, true),
    ])
  func window(id: String, sender: String, after milliseconds: Int, isKnown: Bool) throws {
    var recent = RecentIDs()
    #expect(!recent.contains("a", of: "s", at: Self.now))
    recent.insert("a", of: "s", at: Self.now)
    let then = Self.now.advanced(by: .milliseconds(milliseconds))
    #expect(recent.contains(id, of: sender, at: then) == isKnown)
    #expect(try RecentIDs(bytes: recent.bytes).contains(id, of: sender, at: then) == isKnown)
  }

  @Test("a thousand are remembered, the oldest of them makes room")
  func count() {
    var recent = RecentIDs()
    for number in 0..<1_001 { recent.insert("\(number)", of: "s", at: Self.now) }
    #expect(!recent.contains("0", of: "s", at: Self.now))
    for number in 1..<1_001 { #expect(recent.contains("\(number)", of: "s", at: Self.now)) }
    #expect(recent.bytes.count < 24_000)
  }

  @Test("what is too old leaves when the next one comes")
  func pruning() {
    var recent = RecentIDs()
    for number in 0..<100 { recent.insert("\(number)", of: "s", at: Self.now) }
    recent.insert("new", of: "s", at: Self.now.advanced(by: RecentIDs.retention))
    var alone = RecentIDs()
    alone.insert("new", of: "s", at: Self.now.advanced(by: RecentIDs.retention))
    #expect(recent == alone)
  }

  @Test("of those who are to be forgotten nothing stays")
  func forgetting() {
    var recent = RecentIDs()
    for sender in ["s", "t", "u"] { recent.insert("a", of: sender, at: Self.now) }
    recent.forget(["s", "u", "nobody"])
    #expect(["s", "t", "u"].filter { recent.contains("a", of: $0, at: Self.now) } == ["t"])
  }

  @Test("the bytes are frozen, whatever the clock did; columns of different lengths are refused")
  func bytes() throws {
    #expect(RecentIDs().bytes.isEmpty)
    var recent = RecentIDs()
    recent.insert("", of: "", at: Timestamp(milliseconds: 300))
    recent.insert("", of: "", at: Timestamp(milliseconds: 299))
    // The digest of nothing.
    let digest: [UInt8] = [0xA5, 0xC6, 0x88, 0xA1, 0xC8, 0x9C, 0xA7, 0xF9, 0xCB, 0x01]
    let times: [UInt8] = [0xAC, 0x02] + Array(repeating: 0xFF, count: 9) + [0x01]
    #expect(recent.bytes == [0x0A, 20] + digest + digest + [0x12, 20] + digest + digest + [0x1A, 12] + times)
    #expect(try RecentIDs(bytes: recent.bytes) == recent)
    #expect(throws: PayloadError.outOfRange(field: 2)) { try RecentIDs(bytes: [0x0A, 1, 7]) }
  }
}
