package import EngineKit
package import EntityRuntime
package import EventSourcing
import Logging
import OptionKit
package import PushDomain
import Synchronization

/// Hands pushes to the queues of their devices, and what the queues hold to the couriers and back.
///
/// ```
///   producer ──push──> PushQueue ──ready──> CourierLanes ──start──> begin ─> courier ─> attemptEnded
///                       └──── in the same turn, if the lane has a place ────┘
/// ```
/// A push belongs to its producer until the queue's record of it is durable; only then is that one told. A crash between
/// offers it to the queue again, which knows a repetition by the push's number, in whatever order they come. An attempt is recorded before it is
/// made: the journal knows of every request that may have reached a provider.
package final class PushDispatcher {
  package let queues: EntityDirectory<PushQueue>
  package let devices: DeviceService
  package let options: OptionStore
  package let optionCache: PushOptionCache
  package let couriers: CourierBook
  let lanes: CourierLanes
  package let timers: KeyedTimers<PushTimer>
  let context: RuntimeContext
  let tasks: TaskPool
  package let limits: EngineLimits
  package let metrics: CourierMetrics
  let deadLetters = DeadLetterIndex()
  let waiters = PushWaiters()
  let underWay = KeysUnderWay()
  package let producers = PushProducers()
  let identifiers: Identifiers
  private let carrier = Mutex<(any MailCarrier)?>(nil)
  let random: @Sendable () -> Double
  let logger: Logger

  init(
    _ partitions: Partitions, queues: EntityDirectory<PushQueue>, devices: DeviceService, couriers: CourierBook,
    lanes: CourierLanes, metrics: CourierMetrics
  ) {
    let node = partitions.node
    self.queues = queues
    self.devices = devices
    self.couriers = couriers
    self.lanes = lanes
    self.metrics = metrics
    timers = partitions.timers()
    context = partitions.context
    options = node.options
    optionCache = PushOptionCache(of: node.options)
    tasks = node.pushTasks
    limits = node.limits
    identifiers = node.identifiers
    random = node.random
    logger = node.logger
  }

  // MARK: From a producer to a queue

  /// - Returns: false if there is no queue for it: the producer goes on owing it, and offers it again after a restart.
  package func enqueue(_ message: PushMessage) async -> Bool {
    guard let queue = queues.entity(DeviceKey.of(message.target), limit: limits.pushQueuesMaximum) else {
      metrics.skipped(type: message.target.type)
      logger.error("push not sent", metadata: ["reason": "too many push queues"])
      return false
    }
    let (standing, isVacant) = await queue.peek {
      ($0.standing(producer: message.producer, number: message.number), $0.messageCount == 0 && !$0.isUnregistered)
    }
    if standing == .known {
      await producers.accepted(message.id)
      return true
    }
    if isVacant, standing == .fresh, await beginAtOnce(message, in: queue) { return true }
    await queue.post(.enqueue(message, limits: queueLimits))
    return true
  }

  /// Takes a push over and ends it, unsent.
  func decline(_ id: PushID, for target: PushAddress, reason: String) async {
    let queue = queues.entity(DeviceKey.of(target), limit: limits.pushQueuesMaximum)
    if await queue?.peek({ $0.standing(producer: id.producer, number: id.number) }) == .known {
      // Taken over before a crash, which kept it from its producer.
      await producers.accepted(id)
    } else {
      await queue?.post(.decline(id, reason: reason))
    }
  }

  // MARK: What a queue wants

  /// Who carries the mail that waits for receivers with a connection of their own.
  package func carry(by carrier: any MailCarrier) { self.carrier.withLock { $0 = carrier } }

  /// First what pushes want, then what mail does.
  package func perform(_ effects: [PushEffect], of queue: Entity<PushQueue>) async {
    var mail: [MailEffect] = []
    var isOfMessages = false
    for effect in effects {
      switch effect {
      case .courier(let effect):
        isOfMessages = isOfMessages || !effect.isOfExpiry
        await perform(effect, of: queue)
      case .mail(let effect): mail.append(effect)
      }
    }
    // A message that moves the timer says so itself.
    if isOfMessages || mail.isEmpty { deadLetters.set(queue.id.key, await queue.peek { $0.backlog }) }
    if !mail.isEmpty, let carrier = carrier.withLock({ $0 }) { await carrier.perform(mail, of: queue) }
  }

  private func perform(_ effect: CourierEffect, of queue: Entity<PushQueue>) async {
    switch effect {
    case .ready(let priority, let since):
      // The turn may have begun the attempt already, which offers by its end whatever is left. What was in flight when a
      // process died is in nobody's hands.
      if underWay.contains(queue.id.key), await queue.peek({ $0.attempt != nil }) { break }
      await offer(queue, priority, since: since)
    case .startTimer(let timer, let deadline): timers.start(timer, of: queue.id.key, at: deadline)
    case .cancelTimer(let timer): timers.cancel(timer, of: queue.id.key)
    case .accepted(let id): await producers.accepted(id)
    case .settled(let id, let outcome, let attempts):
      note(id, outcome, attempts: attempts)
      await producers.settled(id, outcome)
      guard outcome.leavesDeadLetter else { break }
      let letter = await queue.peek { queue in queue.deadLetters.first { $0.message.id == id } }
      if let letter { await exhausted(letter, of: queue.id.key) }
    case .addressGone(let reason):
      await devices.gone(queue.id.key, reason: reason)
      await producers.addressGone(queue.id.key, reason: reason)
    case .deadLetters(let count): deadLetters.set(queue.id.key, count)
    }
  }

  /// The bounds of each queue.
  package var queueLimits: PushLimits { Self.queueLimits(options) }

  static func queueLimits(_ options: OptionStore) -> PushLimits {
    var limits = PushLimits()
    if let count = options.current.section(.push).ifSet(DeliveryOptions.keys.queueMessages) {
      limits.messagesMaximum = count
      limits.deadLettersMaximum = count
    }
    return limits
  }

  func offer(_ queue: Entity<PushQueue>, _ priority: PushPriority, since: Timestamp) async {
    guard let message = await queue.peek({ $0.next }) else { return }
    lanes.offer(queue.id.key, on: lane(of: message), priority, since: since)
  }

  func lane(of message: PushMessage) -> CourierLane { lane(of: message.target, tag: message.tag) }

  private func lane(of target: PushAddress, tag: String) -> CourierLane {
    couriers[target.type]?.lane(of: target, pushOptions(target, tag: tag))
      ?? CourierLane(id: target.type, label: target.type)
  }

  /// What waits in the queues, by the label of the lane that it is for; what waits for its next attempt, too.
  func backlogs() -> [String: DeadLetterIndex.Backlog] {
    var found: [String: DeadLetterIndex.Backlog] = [:]
    for (kind, backlog) in deadLetters.backlogs {
      let label = lane(of: kind.target, tag: kind.tag).label
      found[label] = found[label].map { $0.with(backlog) } ?? backlog
    }
    return found
  }

  private func note(_ id: PushID, _ outcome: FinalPushOutcome, attempts: Int) {
    metrics.settled(outcome)
    waiters.settled(id, outcome, attempts: attempts)
    guard outcome != .delivered else { return }
    logger.warning(
      "push ended undelivered",
      metadata: [
        // A service id is a capability: its beginning is enough to find the chat in the journal.
        "producer": "\(id.producer.prefix(12))…", "push": "\(id.number)", "outcome": "\(outcome.name)",
        "reason": "\(outcome.reason ?? "")", "attempts": "\(attempts)",
      ])
  }

  // MARK: Parts

  func pushOptions(_ message: PushMessage) -> PushOptions { pushOptions(message.target, tag: message.tag) }

  package func pushOptions(_ target: PushAddress, tag: String) -> PushOptions {
    optionCache.options(provider: target.provider, tag: tag, debug: target.debug)
  }

  /// Why nothing can be pushed to this address; nil if something can. Spec: GMS 7.1.
  package func obstacle(_ target: PushAddress, tag: String) -> String? {
    let key = DeliveryOptions.keys.enabledTypes
    let enabled = optionCache.options(provider: nil, tag: tag, debug: false)[key]
    guard enabled.contains(target.type) else { return "type is not in \(key.name)" }
    guard let provider = couriers[target.type] else { return "no courier for this type" }
    return provider.obstacle(target, pushOptions(target, tag: tag))
  }

  /// Why a push to this address is not even to be queued: as `obstacle`, but what is wrong with the address alone is no
  /// reason. The courier refuses it, and the operator sees it as a dead letter.
  package func hindrance(_ target: PushAddress, tag: String) -> String? {
    guard let obstacle = obstacle(target, tag: tag) else { return nil }
    return couriers[target.type]?.refusal(of: target, pushOptions(target, tag: tag)) == nil ? obstacle : nil
  }
}

