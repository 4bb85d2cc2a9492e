/// The bounds of one device's queue, and its schedule of attempts. Spec: GMS 7.4.
public struct PushLimits: Sendable, Equatable {
  /// Messages that the queue holds, those in flight included.
  public var messagesMaximum = 128
  /// Bytes of content and alert that it holds, those in flight included. Less than a record of the journal holds: a
  /// queue must be able to restate itself in one event (`PushEvent.erased`).
  public var contentBytesMaximum = 786_432
  /// Producers whose highest number is remembered, so that their repetitions are known.
  public var producersMaximum = 256
  /// Caps `PushMessage.attemptsMaximum`.
  public var attemptsMaximum = 50
  /// The pause after the first attempt; each further one is `pauseFactor` times as long, up to `pauseMaximum`.
  public var firstPause: Duration = .seconds(1)
  public var pauseFactor = 4
  public var pauseMaximum: Duration = .seconds(300)
  /// Caps the pause that a provider asks for.
  public var retryAfterMaximum: Duration = .seconds(86_400)
  /// Characters of a reason that are kept.
  public var reasonLengthMaximum = 120

  public init() {}

  /// How long to wait after a failed attempt.
  /// - Parameters:
  ///   - attempt: the attempt that failed, from 1.
  ///   - wish: what the provider asked for; it lengthens the pause and never shortens it.
  func pause(afterAttempt attempt: Int, providerAsks wish: Duration?) -> Duration {
    var pause = firstPause
    for _ in 1..<max(1, attempt) where pause < pauseMaximum { pause *= pauseFactor }
    return max(min(pause, pauseMaximum), min(wish ?? .zero, retryAfterMaximum))
  }
}
