import EventSourcing

/// What is wrong with the value of an option, in words for the operator.
struct OptionFault: Error {
  let reason: String

  init(_ reason: String) { self.reason = reason }
}

/// From one time of day to another; to one of the next day if the end is not behind the start.
struct TimeSpan {
  /// As it stands in the option.
  let text: Substring
  /// Minutes from midnight; an end of 00:00 is 24:00.
  let start: Int
  let end: Int

  /// Nil if it goes on behind midnight.
  var withinDay: BusinessHours.Interval? { start < end ? BusinessHours.Interval(start: start, end: end) : nil }
}

/// The value of an option, taken apart: days first, then times; commas and spaces alike separate them.
struct OptionWords {
  let dayWords: [Substring]
  let times: [Substring]

  init(_ value: String) throws(OptionFault) {
    let words = value.split { $0 == "," || $0.isWhitespace }
    dayWords = Array(words.prefix { !$0.contains(":") })
    times = Array(words.dropFirst(dayWords.count))
    if let stray = times.first(where: { !$0.contains(":") }) {
      throw OptionFault("\"\(stray)\" stands behind the times: days come first, other days take another option")
    }
    if dayWords.isEmpty { throw OptionFault("it names no day") }
  }

  // MARK: Days of the week

  private static let weekdays = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]

  /// `Mon`, `Mon-Fri`, `Sat-Mon`; 0 is Monday.
  func weekdays() throws(OptionFault) -> Set<Int> {
    var days: Set<Int> = []
    for word in dayWords {
      let ends = word.split(separator: "-", omittingEmptySubsequences: false)
      guard let first = ends.first, let last = ends.last, ends.count <= 2 else {
        throw OptionFault("\"\(word)\" is no span of days (Mon-Fri)")
      }
      let start = try Self.weekday(first)
      let length = (try Self.weekday(last) - start + 7) % 7
      days.formUnion((start...(start + length)).map { $0 % 7 })
    }
    return days
  }

  private static func weekday(_ word: Substring) throws(OptionFault) -> Int {
    let name = word.lowercased()
    guard let day = weekdays.firstIndex(where: { name == $0 || name == $0.prefix(3) }) else {
      throw OptionFault("\"\(word)\" is no day of the week (Mon, Tue, Wed, Thu, Fri, Sat, Sun)")
    }
    return day
  }

  // MARK: Days of the calendar

  /// `2026-12-24`, or `12-24` for each year.
  func days() throws(OptionFault) -> Set<BusinessHours.Day> {
    var days: Set<BusinessHours.Day> = []
    for word in dayWords {
      // 2000 has a 29th of February.
      let dated = word.utf8.count == 5 ? "2000-\(word)" : String(word)
      let numbers = dated.split(separator: "-").compactMap { Int($0) }
      guard Timestamp(iso8601: "\(dated)T00:00:00Z") != nil, numbers.count == 3 else {
        throw OptionFault("\"\(word)\" is no day of the calendar (2026-12-24, or 12-24 for each year)")
      }
      days.insert(
        BusinessHours.Day(year: word.utf8.count == 5 ? nil : numbers[0], month: numbers[1], day: numbers[2]))
    }
    return days
  }

  // MARK: Times

  func spans() throws(OptionFault) -> [TimeSpan] {
    if times.isEmpty { throw OptionFault("it names no times (09:00-18:00)") }
    var spans: [TimeSpan] = []
    for word in times {
      let ends = word.split(separator: "-", omittingEmptySubsequences: false)
      let minutes = try ends.map { (end) throws(OptionFault) in try Self.minute(end) }
      guard minutes.count == 2, minutes[0] != minutes[1], minutes[0] < BusinessHours.Interval.dayMinutes else {
        throw OptionFault("\"\(word)\" is no span of time (09:00-18:00; a whole day is 00:00-24:00)")
      }
      let (start, end) = (minutes[0], minutes[1])
      spans.append(TimeSpan(text: word, start: start, end: end == 0 ? BusinessHours.Interval.dayMinutes : end))
    }
    return spans
  }

  private static func minute(_ word: Substring) throws(OptionFault) -> Int {
    let parts = word.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2, (1...2).contains(parts[0].utf8.count), parts[1].utf8.count == 2,
      word.utf8.allSatisfy({ $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: ":") }),
      let hour = UInt8(parts[0]), let minute = UInt8(parts[1]), minute < 60, hour < 24 || (hour == 24 && minute == 0)
    else { throw OptionFault("\"\(word)\" is no time of day (00:00 to 24:00)") }
    return Int(hour) * 60 + Int(minute)
  }
}