extension PushDispatcher: AlarmedHost {
  package func erase(_ phase: ErasurePhase, _ scope: ErasureScope) async throws {
    guard phase == .targets else { return }
    let producers = scope.allProducers
    for key in scope.keys(of: .pushQueue).sorted() {
      guard let queue = queues[key] else { continue }
      let waiting = await queue.peek { Set($0.mail.pending.map(\.scope)) }.filter { scope.holds(producer: $0) }
      _ = try await queue.perform(.erase(producers: producers.union(waiting).sorted())) { _ in true }
      // Also if nothing of theirs was left in it: records of theirs are about to go, and replay must not miss them.
      _ = try await queue.perform(.restate) { _ in true }
    }
  }

  package var directory: EntityDirectory<PushQueue> { queues }
  package var rearming: RearmPhase? { .owed }

  package func note(of queue: borrowing PushQueue) -> [UInt8] { QueueNote(queue).bytes }

  package func restored(_ key: String, _ queue: borrowing PushQueue) { deadLetters.restored(key, QueueNote(queue)) }

  package func restored(_ key: String, note: [UInt8]) throws(PayloadError) -> Bool {
    deadLetters.restored(key, try QueueNote(bytes: note))
    return true
  }

  package func fired(_ timer: PushTimer, of key: String) async { await queues[key]?.post(timer.command(queueLimits)) }
}

extension CourierEffect {
  fileprivate var isOfExpiry: Bool {
    switch self {
    case .startTimer(.expiry, _), .cancelTimer(.expiry): true
    default: false
    }
  }
}

extension PushTimer {
  /// What its firing tells the queue.
  fileprivate func command(_ limits: PushLimits) -> PushCommand {
    switch self {
    case .retry(let producer): .retryDue(producer: producer, limits: limits)
    case .expiry: .expiryDue(limits: limits)
    }
  }
}
