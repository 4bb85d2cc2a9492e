import ChatDomain
import Crypto
import EntityRuntime
import EventSourcing
import JSONEnvelope
import Logging
public import PushDomain

/// Hands pushes to the queues of their devices, and what the queues say to the couriers and back.
///
/// A push belongs to its chat until the queue's record of it is durable; only then is the chat told. A crash in between
/// offers it to the queue again, which knows a repetition by the push's number.
struct PushDispatcher: Sendable {
  /// For option look-up; not sent to the device. Spec: GMS 7.1.
  static let chatTag = "chat.newagentmessage"

  let queues: EntityDirectory<PushQueue>
  let chats: ChatService
  let options: OptionStore
  let providers: ProviderLookUp
  let timers: KeyedTimers<PushTimer>
  let context: RuntimeContext
  let tasks: TaskPool
  let limits: EngineLimits
  let metrics: EngineMetrics
  let logger: Logger

  // MARK: From a chat to a queue

  func dispatch(_ push: ChatPush, of chat: Entity<ChatSession>) async {
    let serviceName = chats.index[chat.id.key]?.serviceName ?? ""
    let target = address(push.target, of: chat.id.key)
    if let reason = obstacle(target) {
      // The machine goes on without pushes; once for each phase is enough to say so. Spec: GMS 7.1.
      metrics.skipped()
      if push.ordinal == 1 {
        logger.warning(
          "push not sent", metadata: ["service": "\(serviceName)", "type": "\(target.type)", "reason": "\(reason)"])
      }
      return await handedOver(PushID(producer: chat.id.key, number: push.number))
    }
    guard let queue = queues.entity(Self.key(of: target), limit: limits.pushQueuesMaximum) else {
      // The chat goes on owing it: it is offered again after a restart.
      metrics.skipped()
      logger.error("push not sent", metadata: ["reason": "too many push queues"])
      return
    }
    let attempts = chats.option("_max_notify_delivery_attempts", of: chat.id.key).flatMap(Int.init) ?? 3
    let message = PushMessage(
      producer: chat.id.key, number: push.number, tag: Self.chatTag, alert: push.message,
      content: Self.content(push, serviceID: chat.id.key, transcriptBytes: limits.pushTranscriptBytesMaximum),
      compactContent: Self.content(push, serviceID: chat.id.key, transcriptBytes: nil), service: serviceName,
      target: target, attemptsMaximum: attempts)
    if await queue.peek({ $0.isKnown(producer: message.producer, number: message.number) }) {
      return await handedOver(message.id)
    }
    await queue.post(.enqueue(message))
  }

  /// A chat began that names this device: if it was thought to be gone, it is there again.
  func register(_ target: PushTarget, of serviceID: String) async {
    guard let queue = queues[Self.key(of: address(target, of: serviceID))] else { return }
    if await queue.peek({ $0.isUnregistered }) { await queue.post(.register) }
  }

  // MARK: From a queue to its courier

  func perform(_ effects: [PushEffect], of queue: Entity<PushQueue>) async {
    for effect in effects {
      switch effect {
      case .deliver(let message, let attempt): deliver(message, attempt: attempt, from: queue)
      case .startTimer(let timer, let deadline): start(timer, at: deadline, of: queue)
      case .cancelTimer(let timer): timers.cancel(timer, of: queue.id.key)
      case .accepted(let id): await handedOver(id)
      case .settled(let id, let outcome, let attempts): note(id, outcome, attempts: attempts)
      }
    }
  }

  private func deliver(_ message: PushMessage, attempt: Int, from queue: Entity<PushQueue>) {
    let target = message.target
    let options = PushOptions { [options] name in
      options.current.push(name, provider: target.provider, tag: message.tag, debug: target.debug)
    }
    let provider = providers(target.type)
    metrics.attempted()
    let started = tasks.spawn {
      let outcome =
        await provider?.deliver(PushDelivery(message: message, attempt: attempt, options: options))
        ?? .refused(reason: "no courier for this type")
      await queue.post(.attemptEnded(message.id, attempt: attempt, outcome))
    }
    #if CARILLON_CANARIES
      if Canary.sings(.pushTwice) {
        _ = tasks.spawn {
          _ = await provider?.deliver(PushDelivery(message: message, attempt: attempt, options: options))
        }
      }
    #endif
    guard !started else { return }
    // No room among the pushes under way: no attempt was made, so none is counted.
    _ = context.timers.schedule(afterMilliseconds: limits.pushRetryMilliseconds) {
      deliver(message, attempt: attempt, from: queue)
    }
  }

  private func start(_ timer: PushTimer, at deadline: Timestamp, of queue: Entity<PushQueue>) {
    let command: PushCommand =
      switch timer {
      case .retry(let producer): .retryDue(producer: producer)
      case .expiry: .expiryDue
      }
    // By its key, not by itself: a timer must not keep a queue from its sleep.
    let (key, queues, lane) = (queue.id.key, queues, context.lanes[queue.id.hashValue])
    timers.start(timer, of: key, at: deadline) { lane.enqueue { await queues[key]?.post(command) } }
  }

  private func handedOver(_ id: PushID) async {
    guard let chat = chats.directory[id.producer] else { return }
    let command = ChatCommand(.pushHandedOver(number: id.number), policy: chats.policy(of: id.producer))
    await chat.post(command, lazy: true)
  }

  private func note(_ id: PushID, _ outcome: FinalPushOutcome, attempts: Int) {
    metrics.settled(outcome)
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
    return PushAddress(
      type: target.type, deviceID: target.deviceID, provider: target.provider ?? configured,
      language: target.language, debug: debug)
  }

  /// Why nothing can be pushed to this address; nil if something can. Spec: GMS 7.1.
  private func obstacle(_ target: PushAddress) -> String? {
    let options = options.current
    let enabled = Options.list(options.push("pushEnabled", tag: Self.chatTag) ?? "comet")
    guard enabled.contains(target.type) else { return "type is not in pushEnabled" }
    guard let provider = providers(target.type) else { return "no courier for this type" }
    let missing = provider.requiredOptions.first { name in
      options.push(name, provider: target.provider, tag: Self.chatTag, debug: target.debug)?.isEmpty ?? true
    }
    return missing.map { "option \($0) is not set" }
  }

  /// The entity key of a device's queue: a hash, since a device id may be long and is not for every eye.
  static func key(of target: PushAddress) -> String {
    var hash = SHA256()
    for part in [target.type, target.provider ?? "", target.debug ? "debug" : "", target.deviceID] {
      hash.update(data: Array("\(part.utf8.count):\(part)".utf8))
    }
    return hash.finalize().prefix(16).map { byte in
      let digits = String(byte, radix: 16)
      return digits.count == 1 ? "0" + digits : digits
    }.joined()
  }

  /// The chat push message. Spec: GMS 7.2.
  /// - Parameter transcriptBytes: the bound of the texts in `lastTranscript`, which leaves out the oldest; nil for none.
  static func content(_ push: ChatPush, serviceID: String, transcriptBytes: Int?) -> [UInt8] {
    var writer = JSONWriter(capacity: 256)
    writer.beginObject()
    writer.key("message")
    writer.string(push.message)
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
    return writer.bytes
  }
}

/// Finds the courier of a push type; nil if there is none.
public typealias ProviderLookUp = @Sendable (_ type: String) -> (any PushProvider)?
