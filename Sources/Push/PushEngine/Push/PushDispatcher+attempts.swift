import EngineKit
import EntityRuntime
import EventSourcing
import OptionKit
import PushDomain
import Synchronization

// From a place in a courier lane to the courier's answer.
extension PushDispatcher: LaneRunner {
  /// Puts a message into its queue and begins its attempt in the same turn, if its lane has a place now: one record's wait
  /// for the disk less on its way.
  /// - Returns: false if it cannot be now: nothing has happened.
  func beginAtOnce(_ message: PushMessage, in queue: Entity<PushQueue>) async -> Bool {
    let (key, lane) = (queue.id.key, lane(of: message))
    guard await reserve(key, lane) else { return false }
    let begun = await queue.post(ifRoom: .enqueue(message, limits: queueLimits, hasPlace: true)) { queue -> Int? in
      queue.attempt.flatMap { $0.message.id == message.id ? $0.attempt : nil }
    } then: { [self] attempt, fate in
      guard let attempt else { return }
      guard fate == .durable else { return tasks.giveBack() }
      _ = tasks.start { [self] in
        await send(message, attempt, of: queue, on: lane)
        await leave(key)
      }
    }
    // The queue chose otherwise or refused it, or the journal has no room.
    if begun == nil || begun == .some(nil) { await giveBack(key, lane) }
    return begun != nil
  }

  /// Takes a place in the lane for an attempt of the queue, with all that an attempt needs.
  private func reserve(_ key: String, _ lane: CourierLane) async -> Bool {
    guard underWay.enter(key) else { return false }
    if tasks.reserve() {
      if lanes.reserve(key, on: lane) { return true }
      tasks.giveBack()
    }
    await leave(key)
    return false
  }

  private func giveBack(_ key: String, _ lane: CourierLane) async {
    lanes.released(key, on: lane)
    tasks.giveBack()
    await leave(key)
  }

  // MARK: When a lane has room

  /// For `CourierLanes`: false if there is no room among the pushes under way.
  func start(_ key: String, _ lane: CourierLane) -> Bool {
    tasks.spawn { [self] in await alone(key, lane) { await attempt(key, lane) } }
  }

  func disabled(_ lane: CourierLane, _ reason: String) {
    _ = tasks.spawn { [self] in await endpointDisabled(lane, reason: reason) }
  }

  /// Takes a queue's turn, unless another one is still on: it may have been offered to two lanes (options have changed,
  /// its next message takes another), or its last attempt is just about to end.
  private func alone(_ key: String, _ lane: CourierLane, _ turn: () async -> Void) async {
    guard underWay.enter(key) else { return lanes.released(key, on: lane) }
    await turn()
    await leave(key)
  }

  private func leave(_ key: String) async {
    // The turn that was given back is made up for.
    guard underWay.leave(key), let queue = queues[key] else { return }
    let effects = await queue.peek { $0.attempt == nil ? $0.outstandingEffects : [] }
    for case .courier(.ready(let priority, let since)) in effects { await offer(queue, priority, since: since) }
  }

  private func attempt(_ key: String, _ lane: CourierLane) async {
    guard let (queue, message, attempt) = await begin(key, lane, turn: .start(key: key)) else { return }
    await send(message, attempt, of: queue, on: lane)
  }

