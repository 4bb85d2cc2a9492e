import EventSourcing

/// What is wrong with an option that tells a service's hours.
public struct BusinessHoursError: Error, Equatable, Sendable, CustomStringConvertible {
  public let option: String
  public let reason: String

  public var description: String { "\(option): \(reason)" }
}

// The hours as a configuration has them. Spec: GMS 9.5.
//
//     bh_regular1:    Mon-Fri 09:00-18:00
//     bh_regular2:    Sat,Sun 10:00-12:00,13:00-16:00
//     bh_regular3:    Fri 22:00-02:00                     into Saturday
//     bh_holiday1:    2026-05-25                          this day only
//     bh_holiday2:    12-25,12-26                         each year
//     bh_additional1: 2026-12-24 09:00-13:00              instead of what the weekday has
extension BusinessHours {
  /// True for the name of an option that `init(options:)` reads.
  public static func isOption(_ name: some StringProtocol) -> Bool { Family(name) != nil }

  /// The options may come in any order; several of a family add up.
  public init(options: [(name: String, value: String)]) throws(BusinessHoursError) {
    for (name, value) in options {
      guard let family = Family(name) else {
        throw BusinessHoursError(option: name, reason: "no option of business hours")
      }
      do { try add(family, OptionWords(value)) } catch {
        throw BusinessHoursError(option: name, reason: error.reason)
      }
    }
  }

  /// How the names of these options begin.
  package enum Family: String, CaseIterable {
    case regular = "bh_regular"
    case holiday = "bh_holiday"
    case additional = "bh_additional"

    fileprivate init?(_ name: some StringProtocol) {
      guard let family = Self.allCases.first(where: { name.hasPrefix($0.rawValue) }) else { return nil }
      self = family
    }
  }

  private mutating func add(_ family: Family, _ words: OptionWords) throws(OptionFault) {
    switch family {
    case .regular:
      let spans = try words.spans()
      for weekday in try words.weekdays() { for span in spans { add(span, toWeekday: weekday) } }
    case .holiday:
      holidays.formUnion(try words.days())
      guard words.times.isEmpty else {
        throw OptionFault("a holiday is closed all day: \"\(Family.additional.rawValue)\" takes times")
      }
    case .additional:
      let spans = try words.spans()
      for day in try words.days() {
        for span in spans {
          guard let interval = span.withinDay else {
            throw OptionFault("\"\(span.text)\" goes on into the next day, which needs an entry of its own")
          }
          additional[day] = (additional[day] ?? []).united(with: interval)
        }
      }
    }
  }

  /// What lies behind midnight belongs to the next day.
  private mutating func add(_ span: TimeSpan, toWeekday weekday: Int) {
    if let interval = span.withinDay {
      regular[weekday] = regular[weekday].united(with: interval)
    } else {
      regular[weekday] = regular[weekday].united(with: Interval(start: span.start, end: Interval.dayMinutes))
      let next = (weekday + 1) % 7
      regular[next] = regular[next].united(with: Interval(start: 0, end: span.end))
    }
  }
}

extension [BusinessHours.Interval] {
  /// Ascending and apart from one another, as they were.
  fileprivate func united(with other: Element) -> [Element] {
    var all: [Element] = []
    for next in (self + [other]).sorted(by: { $0.start < $1.start }) {
      if let last = all.last, next.start <= last.end {
        all[all.count - 1] = Element(start: last.start, end: Swift.max(last.end, next.end))
      } else {
        all.append(next)
      }
    }
    return all
  }
}
