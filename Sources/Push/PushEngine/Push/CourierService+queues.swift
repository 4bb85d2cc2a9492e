public import EngineKit
import EntityRuntime
public import EventSourcing
public import PushDomain

/// What waits for one device or connection, and why, as the operator sees it.
public struct QueueView: Sendable {
  /// The device's id, or the name of a mailbox.
  public let id: String
  /// The first of those that wait, in the order in which they would go.
  public let pushes: [WaitingPush]
  public let pushCount: Int
  /// The courier lane that the next one takes; nil if none waits.
  public let lane: (label: String, condition: CourierLaneMachine.Condition, reason: String?, nextProbe: Timestamp?)?
  /// Messages that wait for the receiver's own connection, and since when the oldest does.
  public let mailCount: Int
  public let mailSince: Timestamp?
  public let deadLetters: Int
  /// Why nothing goes there any more; nil while something may.
  public let endReason: String?

  /// Why the next push waits, in a few words; nil if none does.
  public var why: String? {
    guard let next = pushes.first else { return mailCount > 0 ? "waits for the receiver to connect" : nil }
    switch next.stage {
    case .underWay: return "is under way"
    case .retry: return next.history.last?.reason ?? "waits for its next attempt"
    case .lane:
      switch lane?.condition {
      case .open: return "the lane is open" + (lane?.reason.map { ": \($0)" } ?? "")
      case .off: return "the lane is off" + (lane?.reason.map { ": \($0)" } ?? "")
      case .closed, nil: return "waits for its turn in the lane"
      }
    }
  }
}

extension CourierService {
  /// The next queues in which pushes wait or are under way, by id. Mailboxes are not among them: see `queue`.
  /// - Parameters:
  ///   - after: the id behind which the list goes on.
  ///   - pushes: of each queue, at most.
  public func queues(after: String = "", limit: Int = 100, pushes: Int = 1) async -> [QueueView] {
    let most = max(1, min(limit, dispatcher.limits.listMaximum))
    var found: [QueueView] = []
    for key in dispatcher.deadLetters.waiting(after: after, limit: most) {
      if let view = await view(of: key, pushes: pushes) { found.append(view) }
    }
    // What is not durable yet is nobody's to see. A journal that has failed has ended the process.
    guard (try? await dispatcher.context.untilDurable()) != nil else { return [] }
    return found
  }

  /// One queue, whatever it holds.
  /// - Throws: `.unknownDevice`.
  public func queue(_ id: String, pushes: Int = 100) async throws(EngineError) -> QueueView {
    guard let view = await view(of: id, pushes: max(1, min(pushes, dispatcher.limits.listMaximum))) else {
      throw .unknownDevice
    }
    guard (try? await dispatcher.context.untilDurable()) != nil else { throw .unavailable }
    return view
  }

  private func view(of key: String, pushes: Int) async -> QueueView? {
    guard let queue = dispatcher.queues[key] else { return nil }
    let (waiting, mail, letters, reason) = await queue.peek { queue in
      (queue.waitingPushes, queue.mail.pending, queue.deadLetters.count, queue.endReason)
    }
    let now = dispatcher.context.time.now
    let lane = waiting.first.map { next in
      let lane = dispatcher.lane(of: next.message)
      let look = dispatcher.lanes.look(at: lane)
      return (
        label: lane.label, condition: look?.condition ?? .closed, reason: look?.reason,
        nextProbe: look?.untilProbe.map { now.advanced(by: $0) }
      )
    }
    return QueueView(
      id: key, pushes: Array(waiting.prefix(pushes)), pushCount: waiting.count, lane: lane, mailCount: mail.count,
      mailSince: mail.map(\.acceptedAt).min(), deadLetters: letters, endReason: reason)
  }
}
