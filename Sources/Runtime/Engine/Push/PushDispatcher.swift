import ChatDomain
import EntityRuntime
import EventSourcing
import JSONEnvelope
import Logging
public import PushDomain
import Synchronization

/// Hands pushes to the queues of their devices, and what the queues hold to the couriers and back.
///
/// ```
///   chat ──dispatch──> PushQueue ──ready──> CourierLanes ──start──> begin ─> courier ─> attemptEnded
/// ```
/// A push belongs to its chat until the queue's record of it is durable; only then is the chat told. A crash in between
/// offers it to the queue again, which knows a repetition by the push's number. An attempt is recorded before it is
/// made: the journal knows of every request that may have reached a provider.
struct PushDispatcher: Sendable {
  /// For option look-up; not sent to the device. Spec: GMS 7.1.
  static let chatTag = "chat.newagentmessage"

  let queues: EntityDirectory<PushQueue>
  let devices: DeviceService
  let chats: ChatService
  let options: OptionStore
  let providers: ProviderLookUp
  let lanes: CourierLanes
  let timers: KeyedTimers<PushTimer>
  let context: RuntimeContext
  let tasks: TaskPool
  let limits: EngineLimits
  let metrics: CourierMetrics
  let deadLetters: DeadLetterIndex
  let waiters: PushWaiters
  let underWay: KeysUnderWay
  let events: Late<OperatorEvents>
  let producers = PushProducers()
  let random: @Sendable () -> Double
  let logger: Logger

  // MARK: From a chat to a queue

  func dispatch(_ push: ChatPush, of chat: Entity<ChatSession>) async {
    let chatEntry = chats.index[chat.id.key]
    let serviceName = chatEntry?.serviceName ?? ""
    var wanted = address(push.target, of: chat.id.key)
    var obstacle = hindrance(wanted, tag: Self.chatTag)
    if let id = push.target.subscriptionID {
      if let terms = await producers.subscription(id) {
        wanted = terms.address.speaking(push.target.language)
      } else {
        obstacle = "the subscription is over"
      }
    }
    if let reason = obstacle {
      // The machine goes on without pushes; once for each phase is enough to say so. Spec: GMS 7.1.
      metrics.skipped(type: wanted.type)
      if push.ordinal == 1 {
        logger.warning(
          "push not sent", metadata: ["service": "\(serviceName)", "type": "\(wanted.type)", "reason": "\(reason)"])
      }
      return await handedOver(PushID(producer: chat.id.key, number: push.number))
    }
    let registration = DeviceRegistration(address: wanted, app: serviceName, owner: chatEntry?.userKey)
    let device = await devices.standing(of: registration)
    guard device.mayGet(pushesOf: chatEntry?.userKey) else {
      metrics.skipped(type: wanted.type)
      logger.notice("push not sent", metadata: ["reason": "the device has another owner now"])
      return await decline(
        PushID(producer: chat.id.key, number: push.number), for: device.address,
        reason: "the device has another owner now")
    }
    let now = context.time.now
    let attempts = chats.option("_max_notify_delivery_attempts", of: chat.id.key).flatMap(Int.init) ?? 3
    let lifetime = pushOptions(device.address, tag: Self.chatTag).integer("push.time_to_live") ?? 3_600
    let text = self.text(of: push, chat.id.key)
    let message = PushMessage(
      producer: chat.id.key, number: push.number, tag: Self.chatTag, alert: text,
      content: Self.content(
        push, text: text, serviceID: chat.id.key, transcriptBytes: limits.pushTranscriptBytesMaximum),
      compactContent: Self.content(push, text: text, serviceID: chat.id.key, transcriptBytes: nil),
      service: serviceName,
      target: device.address, attemptsMaximum: attempts, expiry: now.advanced(by: .seconds(lifetime)),
      owner: chatEntry?.userKey, registeredAt: device.registeredAt)
    _ = await enqueue(message)
  }

