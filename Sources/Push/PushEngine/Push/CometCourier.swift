import Bayeux
import CometEngine
import EngineKit
import EntityRuntime
import EventSourcing
import JSONEnvelope
import PushDomain
import Synchronization

/// The courier of the push type `comet`: the device is a user, and the message goes to the Comet sessions of that user.
/// Spec: GMS 7.3, 10.2.
///
/// ```
///   deliver ─┬─ nobody is subscribed ──> the user's lane pauses (1, 2, 4 … 60 s), or until somebody subscribes
///            └─ queued in each session ─┬─ one has it in its socket ──> delivered
///                                       └─ all ended before that    ──> the lane pauses
/// ```
/// A pause costs no attempt: the message stays until its time is over.
package final class CometCourier: PushProvider {
  package static let type = PushType.comet.rawValue

  struct Limits: Sendable {
    /// The longest pause between two looks for a session.
    var pauseSecondsMaximum: Int64 = 60
    /// Users who are waited for. Beyond it all are forgotten: those then get their messages when their pause ends.
    var awaitedUsersMaximum = 65_536
  }

  private let gateway: CometGateway
  private let lanes: CourierLanes
  private let ids: NotificationIDs
  private let context: RuntimeContext
  private let limits: Limits
  /// Users who have messages and no session, each with the looks for one that were in vain.
  private let awaited = Mutex<[String: Int]>([:])

  init(
    gateway: CometGateway, lanes: CourierLanes, ids: NotificationIDs, context: RuntimeContext,
    limits: Limits = Limits()
  ) {
    self.gateway = gateway
    self.lanes = lanes
    self.ids = ids
    self.context = context
    self.limits = limits
  }

  var types: Set<String> { [Self.type] }

  func lane(of target: PushAddress, _ options: PushOptions) -> CourierLane { Self.lane(of: target.deviceID) }

  /// One for each user: nobody's absence is to hold up the others.
  private static func lane(of user: String) -> CourierLane { CourierLane(id: "comet:" + user, label: type) }

  func deliver(_ delivery: PushDelivery) async -> PushOutcome {
    let user = delivery.message.target.deviceID
    // Before the look: who subscribes from here on is heard of.
    let pause = expect(user)
    var sessions: [CometSession] = []
    for session in gateway.directory.sessions(userKey: user) where await session.isSubscribed {
      sessions.append(session)
    }
    guard !sessions.isEmpty else { return .lanePaused(reason: "no Comet session", for: pause) }
    let message = QueuedMessage(bytes: notification(delivery.message), mark: WriteReceipts.mark(of: delivery.id))
    // A session that does not take it in this time has ended.
    let limit = Int64(gateway.settings.maxIntervalMilliseconds) + context.timers.tickMilliseconds
    let isWritten = await gateway.receipts.receipt(of: delivery.id, within: limit, timers: context.timers) {
      for session in sessions { session.lane.enqueue { await session.deliver(message) } }
    }
    guard isWritten else { return .lanePaused(reason: "the Comet session ended first", for: pause) }
    awaited.withLock { $0[user] = nil }
    return .delivered()
  }

  /// - Returns: the pause before the next look, should this one be in vain.
  private func expect(_ user: String) -> Duration {
    let looks = awaited.withLock { awaited in
      if awaited.count >= limits.awaitedUsersMaximum, awaited[user] == nil { awaited.removeAll() }
      awaited[user, default: 0] += 1
      return awaited[user] ?? 1
    }
    return .seconds(min(1 << Int64(min(looks - 1, 30)), limits.pauseSecondsMaximum))
  }

  /// The envelope of every message on the event channel. Spec: GMS 4.7.
  private func notification(_ message: PushMessage) -> [UInt8] {
    JSONWriter.object(capacity: message.content.count + 160) { event in
      event.member("channel", gateway.policy.eventChannel)
      event.object("data") { data in
        data.member("id", ids.next(now: context.time.now))
        data.member("tag", message.tag)
        if message.form == .text {
          data.member("message", String(decoding: message.content, as: UTF8.self))
        } else {
          data.member("message", RawJSON(message.content))
        }
      }
    }
  }
}

extension CometCourier: CometFollower {
  func subscribed(_ session: CometSession) async {
    guard let user = session.userKey, awaited.withLock({ $0.removeValue(forKey: user) }) != nil else { return }
    lanes.reset(Self.lane(of: user))
  }
}
