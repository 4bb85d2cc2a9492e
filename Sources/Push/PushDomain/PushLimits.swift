/// The bounds of one device's queue. Spec: GMS 7.4.
public struct PushLimits: Sendable, Equatable {
  /// Messages that the queue holds, that in flight included (option `push.queue_messages`).
  public var messagesMaximum = 1_000
  /// Bytes that they weigh (`PushMessage.contentBytes`), dead letters included. Less than a record of the journal holds: a
  /// queue must be able to restate itself in one event (`PushEvent.erased`).
  public var contentBytesMaximum = 524_288
  /// Bytes that messages weigh beside each other: a quarter of all is left to the letters of those that had to go.
  public var messageBytesMaximum: Int { contentBytesMaximum - contentBytesMaximum / 4 }
  /// Dead letters that the queue keeps; the oldest makes room.
  public var deadLettersMaximum = 1_000
  /// Bytes of content that its dead letters may hold.
  public var deadLetterBytesMaximum = 393_216
  /// Bytes that all past attempts of its messages may take; beyond it they are told of less.
  public static let historyBytesMaximum = 131_072
  /// Producers whose numbers are remembered, so that their repetitions are known.
  public var producersMaximum = 256

  public init() {}
}

/// When what failed is tried again, and what becomes of what failed for good. Spec: GMS 7.4; providers 1.2.
public struct PushSchedule: Sendable, Equatable {
  /// Caps `PushMessage.attemptsMaximum`.
  public var attemptsMaximum = 50
  /// The pause after the first attempt; each further one is `pauseFactor` times as long, up to `pauseMaximum`.
  public var firstPause: Duration = .seconds(1)
  public var pauseFactor = 4
  public var pauseMaximum: Duration = .seconds(300)
  /// The pauses themselves, one after the other, instead of the three above; then the message has one attempt more
  /// than there are pauses.
  public var pauses: [Duration] = []
  /// Seconds between attempts to reach an endpoint of the operator's or of a customer's back end. Spec: providers 4.3.
  public static let threeDays: [Double] = [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400]
  /// 0…1, drawn by whoever asks, so that devices do not come back together: shortens the pause by up to half of it;
  /// of explicit `pauses` it takes off or adds up to a fifth.
  public var jitter = 1.0
  /// Caps the pause that a provider asks for.
  public var retryAfterMaximum: Duration = .seconds(86_400)
  /// Attempts in a row that may come back unprocessed; one more counts.
  public var returnsMaximum = 5
  /// Characters of a reason that are kept.
  public var reasonLengthMaximum = 120
  /// Times that a receiver may not want one message (`PushOutcome.rejected`): the last of them ends it.
  public var rejectionsMaximum = 6
  /// The queue's own bounds.
  public var limits = PushLimits()

  public init() {}

  /// Attempts that a message has in all.
  func attempts(of message: PushMessage) -> Int {
    if message.isNowOrNever { return 1 }
    return pauses.isEmpty ? max(1, min(message.attemptsMaximum, attemptsMaximum)) : pauses.count + 1
  }

  /// How long to wait after a failed attempt.
  /// - Parameters:
  ///   - attempt: the attempt that failed, from 1.
  ///   - wish: what the provider asked for; it lengthens the pause and never shortens it.
  func pause(afterAttempt attempt: Int, providerAsks wish: Duration?) -> Duration {
    let share = min(max(jitter, 0), 1)
    var pause = firstPause
    if pauses.isEmpty {
      for _ in 1..<max(1, attempt) where pause < pauseMaximum { pause *= pauseFactor }
      pause = min(pause, pauseMaximum) * (0.5 + share / 2)
    } else {
      // Spec: providers 4.3, a fifth more or less.
      pause = pauses[min(max(1, attempt), pauses.count) - 1] * (0.8 + share * 0.4)
    }
    return max(pause, min(wish ?? .zero, retryAfterMaximum))
  }
}
