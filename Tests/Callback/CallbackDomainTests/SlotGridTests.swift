import CallbackDomain
import EventSourcing
import Testing

/// A zone as a table: from each moment on, local time is so many seconds ahead of UTC.
struct OffsetTable: Sendable, CustomTestStringConvertible {
  let name: String
  let standard: Int
  let changes: [(from: Timestamp, offset: Int)]

  init(_ name: String, _ standard: Int, _ changes: [(String, Int)]) {
    self.name = name
    self.standard = standard
    self.changes = changes.map { (Timestamp(iso8601: $0) ?? .epoch, $1) }
  }

  @Sendable func callAsFunction(_ time: Timestamp) -> Int { changes.last { $0.from <= time }?.offset ?? standard }

  var testDescription: String { name }

  static let utc = OffsetTable("UTC", 0, [])
  static let berlin = OffsetTable(
    "Berlin", 3_600, [("2026-03-29T01:00:00Z", 7_200), ("2026-10-25T01:00:00Z", 3_600)])
  static let newYork = OffsetTable(
    "New York", -18_000, [("2026-03-08T07:00:00Z", -14_400), ("2026-11-01T06:00:00Z", -18_000)])
  /// Half an hour of daylight saving, at half past.
  static let lordHowe = OffsetTable(
    "Lord Howe", 39_600, [("2026-04-04T15:00:00Z", 37_800), ("2026-10-03T15:30:00Z", 39_600)])
  static let kathmandu = OffsetTable("Kathmandu", 20_700, [])
  /// A day that never was: Samoa went over the date line.
  static let apia = OffsetTable("Apia", -36_000, [("2011-12-30T10:00:00Z", 50_400)])
}

@Suite("Time slots")
struct SlotGridTests {
  private static func time(_ text: String) -> Timestamp { Timestamp(iso8601: text) ?? .epoch }

  private func grid(_ minutes: Int, _ options: [String], _ zone: OffsetTable = .utc) throws -> SlotGrid {
    let hours = try BusinessHours(options: options.enumerated().map { ("bh_regular\($0)", $1) })
    return SlotGrid(bucketMinutes: minutes, capacity: 4, hours: hours) { zone($0) }
  }

  private func slots(_ grid: SlotGrid, _ from: String, _ to: String) -> [String] {
    grid.slots(from: Self.time(from), to: Self.time(to)).map { String($0.iso8601.dropLast(4)) }
  }

