import EventSourcing
import Testing

@Suite("Timestamp, as ISO 8601 text")
struct TimestampTextTests {
  @Test(
    "a moment is printed and read back",
    arguments: [
      (0, "1970-01-01T00:00:00Z"),
      (951_782_400, "2000-02-29T00:00:00Z"),
      (951_868_799, "2000-02-29T23:59:59Z"),
      (951_868_800, "2000-03-01T00:00:00Z"),
      (1_709_164_800, "2024-02-29T00:00:00Z"),
      (1_770_798_605, "2026-02-11T08:30:05Z"),
      (4_107_542_399, "2100-02-28T23:59:59Z"),
      (4_107_542_400, "2100-03-01T00:00:00Z"),
      (253_402_300_799, "9999-12-31T23:59:59Z"),
      (-1, "1969-12-31T23:59:59Z"),
      (-2_203_977_600, "1900-02-28T00:00:00Z"),
      (-11_644_473_600, "1601-01-01T00:00:00Z"),
      (-62_167_219_200, "0000-01-01T00:00:00Z"),
    ] as [(Int64, String)])
  func wholeSeconds(seconds: Int64, text: String) {
    #expect(Timestamp(milliseconds: seconds * 1000).iso8601 == text)
    #expect(Timestamp(iso8601: text) == Timestamp(milliseconds: seconds * 1000))
  }

  @Test(
    "milliseconds are counted up from the second below, before 1970 too",
    arguments: [
      (5, "1970-01-01T00:00:00.005Z"), (1_500, "1970-01-01T00:00:01.500Z"), (-1, "1969-12-31T23:59:59.999Z"),
      (-1_000, "1969-12-31T23:59:59.000Z"), (-1_001, "1969-12-31T23:59:58.999Z"),
    ] as [(Int64, String)])
  func milliseconds(milliseconds: Int64, text: String) {
    #expect(Timestamp(milliseconds: milliseconds).iso8601Milliseconds == text)
    #expect(Timestamp(iso8601: text) == Timestamp(milliseconds: milliseconds))
  }

  @Test("whole seconds are rounded down, before 1970 too")
  func roundsDown() {
    #expect(Timestamp(milliseconds: 1_999).iso8601 == "1970-01-01T00:00:01Z")
    #expect(Timestamp(milliseconds: -1).iso8601 == "1969-12-31T23:59:59Z")
  }

  @Test("every day of eight hundred years survives printing and reading")
  func everyDay() {
    var day: Int64 = -146_097
    while day < 146_097 {
      let moment = Timestamp(milliseconds: day * 86_400_000 + 45_296_789)
      #expect(Timestamp(iso8601: moment.iso8601Milliseconds) == moment)
      day += 1
    }
  }

  @Test("digits beyond milliseconds are read and dropped")
  func longFraction() {
    #expect(Timestamp(iso8601: "1970-01-01T00:00:00.123456789Z") == Timestamp(milliseconds: 123))
    #expect(Timestamp(iso8601: "1970-01-01T00:00:00.1Z") == Timestamp(milliseconds: 100))
  }

  @Test("second 60 is the first of the next minute")
  func leapSecond() {
    #expect(Timestamp(iso8601: "2016-12-31T23:59:60Z") == Timestamp(iso8601: "2017-01-01T00:00:00Z"))
  }

  @Test(
    "anything else is refused",
    arguments: [
      "", "Z", "2026-02-11", "2026-02-11T08:30:05", "2026-02-11 08:30:05Z", "2026-02-11T08:30:05z",
      "2026-02-11T08:30:05+00:00", "2026-13-11T08:30:05Z", "2026-00-11T08:30:05Z", "2026-02-00T08:30:05Z",
      "2026-02-29T08:30:05Z", "2026-02-30T08:30:05Z", "2026-04-31T08:30:05Z", "2100-02-29T00:00:00Z",
      "2026-02-11T24:00:00Z", "2026-02-11T08:60:05Z", "2026-02-11T08:30:61Z", "2026-02-11T08:30:05.Z",
      "2026-02-11T08:30:05,5Z", "2026-02-11T08:30:05.123abcZ", "2026-02-11T08:30:05.1234567890Z",
      "+026-02-11T08:30:05Z", "2026-02-11T08:30:0５Z", "-2026-02-11T08:30:05Z", "20260-02-11T08:30:05Z",
    ])
  func refused(text: String) {
    #expect(Timestamp(iso8601: text) == nil)
  }

