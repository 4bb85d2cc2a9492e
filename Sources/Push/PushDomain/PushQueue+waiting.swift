public import EventSourcing

/// A push that waits in a queue, or is under way, as people are shown it.
public struct WaitingPush: Sendable, Equatable {
  /// What it waits for.
  public enum Stage: String, Sendable, CaseIterable {
    /// Its provider has it in hand.
    case underWay
    /// The pause after a failure.
    case retry
    /// Its courier lane, or the messages that go before it.
    case lane
  }

  public let message: PushMessage
  public let stage: Stage
  public let acceptedAt: Timestamp
  /// Attempts that have ended and count.
  public let failures: Int
  /// When the pause is over; nil unless it waits for that.
  public let nextAttempt: Timestamp?
  /// The last attempts, oldest first.
  public let history: [PushAttempt]
}

extension PushQueue {
  /// All that is to go out, in the order in which it would, what is under way first.
  public var waitingPushes: [WaitingPush] {
    let all = lanes.values.flatMap { lane in
      lane.entries.map { entry in
        let stage: WaitingPush.Stage =
          entry.message.id == inFlight ? .underWay : lane.pausedUntil == nil ? .lane : .retry
        return (entry, stage, stage == .retry ? lane.pausedUntil : nil)
      }
    }
    return all.sorted { left, right in
      (left.1 == .underWay) != (right.1 == .underWay)
        ? left.1 == .underWay : PushEntry.goesFirst(left.0, right.0)
    }.map { entry, stage, next in
      WaitingPush(
        message: entry.message, stage: stage, acceptedAt: entry.acceptedAt, failures: entry.failures, nextAttempt: next,
        history: entry.history)
    }
  }

  /// Why the address is gone; nil while it is not.
  public var endReason: String? { unregisteredReason }
}
