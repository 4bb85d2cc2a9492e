public import EventSourcing

/// When a service is open: weekly hours, holidays and extra days, in one time zone. Pure: the zone's offsets are given.
public struct BusinessHours: Sendable, Equatable {
  /// A part of one day, in minutes from local midnight; `end` up to 1,440 (24:00).
  public struct Interval: Sendable, Equatable {
    public let start: Int
    public let end: Int

    public init(start: Int, end: Int) {
      precondition(start >= 0 && start < end && end <= Self.dayMinutes, "an interval lies within a day")
      self.start = start
      self.end = end
    }

    static let dayMinutes = 1_440
  }

  /// A day of the calendar; `year` nil for each year.
  public struct Day: Sendable, Hashable {
    public let year: Int?
    public let month: Int
    public let day: Int

    public init(year: Int?, month: Int, day: Int) {
      self.year = year
      self.month = month
      self.day = day
    }
  }

  /// Index 0 is Monday. Intervals are ascending and apart from one another, here and in `additional`.
  public internal(set) var regular: [[Interval]] = Array(repeating: [], count: 7)
  /// Closed, whatever the weekday, unless `additional` says otherwise.
  public internal(set) var holidays: Set<Day> = []
  /// Instead of what the weekday has. A day with its year comes before the same day of each year.
  public internal(set) var additional: [Day: [Interval]] = [:]

  /// Closed always.
  public init() {}

  /// Open always.
  public static let always: BusinessHours = {
    var hours = BusinessHours()
    hours.regular = Array(repeating: [Interval(start: 0, end: Interval.dayMinutes)], count: 7)
    return hours
  }()

  /// - Parameter offset: seconds that local time is ahead of UTC at `time`.
  public func isOpen(at time: Timestamp, offset: Int) -> Bool {
    let local = time.advanced(by: .seconds(offset)).milliseconds
    let day = local.floorDivided(by: .dayMilliseconds)
    let minute = local.floorRemainder(by: .dayMilliseconds) / .minuteMilliseconds
    return intervals(onDay: day).contains { $0.start <= minute && minute < $0.end }
  }

  /// - Parameter number: counted from 1970-01-01, which is a Thursday.
  func intervals(onDay number: Int64) -> [Interval] {
    let weekly = regular[Int((number % 7 + 7 + 3) % 7)]
    if additional.isEmpty && holidays.isEmpty { return weekly }
    let day = Day(number: number)
    if let special = additional[day] ?? additional[day.ofEachYear] { return special }
    return holidays.contains(day) || holidays.contains(day.ofEachYear) ? [] : weekly
  }
}

extension BusinessHours.Day {
  /// - Parameter number: counted from 1970-01-01.
  fileprivate init(number: Int64) {
    let midnight = Timestamp.epoch.advanced(by: .seconds(number) * 86_400)
    let numbers = midnight.iso8601.prefix { $0 != "T" }.split(separator: "-").map { Int($0) ?? 0 }
    self.init(year: numbers.dropLast(2).last, month: numbers.dropLast().last ?? 0, day: numbers.last ?? 0)
  }

  fileprivate var ofEachYear: Self { Self(year: nil, month: month, day: day) }
}

extension Int64 {
  static let minuteMilliseconds: Int64 = 60_000
  static let dayMilliseconds: Int64 = 86_400_000

  /// - Parameter divisor: positive.
  func floorDivided(by divisor: Int64) -> Int64 { self / divisor - (self % divisor < 0 ? 1 : 0) }

  /// What `floorDivided` leaves: never negative.
  func floorRemainder(by divisor: Int64) -> Int64 { (self % divisor + divisor) % divisor }
}
