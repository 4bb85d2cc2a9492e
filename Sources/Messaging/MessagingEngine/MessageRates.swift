import Synchronization

/// What one receiver may be sent at most, in the numbers of FCM; off unless configured. Spec: GCM B9.2.
public struct MessagingSettings: Sendable, Equatable {
  /// Messages of one sender to one registration; beyond it `DeviceMessageRateExceeded`.
  public var perMinuteMaximum: Int?
  public var perHourMaximum: Int?
  /// Messages of one sender to one topic or condition; beyond it `TopicsMessageRateExceeded`.
  public var perTopicMinuteMaximum: Int?
  /// Collapsible messages of one sender to one registration: so many at once, then one every `collapseRefillSeconds`;
  /// what is beyond waits.
  public var collapseBurst: Int?
  public var collapseRefillSeconds = 180

  public init() {}
}

/// Counts in windows of a minute and an hour.
final class MessageRates: Sendable {
  private struct Window {
    var end: Int64
    var count: Int
  }

  private let settings: MessagingSettings
  private struct State {
    var windows: [String: Window] = [:]
    var sweepAt: Int64 = .min
  }

  private let state = Mutex(State())
  /// Beyond it those that are over are forgotten.
  private static let windowsKeptMaximum = 100_000

  init(_ settings: MessagingSettings) { self.settings = settings }

  /// - Parameter sender: counts for itself: what one sends takes nothing from another.
  func admits(registration: String, sender: String, now: Int64) -> Bool {
    admits("m \(registration) \(sender)", settings.perMinuteMaximum, 60_000, now)
      && admits("h \(registration) \(sender)", settings.perHourMaximum, 3_600_000, now)
  }

  func admits(topic: String, now: Int64) -> Bool { admits("t \(topic)", settings.perTopicMinuteMaximum, 60_000, now) }

  private func admits(_ key: @autoclosure () -> String, _ maximum: Int?, _ width: Int64, _ now: Int64) -> Bool {
    guard let maximum else { return true }
    let key = key()
    return state.withLock { state in
      // At most once a minute: what is over by then is as good as none.
      if state.windows.count >= Self.windowsKeptMaximum, now >= state.sweepAt {
        state.windows = state.windows.filter { $0.value.end > now }
        state.sweepAt = now + 60_000
      }
      let end = (now / width + 1) * width
      var window = state.windows[key] ?? Window(end: end, count: 0)
      if window.end != end { window = Window(end: end, count: 0) }
      window.count += 1
      state.windows[key] = window
      return window.count <= maximum
    }
  }
}
