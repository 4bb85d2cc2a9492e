public import EventSourcing

/// A place in the journal, as an operator names it: a record's number, or a moment.
public enum JournalBound: Hashable, Sendable {
  case position(UInt64)
  case time(Timestamp)

  /// - Parameter argument: digits, or `YYYY-MM-DDThh:mm:ss[.fff]Z`.
  public init?(argument: String) {
    if let position = UInt64(argument) {
      self = .position(position)
    } else if let time = Timestamp(iso8601: argument) {
      self = .time(time)
    } else {
      return nil
    }
  }

  /// Whether a record at `position`, decided at `time`, stands before this place.
  public func isAfter(position: UInt64, time: Timestamp) -> Bool {
    switch self {
    case .position(let bound): position < bound
    case .time(let bound): time < bound
    }
  }

  /// Whether a record at `position`, decided at `time`, stands behind this place.
  public func isBefore(position: UInt64, time: Timestamp) -> Bool {
    switch self {
    case .position(let bound): position > bound
    case .time(let bound): time > bound
    }
  }
}
