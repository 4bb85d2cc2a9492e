public import EngineKit
import EntityRuntime
import EventSourcing
public import GCMProtocol
import PushDomain
package import PushEngine

/// Downstream messaging: from an app server's request to the mailboxes of devices. Spec: GCM A, B, E.
public final class MessagingService: Sendable {
  public let tap: MessageTap
  package let installations: InstallationService
  let queues: EntityDirectory<PushQueue>
  let groups: EntityDirectory<DeviceGroup>
  let groupIndex: GroupIndex
  package let broadcasts: BroadcastRunner
  /// Devices' connections, and those of app servers.
  public let gateway: DeviceGateway
  let relay: MessageRelay
  let rates: MessageRates
  let faults: FaultScripts
  /// Whether an app server may ever come for what devices send to this sender.
  let isSender: @Sendable (String) -> Bool
  let node: Node
  let identifiers: Identifiers
  let context: RuntimeContext
  let limits: EngineLimits

  package init(
    _ partitions: Partitions, dispatcher: PushDispatcher, settings: MessagingSettings,
    isSender: @escaping @Sendable (String) -> Bool
  ) {
    let (node, context, queues, topics) = (partitions.node, partitions.context, dispatcher.queues, TopicIndex())
    let limits = node.limits
    tap = MessageTap(limits: limits, now: { [time = context.time] in time.now })
    installations = InstallationService(
      directory: partitions.directory(.installation), topics: topics, queues: queues, context: context,
      identifiers: node.identifiers, limits: limits)
    let upstream = AppServerGateway(queues: queues, context: context, limits: limits, links: AppServerLinks())
    gateway = DeviceGateway(
      installations: installations, queues: queues, upstream: upstream, context: context, limits: limits, tap: tap,
      throttle: settings.collapseBurst.map {
        CollapseThrottle(burst: $0, refillSeconds: settings.collapseRefillSeconds)
      })
    relay = MessageRelay(dispatcher: dispatcher, queues: queues, limits: limits)
    broadcasts = BroadcastRunner(
      directory: partitions.directory(.broadcast), installations: installations, topics: topics, queues: queues,
      gateway: gateway, relay: relay, context: context, limits: limits)
    groups = partitions.directory(.deviceGroup)
    groupIndex = GroupIndex()
    rates = MessageRates(settings)
    faults = FaultScripts()
    self.queues = queues
    self.isSender = isSender
    self.node = node
    identifiers = node.identifiers
    self.context = context
    self.limits = limits
    partitions.add(installations)
    partitions.add(self)
    partitions.add(broadcasts)
    dispatcher.carry(by: self)
  }

  /// False during recovery, and from the beginning of a graceful stop.
  public var isReady: Bool { node.isReady }
  /// Tells of refused attempts.
  public var security: SecurityLog { node.security }

  /// Accepts a message for all its targets. What is answered with an id is durable (except with a time to live of 0).
  /// A request that is not usable for its content (too big, …) never gets here: `GCMProtocol` has refused it.
  /// - Parameter sender: whose key it came with.
  /// - Throws: `.unavailable`, `.limitReached`, `.storageFull`: the whole request is to be tried again (5xx).
  public func send(_ request: DownstreamRequest, sender: String) async throws(EngineError) -> DownstreamAnswer {
    switch request.target {
    case .recipient(let recipient):
      if let group = groupIndex[recipient] { return try await send(request, toGroup: group, sender) }
      return .targets([try await send(request, to: recipient, sender).get()])
    case .tokens(let tokens):
      return .targets(try await send(request, to: tokens, sender))
    case .topic(let name):
      return .topic(try await broadcast(request, to: .topic(name), from: "/topics/\(name)", sender))
    case .condition(let condition):
      // Spec: GCM B6.5, of a condition its first topic has to do.
      let origin = condition.topics.first.map { "/topics/\($0)" } ?? sender
      return .topic(try await broadcast(request, to: condition, from: origin, sender))
    }
  }