  /// The attempt is in the journal: its producer has the last word, then its courier.
  private func send(
    _ message: PushMessage, _ attempt: Int, of queue: Entity<PushQueue>, on lane: CourierLane
  ) async {
    let key = queue.id.key
    if let objection = await producers.objection(to: message) {
      await queue.post(
        .attemptEnded(message.id, attempt: attempt, .refused(reason: objection), schedule: schedule(of: message)))
      return lanes.released(key, on: lane)
    }
    let answer = AnswerNote()
    let delivery = PushDelivery(
      message: message, id: PushUUID.text(of: message.id), attempt: attempt, options: pushOptions(message),
      now: context.time.now, noteAnswer: answer.note)
    let provider = couriers[message.target.type]
    #if CARILLON_CANARIES
      if Canary.sings(.pushTwice) { _ = await provider?.deliver(delivery) }
    #endif
    let outcome = await provider?.deliver(delivery) ?? .refused(reason: "no courier for this type")
    let told = lanes.ended(key, on: lane, outcome)
    let age = Duration.milliseconds(max(0, context.time.now.milliseconds - delivery.now.milliseconds))
    metrics.attempted(
      lane: lane.label, app: message.service, outcome: outcome.word, reason: outcome.reason, after: age)
    // The lane may tell the queue something milder: what is known of the attempt itself is for the record all the same.
    let report = PushReport(answer: answer.text, mayBeDelivered: outcome.mayBeDelivered)
    await queue.post(.attemptEnded(message.id, attempt: attempt, told, schedule: schedule(of: message), report: report))
    if case .delivered(_, let replacement?) = outcome { await devices.replace(message.target, by: replacement) }
  }

  /// Takes the queue's next message; nil, and the turn is given back or comes again, if there is none or it cannot be
  /// recorded.
  private func begin(
    _ key: String, _ lane: CourierLane, turn: CourierLaneMachine.Action
  ) async -> (queue: Entity<PushQueue>, message: PushMessage, attempt: Int)? {
    guard let queue = queues[key] else {
      lanes.released(key, on: lane)
      return nil
    }
    do {
      let (started, backlog) = try await queue.perform(.begin(limits: queueLimits)) { ($0.attempt, $0.backlog) }
      // An attempt that begins has no effect, and what is in flight waits no longer.
      deadLetters.set(key, backlog)
      if let started { return (queue, started.message, started.attempt) }
      lanes.released(key, on: lane)
    } catch {
      // The journal has no room at the moment: the queue still has what it has.
      lanes.again(turn, lane, afterMilliseconds: context.limits.storageRetryMilliseconds)
    }
    return nil
  }

  /// For `CourierLanes`: ends the queue's next message unsent; false if there is no room among the pushes under way.
  func refuse(_ key: String, _ lane: CourierLane, _ reason: String) -> Bool {
    tasks.spawn { [self] in
      await alone(key, lane) {
        let turn = CourierLaneMachine.Action.refuse(key: key, reason: reason)
        if let queue = queues[key], let next = await queue.peek({ $0.next }), self.lane(of: next).id != lane.id {
          // It has another endpoint by now, which nobody has switched off.
          lanes.released(key, on: lane)
          let effects = await queue.peek { $0.outstandingEffects }
          for case .courier(.ready(let priority, let since)) in effects { await offer(queue, priority, since: since) }
          return
        }
        guard let (queue, message, attempt) = await begin(key, lane, turn: turn) else { return }
        await queue.post(
          .attemptEnded(message.id, attempt: attempt, .refused(reason: reason), schedule: schedule(of: message)))
        lanes.released(key, on: lane)
      }
    }
  }

  /// Spec: GMS 7.4; providers 1.2, 4.3.
  private func schedule(of message: PushMessage) -> PushSchedule {
    var schedule = PushSchedule()
    schedule.limits = queueLimits
    schedule.jitter = random()
    let wanted = pushOptions(message)[DeliveryOptions.keys.retrySchedule] ?? []
    let pauses =
      wanted.isEmpty ? couriers[message.target.type]?.retryPauses ?? [] : wanted.compactMap(Double.init)
    // Also what no `Duration` can hold is a number to `Double`.
    schedule.pauses = pauses.filter { (0...limits.retryPauseSecondsMaximum).contains($0) }.map { .seconds($0) }
    return schedule
  }
}

/// What a receiver has answered, while its attempt is under way.
private final class AnswerNote: Sendable {
  private let bytes = Mutex<[UInt8]>([])

  func note(_ answer: [UInt8]) { bytes.withLock { $0 = Array(answer.prefix(PushReport.answerBytesMaximum)) } }

  /// Nil if there was none. What is no text stands there as far as it is.
  var text: String? {
    let bytes = bytes.withLock { $0 }
    return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
  }
}
