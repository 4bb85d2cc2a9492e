import CallbackDomain
import EventSourcing
import Testing

@Suite("Business hours, as a configuration has them")
struct BusinessHoursTests {
  struct Moment: Sendable, CustomTestStringConvertible {
    let options: [(name: String, value: String)]
    /// Local time.
    let time: String
    let isOpen: Bool

    init(_ options: [(name: String, value: String)], _ time: String, _ isOpen: Bool) {
      self.options = options
      self.time = time
      self.isOpen = isOpen
    }

    var testDescription: String { "\(options.map(\.value)) at \(time)" }
  }

  private static let week = [(name: "bh_regular1", value: "Mon-Fri 09:00-18:00")]
  private static let lunch = [(name: "bh_regular", value: "Mon,Wed 09:00-12:00,13:00-17:00")]
  private static let night = [(name: "bh_regular_night", value: "Fri 22:00-02:00")]
  private static let sundayNight = [(name: "bh_regular", value: "Sun 23:30-0:30")]
  private static let weekend = [(name: "bh_regular", value: "sat-MONDAY 10:00-24:00")]
  private static let feast =
    week + [
      (name: "bh_holiday1", value: "12-25, 2026-05-25"), (name: "bh_holiday2", value: "2026-12-24,2026-12-31"),
      (name: "bh_additional1", value: "2026-12-24 09:00-13:00"), (name: "bh_additional2", value: "05-23 10:00-11:00"),
      (name: "bh_additional3", value: "2026-05-23 12:00-13:00,12:30-14:00"),
    ]
  private static let leap = [
    (name: "bh_regular", value: "Mon-Sun 08:00-09:00"), (name: "bh_holiday", value: "02-29"),
  ]

  static let moments: [Moment] = [
    // 2026-03-02 is a Monday.
    Moment(week, "2026-03-02T08:59:59.999Z", false), Moment(week, "2026-03-02T09:00:00Z", true),
    Moment(week, "2026-03-06T17:59:59.999Z", true), Moment(week, "2026-03-06T18:00:00Z", false),
    Moment(week, "2026-03-07T12:00:00Z", false), Moment(week, "2026-03-08T12:00:00Z", false),
    Moment(lunch, "2026-03-02T11:59:00Z", true), Moment(lunch, "2026-03-02T12:00:00Z", false),
    Moment(lunch, "2026-03-04T13:00:00Z", true), Moment(lunch, "2026-03-03T10:00:00Z", false),
    // Into the next day, and from Sunday into Monday.
    Moment(night, "2026-03-06T21:59:00Z", false), Moment(night, "2026-03-06T22:00:00Z", true),
    Moment(night, "2026-03-07T01:59:00Z", true), Moment(night, "2026-03-07T02:00:00Z", false),
    Moment(night, "2026-03-07T22:00:00Z", false),
    Moment(sundayNight, "2026-03-08T23:59:59Z", true), Moment(sundayNight, "2026-03-09T00:29:59Z", true),
    Moment(sundayNight, "2026-03-09T00:30:00Z", false), Moment(sundayNight, "2026-03-08T00:00:00Z", false),
    // A span of days over the end of the week.
    Moment(weekend, "2026-03-07T10:00:00Z", true), Moment(weekend, "2026-03-09T23:59:00Z", true),
    Moment(weekend, "2026-03-10T10:00:00Z", false), Moment(weekend, "2026-03-08T00:00:00Z", false),
    // Holidays; extra hours win over them, a day with its year over one of each year.
    Moment(feast, "2026-12-25T10:00:00Z", false), Moment(feast, "2030-12-25T10:00:00Z", false),
    Moment(feast, "2026-05-25T10:00:00Z", false), Moment(feast, "2027-05-25T10:00:00Z", true),
    Moment(feast, "2026-12-24T09:30:00Z", true), Moment(feast, "2026-12-24T13:00:00Z", false),
    Moment(feast, "2026-12-31T10:00:00Z", false), Moment(feast, "2026-05-23T10:30:00Z", false),
    Moment(feast, "2026-05-23T13:59:00Z", true), Moment(feast, "2027-05-23T10:30:00Z", true),
    // The 29th of February is a holiday where there is one.
    Moment(leap, "2028-02-29T08:30:00Z", false), Moment(leap, "2028-02-28T08:30:00Z", true),
    Moment(leap, "2027-03-01T08:30:00Z", true), Moment(leap, "2028-03-01T08:30:00Z", true),
    // Before 1970, and nothing at all.
    Moment(week, "1969-12-31T09:00:00Z", true), Moment(week, "1969-12-28T09:00:00Z", false),
    Moment([], "2026-03-02T10:00:00Z", false),
  ]

  @Test("a moment is within the hours, or not", arguments: moments)
  func moment(_ moment: Moment) throws {
    let hours = try BusinessHours(options: moment.options)
    let time = try #require(Timestamp(iso8601: moment.time))
    #expect(hours.isOpen(at: time, offset: 0) == moment.isOpen)
    // The same clock on a wall east and west of Greenwich.
    for offset in [5 * 3_600 + 1_800, -11 * 3_600] {
      #expect(hours.isOpen(at: time.advanced(by: .seconds(-offset)), offset: offset) == moment.isOpen)
    }
  }