  /// Spec: GCM D5; RFC 8030.
  /// - Parameter publicKey: the application server's VAPID key in Base64 without padding, or the sender id of its API
  ///   key, already verified; nil if it gave none. A token takes messages of the sender that it was made for only.
  public func webPush(
    _ message: WebPushMessage, to token: String, publicKey: String?
  ) async throws(EngineError) -> TargetResult {
    let found: FoundRegistration
    switch await installations.find(token) {
    case .never: return refused(.invalidRegistration, token, publicKey ?? "")
    case .ended: return try await ended(token, publicKey ?? "").get()
    case .live(let registration): found = registration
    }
    // Spec: GCM D5.2, the browser looks its key up by the sender that the token was made for.
    // Who only has the token may not send to it.
    guard let sender = found.registration.senders.first, publicKey == sender else {
      return refused(.mismatchSenderID, token, publicKey ?? "")
    }
    guard rates.admits(registration: found.scope.text, sender: sender, now: context.time.monotonicMilliseconds) else {
      return refused(.deviceMessageRateExceeded, token, sender)
    }
    let pairs = message.headers + MailComposer.subtype(of: found)
    return try await store(
      Mail(
        id: MessageID(context.time.now, identifiers).text, scope: found.scope.text, origin: sender,
        category: found.registration.app, collapseKey: message.topic, sender: sender, priority: message.priority,
        acceptedAt: context.time.now, timeToLive: min(message.timeToLive, DownstreamLimits.timeToLiveMaximum),
        pairs: pairs, rawData: message.body), for: found, canonical: nil
    ).get()
  }

  // MARK: Test mode

  /// What this sender's next request is to meet, by its operator's script; nil for nothing. Takes one off the script.
  public func nextFault(of sender: String) -> ScriptedFault? { faults.next(of: sender) }

  /// Replaces the script; beyond `limits.faultsMaximum` the rest is left out.
  public func setFaults(_ script: [ScriptedFault], of sender: String) {
    faults.set(Array(script.prefix(limits.faultsMaximum)), of: sender)
  }

  public func faults(of sender: String) -> [ScriptedFault] { faults[sender] }

  // MARK: One target

  private typealias Sent = Result<TargetResult, EngineError>