  @Test("the ends of the range are printed without overflow", arguments: [Int64.min, .min + 1, .max - 1, .max])
  func ends(milliseconds: Int64) {
    let moment = Timestamp(milliseconds: milliseconds)
    #expect(moment.iso8601.hasSuffix("Z"))
    #expect(moment.iso8601Milliseconds.hasSuffix("Z"))
  }
}

@Suite("Timestamp, reckoning")
struct TimestampReckoningTests {
  @Test("seconds since an earlier moment are rounded down and never negative")
  func seconds() {
    let start = Timestamp(milliseconds: 10_500)
    #expect(Timestamp(milliseconds: 11_499).seconds(since: start) == 0)
    #expect(Timestamp(milliseconds: 11_500).seconds(since: start) == 1)
    #expect(Timestamp(milliseconds: 9_000).seconds(since: start) == 0)
  }

  @Test("a difference beyond the range saturates")
  func extremeSeconds() {
    let first = Timestamp(milliseconds: .min)
    let last = Timestamp(milliseconds: .max)
    #expect(last.seconds(since: first) == Int64.max / 1000)
    #expect(first.seconds(since: last) == 0)
  }

  @Test("advancing saturates at both ends")
  func advanced() {
    #expect(Timestamp(milliseconds: 5).advanced(by: .seconds(2)) == Timestamp(milliseconds: 2_005))
    #expect(Timestamp(milliseconds: 5).advanced(by: .milliseconds(-6)) == Timestamp(milliseconds: -1))
    #expect(Timestamp(milliseconds: .max).advanced(by: .seconds(1)) == Timestamp(milliseconds: .max))
    #expect(Timestamp(milliseconds: .min).advanced(by: .seconds(-1)) == Timestamp(milliseconds: .min))
  }

  @Test("a duration becomes whole milliseconds, rounded down")
  func wholeMilliseconds() {
    #expect(Duration.milliseconds(1_234).wholeMilliseconds == 1_234)
    #expect(Duration.microseconds(1_999).wholeMilliseconds == 1)
    #expect(Duration.microseconds(-1).wholeMilliseconds == -1)
    #expect(Duration.milliseconds(-1_234).wholeMilliseconds == -1_234)
    #expect(Duration(secondsComponent: .max, attosecondsComponent: 0).wholeMilliseconds == .max)
    #expect(Duration(secondsComponent: .min, attosecondsComponent: 0).wholeMilliseconds == .min)
    let edge = Duration(
      secondsComponent: Int64.max / 1000, attosecondsComponent: 999_000_000_000_000_000)
    #expect(edge.wholeMilliseconds == .max)
  }
}

@Suite("Entity names")
struct EntityIDTests {
  @Test(
    "a kind is read by the name that it prints",
    arguments: [EntityKind.chatSession, .cometSession, .pushQueue, .agent])
  func names(kind: EntityKind) throws {
    #expect(EntityKind(name: try #require(kind.name)) == kind)
  }

  @Test("the numbers of the kinds are frozen")
  func frozen() {
    #expect([EntityKind.chatSession, .cometSession, .pushQueue, .agent].map(\.rawValue) == [1, 2, 3, 4])
  }

  @Test("an unknown kind has no name, and an unknown name no kind")
  func unknown() {
    #expect(EntityKind(rawValue: 200).name == nil)
    #expect(EntityKind(name: "chats") == nil)
    #expect(EntityID(EntityKind(rawValue: 200), "a").description == "200:a")
    #expect(EntityID(.chatSession, "412-a").description == "chat:412-a")
  }
}
