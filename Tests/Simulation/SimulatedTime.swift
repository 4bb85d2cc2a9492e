import EntityRuntime
import EventSourcing

/// A clock that stands still until the simulation moves it; the wall clock may be set, also back.
///
/// Safe to share: the whole simulation is one thread.
final class SimulatedTime: TimeSource, @unchecked Sendable {
  private(set) var monotonicMilliseconds: Int64 = 1_000
  private var wallOffset: Int64 = 1_790_000_000_000
  /// How often the wall clock was set: deadlines from before then mean nothing exact any more.
  private(set) var settings = 0
  /// The latest that the wall clock has shown before it was set.
  private var latest: Int64 = 0

  var now: Timestamp { Timestamp(milliseconds: wallOffset + monotonicMilliseconds) }

  func advance(milliseconds: Int64) { monotonicMilliseconds += milliseconds }

  /// How long until the wall clock shows again what it has shown already.
  var millisecondsBehind: Int64 { max(0, latest - now.milliseconds) }

  func setWallClock(by milliseconds: Int64) {
    latest = max(latest, now.milliseconds)
    wallOffset += milliseconds
    settings += 1
  }
}