  /// Some at once: each waits for the disk.
  private func send(
    _ request: DownstreamRequest, to tokens: [String], _ sender: String
  ) async throws(EngineError) -> [TargetResult] {
    var results: [Sent] = []
    for start in stride(from: 0, to: tokens.count, by: limits.targetsAtOnce) {
      let chunk = tokens[start..<min(start + limits.targetsAtOnce, tokens.count)]
      results += await withTaskGroup(of: (Int, Sent).self) { group in
        for (place, token) in zip(chunk.indices, chunk) {
          group.addTask { (place, await self.send(request, to: token, sender)) }
        }
        return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }.sorted { $0.key < $1.key }.map(\.value)
      }
    }
    // What some targets met with is theirs; only if it is everybody's the whole request is to come again.
    let isNobodys = results.allSatisfy { if case .failure = $0 { true } else { false } }
    if isNobodys, case .failure(let error)? = results.first { throw error }
    return results.map { (try? $0.get()) ?? .failed(.unavailable) }
  }

  private func send(_ request: DownstreamRequest, to token: String, _ sender: String) async -> Sent {
    let found: FoundRegistration
    switch await installations.find(token) {
    case .never: return .success(refused(.invalidRegistration, token, sender))
    case .ended: return await ended(token, sender)
    case .live(let registration): found = registration
    }
    switch prepare(request, for: found, named: token, sender) {
    case .settled(let result): return .success(result)
    case .message(let mail, let canonical): return await store(mail, for: found, canonical: canonical)
    }
  }

  /// What one device is to get, or what is said at once.
  enum Prepared {
    case settled(TargetResult)
    case message(Mail, canonical: String?)
  }

  func prepare(
    _ request: DownstreamRequest, for found: FoundRegistration, named token: String, _ sender: String
  ) -> Prepared {
    guard found.admits(sender) else { return .settled(refused(.mismatchSenderID, token, sender)) }
    let registration = found.registration
    let request = request.variant(for: registration.messagePlatform)
    if let package = request.restrictedPackageName, package != registration.app {
      return .settled(refused(.invalidPackageName, token, sender))
    }
    let canonical = found.canonical(for: sender)
    if request.isDryRun { return .settled(.accepted(id: MessageID.fake, canonical: canonical)) }
    guard rates.admits(registration: found.scope.text, sender: sender, now: context.time.monotonicMilliseconds) else {
      return .settled(refused(.deviceMessageRateExceeded, token, sender))
    }
    let now = context.time.now
    let template = MailComposer.template(
      of: request, id: MessageID(now, identifiers), origin: sender, sender: sender, at: now)
    return .message(MailComposer.mail(template, to: found), canonical: canonical)
  }

  private func store(_ mail: Mail, for found: FoundRegistration, canonical: String?) async -> Sent {
    tap.note { MessageStep(.accepted, mail, at: $0) }
    let accepted = Sent.success(.accepted(id: mail.id, canonical: canonical))
    if let address = found.registration.relay {
      if let error = await relay.push(mail, to: address) { return error }
      return accepted
    }
    if mail.isNowOrNever {
      if !gateway.deliverNow(mail, to: found.id) { tap.note { MessageStep(.discarded, mail, at: $0) } }
      return accepted
    }
    guard let queue = queues.entity(MailboxKey.device(found.id), limit: limits.pushQueuesMaximum) else {
      return .failure(Self.tooManyQueues)
    }
    return await keep(mail, for: found, canonical: canonical, in: queue)
  }

  static let tooManyQueues = EngineError.limitReached("push_queues")

  /// The end of `store`: durable when it returns.
  func keep(
    _ mail: Mail, for found: FoundRegistration, canonical: String?, in queue: Entity<PushQueue>
  ) async -> Result<TargetResult, EngineError> {
    do throws(TurnError<Never>) {
      try await queue.perform(.store(mail, receiver: gateway.receiver(found.id))) { _ in }
      await installations.recheck(found, queue)
      return .success(.accepted(id: mail.id, canonical: canonical))
    } catch {
      return TargetResult.refusal(error)
    }
  }

  /// That a registration has ended makes app servers forget it: they are told once it is durable.
  private func ended(_ token: String, _ sender: String) async -> Sent {
    guard (try? await context.untilDurable()) != nil else { return .failure(.unavailable) }
    return .success(refused(.notRegistered, token, sender))
  }

  private func refused(_ error: DownstreamError, _ token: String, _ sender: String) -> TargetResult {
    tap.note { time in
      MessageStep(
        at: time, kind: .refused, messageID: "", sender: sender, app: "",
        target: MailScope.shown(RegistrationToken(token).map { MailScope($0.id, $0.number).text } ?? token),
        collapseKey: nil, reason: error.rawValue)
    }
    return .failed(error)
  }

  // MARK: Many targets

  /// Spec: GCM B4.5.
  private func send(
    _ request: DownstreamRequest, toGroup group: String, _ sender: String
  ) async throws(EngineError) -> DownstreamAnswer {
    // Another sender's group is as unknown as none at all.
    guard GroupIndex.sender(of: group) == sender else {
      return .targets([refused(.mismatchSenderID, group, sender)])
    }
    let members = await groups[group]?.peek { $0.members } ?? []
    guard !members.isEmpty else { return .targets([refused(.notRegistered, group, sender)]) }
    let results = try await send(request, to: members, sender)
    let failed = zip(members, results).filter { if case .failed = $1 { true } else { false } }.map(\.0)
    return .group(success: members.count - failed.count, failed: failed)
  }

  private func broadcast(
    _ request: DownstreamRequest, to condition: TopicCondition, from origin: String, _ sender: String
  ) async throws(EngineError) -> Result<UInt64, DownstreamError> {
    let id = MessageID(context.time.now, identifiers)
    if request.isDryRun { return .success(id.number) }
    guard rates.admits(topic: "\(sender) \(origin)", now: context.time.monotonicMilliseconds) else {
      return .failure(.topicsMessageRateExceeded)
    }
    let now = context.time.now
    func mail(of request: DownstreamRequest) -> Mail {
      MailComposer.template(of: request, id: id, origin: origin, sender: sender, at: now)
    }
    let work = BroadcastWork(
      mail: mail(of: request), variants: request.variants.mapValues { mail(of: $0) }, condition: condition.text)
    tap.note { MessageStep(.accepted, work.mail, at: $0) }
    let isTaken = try await broadcasts.accept(work, to: condition, id: id)
    return isTaken ? .success(id.number) : .failure(.topicsMessageRateExceeded)
  }

  /// A VAPID key: an uncompressed P-256 point as Base64. Spec: RFC 8292, 3.2.
  static func isPublicKey(_ sender: String) -> Bool { sender.utf8.count == 87 && sender.hasPrefix("B") }
}

/// The name of an accepted message. Spec: GCM B4.3.
struct MessageID {
  static let fake = "fake_message_id"

  /// What a topic's answer names it by: positive.
  let number: UInt64
  let text: String

  init(_ now: Timestamp, _ identifiers: Identifiers) {
    number = identifiers.positiveNumber()
    let digits = String(number, radix: 16)
    let microseconds = UInt64(max(0, now.milliseconds)) * 1_000 + number % 1_000
    var text = "0:"
    text.reserveCapacity(40)
    text += String(microseconds)
    text += "%"
    for _ in digits.utf8.count..<16 { text += "0" }
    self.text = text + digits
  }
}

extension TopicCondition {
  /// A text that is read as the same condition.
  var text: String {
    switch self {
    case .topic(let name): "'\(name)' in topics"
    case .not(let condition): "!(\(condition.text))"
    case .and(let left, let right): "(\(left.text)) && (\(right.text))"
    case .or(let left, let right): "(\(left.text)) || (\(right.text))"
    }
  }
}