  @Test("hours that overlap or touch are one; their order does not matter")
  func united() throws {
    let first = (name: "bh_regular1", value: "Tue 09:00-12:00,11:00-13:00,14:00-15:00")
    let second = (name: "bh_regular2", value: "Mon-Wed 13:00-14:00")
    let hours = try BusinessHours(options: [first, second])
    #expect(hours == (try BusinessHours(options: [second, first])))
    #expect(hours.regular[1] == [BusinessHours.Interval(start: 540, end: 900)])
    #expect(hours.regular[2] == [BusinessHours.Interval(start: 780, end: 840)])
    #expect(
      try BusinessHours(options: [("bh_regular", "Mon-Sun 00:00-24:00")]) == BusinessHours.always,
      "a whole day is one interval")
  }

  static let faults: [(name: String, value: String, reason: String)] = [
    ("bh_regular1", "Mo-Fri 09:00-18:00", "\"Mo\" is no day of the week (Mon, Tue, Wed, Thu, Fri, Sat, Sun)"),
    ("bh_regular1", "Mon-Wed-Fri 09:00-18:00", "\"Mon-Wed-Fri\" is no span of days (Mon-Fri)"),
    ("bh_regular1", "Mon- 09:00-18:00", "\"\" is no day of the week (Mon, Tue, Wed, Thu, Fri, Sat, Sun)"),
    ("bh_regular1", "Mon-Fri", "it names no times (09:00-18:00)"),
    ("bh_regular1", " , ", "it names no day"),
    ("bh_regular1", "09:00-18:00", "it names no day"),
    ("bh_regular1", "Mon 9-18", "it names no times (09:00-18:00)"),
    ("bh_regular1", "Mon 09:00", "\"09:00\" is no span of time (09:00-18:00; a whole day is 00:00-24:00)"),
    ("bh_regular1", "Mon 09:00-09:00", "\"09:00-09:00\" is no span of time (09:00-18:00; a whole day is 00:00-24:00)"),
    ("bh_regular1", "Mon 24:00-09:00", "\"24:00-09:00\" is no span of time (09:00-18:00; a whole day is 00:00-24:00)"),
    ("bh_regular1", "Mon 09:00-25:00", "\"25:00\" is no time of day (00:00 to 24:00)"),
    ("bh_regular1", "Mon 09:60-10:00", "\"09:60\" is no time of day (00:00 to 24:00)"),
    ("bh_regular1", "Mon 09:0-10:00", "\"09:0\" is no time of day (00:00 to 24:00)"),
    ("bh_regular1", "Mon 09:00-24:01", "\"24:01\" is no time of day (00:00 to 24:00)"),
    ("bh_regular1", "Mon +9:00-10:00", "\"+9:00\" is no time of day (00:00 to 24:00)"),
    ("bh_regular1", "Mon :-:", "\":\" is no time of day (00:00 to 24:00)"),
    (
      "bh_regular1", "Mon 09:00-10:00 Tue 10:00-11:00",
      "\"Tue\" stands behind the times: days come first, other days take another option"
    ),
    ("bh_holiday", "", "it names no day"),
    (
      "bh_holiday", "2026-02-29", "\"2026-02-29\" is no day of the calendar (2026-12-24, or 12-24 for each year)"
    ),
    ("bh_holiday", "13-01", "\"13-01\" is no day of the calendar (2026-12-24, or 12-24 for each year)"),
    ("bh_holiday", "24.12.", "\"24.12.\" is no day of the calendar (2026-12-24, or 12-24 for each year)"),
    ("bh_holiday", "Mon", "\"Mon\" is no day of the calendar (2026-12-24, or 12-24 for each year)"),
    ("bh_holiday", "12-24 09:00-13:00", "a holiday is closed all day: \"bh_additional\" takes times"),
    ("bh_additional2", "2026-12-24", "it names no times (09:00-18:00)"),
    (
      "bh_additional2", "2026-12-31 20:00-02:00",
      "\"20:00-02:00\" goes on into the next day, which needs an entry of its own"
    ),
    ("bh_extra", "Mon 09:00-18:00", "no option of business hours"),
  ]

  @Test("a fault is told with its option", arguments: faults)
  func fault(name: String, value: String, reason: String) {
    let error = #expect(throws: BusinessHoursError.self) { try BusinessHours(options: [(name, value)]) }
    #expect(error?.option == name && error?.reason == reason && error?.description == "\(name): \(reason)")
  }

  @Test("the family of options is known by its beginning")
  func family() {
    #expect(["bh_regular", "bh_regular_summer", "bh_holiday12", "bh_additional"].allSatisfy(BusinessHours.isOption))
    #expect(!["bh_", "regular", "_bh_regular", ""].contains(where: BusinessHours.isOption))
  }

  @Test("no moment is too far away", arguments: [Int64.min, .min + 1, -1, .max - 1, .max])
  func extremes(milliseconds: Int64) throws {
    let hours = try BusinessHours(options: Self.feast)
    for offset in [Int.min, -1, 0, .max] {
      #expect(BusinessHours.always.isOpen(at: Timestamp(milliseconds: milliseconds), offset: offset))
      _ = hours.isOpen(at: Timestamp(milliseconds: milliseconds), offset: offset)
    }
  }
}