  /// What a chat's push says, in the language that the app has asked for. Spec: GMS 8.3, localized texts.
  private func text(of push: ChatPush, _ serviceID: String) -> String {
    let isSet = chats.option("_client_timeout_notification_message", of: serviceID) != nil
    return options.current.texts.chatAlert(language: push.target.language, plain: isSet ? push.message : nil)
  }

  /// Why nothing can be pushed for this chat; nil if something can, or nothing is to be.
  func obstacle(_ target: PushTarget, of serviceID: String) -> String? {
    obstacle(address(target, of: serviceID), tag: Self.chatTag)
  }

  /// - Returns: false if there is no queue for it: the producer goes on owing it, and offers it again after a restart.
  func enqueue(_ message: PushMessage) async -> Bool {
    guard let queue = queues.entity(DeviceKey.of(message.target), limit: limits.pushQueuesMaximum) else {
      metrics.skipped(type: message.target.type)
      logger.error("push not sent", metadata: ["reason": "too many push queues"])
      return false
    }
    if await queue.peek({ $0.isKnown(producer: message.producer, number: message.number) }) {
      await handedOver(message.id)
    } else {
      await queue.post(.enqueue(message, limits: queueLimits))
    }
    return true
  }

  /// Takes a push over and ends it, unsent.
  func decline(_ id: PushID, for target: PushAddress, reason: String) async {
    let queue = queues.entity(DeviceKey.of(target), limit: limits.pushQueuesMaximum)
    if await queue?.peek({ $0.isKnown(producer: id.producer, number: id.number) }) ?? false {
      // Taken over before a crash, which kept it from the chat.
      await handedOver(id)
    } else {
      await queue?.post(.decline(id, reason: reason))
    }
  }

  /// A chat began that names this device.
  func register(_ target: PushTarget, of serviceID: String) async {
    let entry = chats.index[serviceID]
    await devices.show(
      DeviceRegistration(address: address(target, of: serviceID), app: entry?.serviceName, owner: entry?.userKey))
  }

  // MARK: What a queue wants

  func perform(_ effects: [PushEffect], of queue: Entity<PushQueue>) async {
    var isOfMessages = false
    for effect in effects {
      switch effect {
      case .ready(let priority, let since): await offer(queue, priority, since: since)
      case .startTimer(let timer, let deadline): start(timer, at: deadline, of: queue)
      case .cancelTimer(let timer): timers.cancel(timer, of: queue.id.key)
      case .accepted(let id): await handedOver(id)
      case .settled(let id, let outcome, let attempts):
        note(id, outcome, attempts: attempts)
        guard outcome.leavesDeadLetter else { break }
        let letter = await queue.peek { queue in queue.deadLetters.first { $0.message.id == id } }
        if let letter { await events.value.exhausted(letter, of: queue.id.key) }
      case .addressGone(let reason):
        await devices.gone(queue.id.key, reason: reason)
        await producers.gone(queue.id.key, reason: reason)
      case .deadLetters(let count): deadLetters.set(queue.id.key, count)
      // The mailbox has no courier.
      case .mailWaits, .mailEnded, .mailDropped, .mailNoticed: continue
      }
      isOfMessages = true
    }
    if isOfMessages { deadLetters.set(queue.id.key, await queue.peek { $0.backlog }) }
  }

  /// The bounds of each queue.
  var queueLimits: PushLimits { Self.queueLimits(options) }

  static func queueLimits(_ options: OptionStore) -> PushLimits {
    var limits = PushLimits()
    let count = options.current.sections["push"]?["push.queue_messages"].flatMap { Int($0) }
    if let count, EngineLimits.queueMessages.contains(count) {
      limits.messagesMaximum = count
      limits.deadLettersMaximum = count
    }
    return limits
  }

  private func offer(_ queue: Entity<PushQueue>, _ priority: PushPriority, since: Timestamp) async {
    guard let message = await queue.peek({ $0.next }) else { return }
    lanes.offer(queue.id.key, on: lane(of: message), priority, since: since)
  }

