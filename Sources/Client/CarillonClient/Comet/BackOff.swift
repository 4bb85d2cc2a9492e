/// How long to wait before the next attempt: one step more after each failure, up to a maximum.
///
/// The default is what stock CometD clients do: 1 s, 2 s, 3 s … 60 s.
public struct BackOff: Sendable, Equatable {
  public var step: Duration
  public var maximum: Duration

  public init(step: Duration = .seconds(1), maximum: Duration = .seconds(60)) {
    self.step = step
    self.maximum = maximum
  }

  /// - Parameter failures: how many attempts have failed in a row; zero waits not at all.
  public func delay(afterFailures failures: Int) -> Duration { min(step * min(failures, 100_000), maximum) }
}