  @Test("slots begin at whole buckets from the first moment on, and before the last")
  func bounds() throws {
    let grid = try grid(30, ["Mon-Sun 09:00-11:00"])
    #expect(
      slots(grid, "2026-03-02T00:00:00Z", "2026-03-03T09:30:00Z") == [
        "2026-03-02T09:00", "2026-03-02T09:30", "2026-03-02T10:00", "2026-03-02T10:30", "2026-03-03T09:00",
      ])
    #expect(
      slots(grid, "2026-03-02T09:30:00Z", "2026-03-02T10:00:00.001Z") == ["2026-03-02T09:30", "2026-03-02T10:00"])
    #expect(slots(grid, "2026-03-02T09:30:00.001Z", "2026-03-02T10:30:00Z") == ["2026-03-02T10:00"])
    #expect(slots(grid, "2026-03-02T10:00:00Z", "2026-03-02T10:00:00Z") == [])
    #expect(slots(grid, "2026-03-02T10:30:00Z", "2026-03-02T09:00:00Z") == [])
  }

  @Test("a bucket that is only half open is no slot")
  func halfOpen() throws {
    let late = try grid(30, ["Mon-Sun 09:10-10:40"])
    #expect(slots(late, "2026-03-02T00:00:00Z", "2026-03-03T00:00:00Z") == ["2026-03-02T09:30", "2026-03-02T10:00"])
    // 09:45 in Kathmandu is 04:00 in Greenwich.
    let hourly = try grid(60, ["Mon-Sun 09:00-12:00"], .kathmandu)
    #expect(slots(hourly, "2026-03-02T00:00:00Z", "2026-03-03T00:00:00Z") == ["2026-03-02T04:00", "2026-03-02T05:00"])
    let short = try grid(120, ["Mon-Sun 09:00-10:59"])
    #expect(slots(short, "2026-03-02T00:00:00Z", "2026-03-09T00:00:00Z") == [])
  }

  @Test("a bucket over midnight is one slot if both days are open then")
  func midnight() throws {
    let grid = try grid(120, ["Sun 22:00-00:00", "Mon 00:00-01:00"], .kathmandu)
    // Local 22:00 to 01:00 is 16:15 to 19:15.
    #expect(slots(grid, "2026-03-01T00:00:00Z", "2026-03-03T00:00:00Z") == [])
    let longer = try self.grid(120, ["Sun 21:30-02:00"], .kathmandu)
    #expect(slots(longer, "2026-03-01T00:00:00Z", "2026-03-03T00:00:00Z") == ["2026-03-01T16:00", "2026-03-01T18:00"])
  }

  @Test("when the clock is put forward, the hour that it leaves out has no slots")
  func spring() throws {
    let grid = try grid(30, ["Sun 01:00-04:00"], .berlin)
    #expect(
      slots(grid, "2026-03-28T12:00:00Z", "2026-03-29T12:00:00Z") == [
        "2026-03-29T00:00", "2026-03-29T00:30", "2026-03-29T01:00", "2026-03-29T01:30",
      ])
  }

  @Test("when the clock is put back, the hour that it shows twice has its slots twice")
  func autumn() throws {
    let grid = try grid(30, ["Sun 02:30-03:30"], .berlin)
    #expect(
      slots(grid, "2026-10-24T12:00:00Z", "2026-10-25T12:00:00Z") == [
        "2026-10-25T00:30", "2026-10-25T01:30", "2026-10-25T02:00",
      ])
  }

  static let changes: [(zone: OffsetTable, around: String)] = [
    (.utc, "2028-02-29T00:00:00Z"), (.berlin, "2026-03-29T01:00:00Z"), (.berlin, "2026-10-25T01:00:00Z"),
    (.newYork, "2026-03-08T07:00:00Z"), (.newYork, "2026-11-01T06:00:00Z"), (.lordHowe, "2026-04-04T15:00:00Z"),
    (.lordHowe, "2026-10-03T15:30:00Z"), (.kathmandu, "2026-12-31T18:15:00Z"), (.apia, "2011-12-30T10:00:00Z"),
  ]

  @Test("a bucket is a slot if, and only if, each of its minutes is open", arguments: changes)
  func model(zone: OffsetTable, around: String) throws {
    let shapes = [
      ["Mon-Sun 00:00-24:00"], ["Mon-Fri 09:00-18:00", "Sat 22:30-03:15", "Sun 01:10-02:20,23:50-00:10"],
      ["Mon-Sun 00:01-02:34,02:40-23:59"],
    ]
    let middle = Self.time(around)
    let (from, to) = (middle.advanced(by: .seconds(-2 * 86_400)), middle.advanced(by: .seconds(2 * 86_400)))
    for (minutes, shape) in [5, 10, 15, 20, 30, 60, 120].flatMap({ minutes in shapes.map { (minutes, $0) } }) {
      let grid = try grid(minutes, shape, zone)
      var expected: [Timestamp] = []
      var bucket = grid.bucket(of: from)
      while bucket < to {
        let open = (0..<minutes).allSatisfy { minute in
          let time = bucket.advanced(by: .seconds(60 * minute))
          return grid.hours.isOpen(at: time, offset: zone(time))
        }
        if open && bucket >= from { expected.append(bucket) }
        for time in [bucket, bucket.advanced(by: .milliseconds(Int64(minutes) * 60_000 - 1))] {
          #expect(grid.fits(time) == open && grid.bucket(of: time) == bucket, "\(minutes) \(time.iso8601)")
        }
        bucket = bucket.advanced(by: .seconds(60 * minutes))
      }
      #expect(grid.slots(from: from, to: to) == expected, "\(minutes) minutes, \(shape)")
    }
  }

  @Test("the zone is asked seldom, however fine the grid", arguments: [OffsetTable.utc, .berlin])
  func economy(zone: OffsetTable) {
    let asked = Counter()
    let grid = SlotGrid(bucketMinutes: 5, capacity: 1, hours: .always) { time in
      asked.increment()
      return zone(time)
    }
    let from = Self.time("2026-03-10T00:00:00Z")
    let slots = grid.slots(from: from, to: from.advanced(by: .seconds(30 * 86_400)))
    #expect(slots.count == 30 * 288)
    #expect(asked.value < 30 * 24)
  }

  @Test("what lies outside the calendar has no slots, and a search ends after a year")
  func extremes() {
    let grid = SlotGrid(bucketMinutes: 120, capacity: 1, hours: .always) { _ in 0 }
    #expect(grid.slots(from: Timestamp(milliseconds: .min), to: Timestamp(milliseconds: .max)).count == 366 * 12)
    #expect(grid.slots(from: Timestamp(milliseconds: .max - 1), to: Timestamp(milliseconds: .max)).isEmpty)
    #expect(grid.slots(from: Timestamp(milliseconds: .max), to: Timestamp(milliseconds: .min)).isEmpty)
    for milliseconds in [Int64.min, -1, .max] {
      let time = Timestamp(milliseconds: milliseconds)
      #expect(!grid.fits(time))
      #expect(grid.bucket(of: time) <= time)
    }
    #expect(SlotGrid(bucketMinutes: 0, capacity: 1, hours: .always) { _ in 0 }.fits(.epoch), "one minute at least")
  }
}
