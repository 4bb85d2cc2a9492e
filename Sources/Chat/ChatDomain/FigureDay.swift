public import EventSourcing

/// A day of figures, in UTC.
public struct FigureDay: Sendable, Hashable {
  public static let hours = 24
  private static let millisecondsOfHour: Int64 = 3_600_000
  private static let millisecondsOfDay = millisecondsOfHour * Int64(hours)

  public let start: Timestamp

  /// The day of a moment.
  public init(of time: Timestamp) {
    let rest = time.milliseconds % Self.millisecondsOfDay
    start = Timestamp(milliseconds: time.milliseconds - (rest < 0 ? rest + Self.millisecondsOfDay : rest))
  }

  /// Nil for what is not `2026-02-11`, or a day that there is not.
  public init?(_ text: String) {
    guard text.utf8.count == 10, let start = Timestamp(iso8601: text + "T00:00:00Z") else { return nil }
    self.start = start
  }

  /// The beginning of the next one.
  public var end: Timestamp { Timestamp(milliseconds: start.milliseconds + Self.millisecondsOfDay) }

  /// `2026-02-11`.
  public var text: String { String(start.iso8601.prefix(10)) }

  public func contains(_ time: Timestamp) -> Bool { start <= time && time < end }

  /// In which of its hours a moment of it is.
  public func hour(of time: Timestamp) -> Int {
    Int((time.milliseconds - start.milliseconds) / Self.millisecondsOfHour)
  }
}