  private func lane(of message: PushMessage) -> CourierLane { lane(of: message.target, tag: message.tag) }

  private func lane(of target: PushAddress, tag: String) -> CourierLane {
    providers(target.type)?.lane(of: target, pushOptions(target, tag: tag))
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

  // MARK: One attempt

  /// For `CourierLanes`: false if there is no room among the pushes under way.
  func startAttempt(_ key: String, _ lane: CourierLane) -> Bool {
    tasks.spawn { await alone(key, lane) { await attempt(key, lane) } }
  }

  /// Takes a queue's turn, unless another one is still on: it may have been offered to two lanes (options have changed,
  /// its next message takes another), or its last attempt is just about to end.
  private func alone(_ key: String, _ lane: CourierLane, _ turn: () async -> Void) async {
    guard underWay.enter(key) else { return lanes.released(key, on: lane) }
    await turn()
    // The turn that was given back is made up for.
    guard underWay.leave(key), let queue = queues[key] else { return }
    let effects = await queue.peek { $0.attempt == nil ? $0.outstandingEffects : [] }
    for case .ready(let priority, let since) in effects { await offer(queue, priority, since: since) }
  }

  private func attempt(_ key: String, _ lane: CourierLane) async {
    guard let (queue, message, attempt) = await begin(key, lane, turn: .start(key: key)) else { return }
    if let objection = await producers.objection(to: message) {
      await queue.post(
        .attemptEnded(message.id, attempt: attempt, .refused(reason: objection), schedule: schedule(of: message)))
      return lanes.released(key, on: lane)
    }
    let answer = AnswerNote()
    let delivery = PushDelivery(
      message: message, id: PushUUID.text(of: message.id), attempt: attempt, options: pushOptions(message),
      now: context.time.now, noteAnswer: answer.note)
    let provider = providers(message.target.type)
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
    tasks.spawn {
      await alone(key, lane) {
        let turn = CourierLaneMachine.Action.refuse(key: key, reason: reason)
        if let queue = queues[key], let next = await queue.peek({ $0.next }), self.lane(of: next).id != lane.id {
          // It has another endpoint by now, which nobody has switched off.
          lanes.released(key, on: lane)
          let effects = await queue.peek { $0.outstandingEffects }
          for case .ready(let priority, let since) in effects { await offer(queue, priority, since: since) }
          return
        }
        guard let (queue, message, attempt) = await begin(key, lane, turn: turn) else { return }
        await queue.post(
          .attemptEnded(message.id, attempt: attempt, .refused(reason: reason), schedule: schedule(of: message)))
        lanes.released(key, on: lane)
      }
    }
  }

  private func pushOptions(_ message: PushMessage) -> PushOptions { pushOptions(message.target, tag: message.tag) }

  func pushOptions(_ target: PushAddress, tag: String) -> PushOptions {
    PushOptions(options.push(provider: target.provider, tag: tag, debug: target.debug))
  }

  /// Spec: GMS 7.4; providers 1.2, 4.3.
  private func schedule(of message: PushMessage) -> PushSchedule {
    var schedule = PushSchedule()
    schedule.limits = queueLimits
    schedule.jitter = random()
    let pauses =
      pushOptions(message).text("push.retry_schedule").map { Options.list($0).compactMap(Double.init) }
      ?? (SupportCourier.all.contains(message.target.type) || message.target.type == OperatorEvents.type
        ? SupportCourier.retrySchedule : [])
    // Also what no `Duration` can hold is a number to `Double`.
    schedule.pauses = pauses.filter { (0...limits.retryPauseSecondsMaximum).contains($0) }.map { .seconds($0) }
    return schedule
  }

  /// What the timers do: made once, since there is one for each push that waits.
  static func timerFired(
    _ queues: EntityDirectory<PushQueue>, _ options: OptionStore, _ context: RuntimeContext
  ) -> KeyedTimers<PushTimer>.Firing {
    { timer, key in
      // By its key, not by itself: a timer must not keep a queue from its sleep.
      context.lanes[EntityID(queues.kind, key).hashValue].enqueue {
        await queues[key]?.post(timer.command(queueLimits(options)))
      }
    }
  }

  private func start(_ timer: PushTimer, at deadline: Timestamp, of queue: Entity<PushQueue>) {
    timers.start(timer, of: queue.id.key, at: deadline)
  }

  func handedOver(_ id: PushID) async {
    if await producers.handedOver(id) { return }
    guard let chat = chats.directory[id.producer] else { return }
    let command = ChatCommand(.pushHandedOver(number: id.number), policy: chats.policy(of: id.producer))
    await chat.post(command, lazy: true)
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

  private func address(_ target: PushTarget, of serviceID: String) -> PushAddress {
    let debug = target.debug || chats.option("_use_debug_push_certificate", of: serviceID) == "true"
    let configured = chats.option("_provider_name", of: serviceID).flatMap { $0.isEmpty ? nil : $0 }
    // What cannot be cleaned is sent as it came: the provider says what is wrong with it.
    let deviceID = (try? DeviceIdentifier.cleaned(target.deviceID, type: target.type)) ?? target.deviceID
    return PushAddress(
      type: target.type, deviceID: deviceID, provider: target.provider ?? configured, language: target.language,
      debug: debug)
  }

  /// Why nothing can be pushed to this address; nil if something can. Spec: GMS 7.1.
  func obstacle(_ target: PushAddress, tag: String) -> String? {
    let enabled = Options.list(options.push(provider: nil, tag: tag, debug: false)["pushEnabled"] ?? "comet")
    guard enabled.contains(target.type) else { return "type is not in pushEnabled" }
    guard let provider = providers(target.type) else { return "no courier for this type" }
    return provider.obstacle(target, pushOptions(target, tag: tag))
  }

  /// Why a push to this address is not even to be queued: as `obstacle`, but what is wrong with the address alone is no
  /// reason. The courier refuses it, and the operator sees it as a dead letter.
  func hindrance(_ target: PushAddress, tag: String) -> String? {
    guard let obstacle = obstacle(target, tag: tag) else { return nil }
    return providers(target.type)?.refusal(of: target, pushOptions(target, tag: tag)) == nil ? obstacle : nil
  }

  /// The chat push message. Spec: GMS 7.2.
  /// - Parameter transcriptBytes: the bound of the texts in `lastTranscript`, which leaves out the oldest; nil for none.
  static func content(_ push: ChatPush, text: String, serviceID: String, transcriptBytes: Int?) -> [UInt8] {
    var writer = JSONWriter(capacity: 256)
    writer.beginObject()
    writer.key("message")
    writer.string(text)
    writer.key("serviceId")
    writer.string(serviceID)
    if var room = transcriptBytes {
      let lines = push.lastTranscript.reversed().prefix { line in
        room -= line.text.utf8.count
        return room >= 0
      }
      writer.key("lastTranscript")
      writer.beginArray()
      for line in lines.reversed() {
        writer.beginObject()
        writer.key(line.type.rawValue)
        writer.string(line.text)
        writer.endObject()
      }
      writer.endArray()
    }
    writer.endObject()
    // Exactly as long as it is: it may wait for days, and the writer has room for more.
    return writer.bytes.withUnsafeBufferPointer { Array($0) }
  }
}

extension PushAddress {
  /// The same, for texts in this language.
  fileprivate func speaking(_ language: String?) -> PushAddress {
    PushAddress(
      type: type, deviceID: deviceID, provider: provider, language: language ?? self.language, debug: debug,
      authorization: authorization)
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

/// Finds the courier of a push type; nil if there is none.
public typealias ProviderLookUp = @Sendable (_ type: String) -> (any PushProvider)?
