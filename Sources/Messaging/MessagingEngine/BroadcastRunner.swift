import EngineKit
package import EntityRuntime
import EventSourcing
import GCMProtocol
package import PushDomain

/// Hands broadcasts out, piece by piece and in turn, so that a large one keeps nobody waiting.
package final class BroadcastRunner: Sendable {
  package let directory: EntityDirectory<Broadcast>
  let installations: InstallationService
  let topics: TopicIndex
  let queues: EntityDirectory<PushQueue>
  let gateway: DeviceGateway
  let relay: MessageRelay
  let context: RuntimeContext
  let limits: EngineLimits
  /// Run by the engine: one piece after the other.
  package let lane = Lane()

  init(
    directory: EntityDirectory<Broadcast>, installations: InstallationService, topics: TopicIndex,
    queues: EntityDirectory<PushQueue>, gateway: DeviceGateway, relay: MessageRelay, context: RuntimeContext,
    limits: EngineLimits
  ) {
    self.directory = directory
    self.installations = installations
    self.topics = topics
    self.queues = queues
    self.gateway = gateway
    self.relay = relay
    self.context = context
    self.limits = limits
  }

  /// Durable when it returns; handed out later. One that nobody is to have later is handed out to those who are
  /// connected.
  /// - Returns: false if there are too many already.
  func accept(_ work: BroadcastWork, to condition: TopicCondition, id: MessageID) async throws(EngineError) -> Bool {
    if MessagePlatform.allCases.allSatisfy({ work.mail(for: $0).isNowOrNever }) {
      guard lane.count < limits.broadcastsMaximum else { return false }
      lane.enqueue {
        await self.serveNow(work, condition, self.receivers(of: condition, sender: work.mail.sender)[...])
      }
      return true
    }
    guard let broadcast = directory.entity(id.text, limit: limits.broadcastsMaximum) else { return false }
    do throws(TurnError<Never>) {
      try await broadcast.perform(.accept(work)) { _ in }
      return true
    } catch {
      switch error {
      case .storageFull: throw .storageFull
      case .overloaded, .tooLarge: throw .limitReached("broadcast")
      case .failed: throw .unavailable
      }
    }
  }

  package func perform(_ effects: [BroadcastEffect], of broadcast: Entity<Broadcast>) async {
    for effect in effects {
      switch effect {
      case .run: lane.enqueue { await self.begin(broadcast) }
      case .forget: directory.remove(broadcast.id.key)
      }
    }
  }

  /// Those who match are found once; who comes later, comes too late.
  private func begin(_ broadcast: Entity<Broadcast>) async {
    guard let work = await broadcast.peek({ $0.work }), let condition = try? TopicCondition(parsing: work.condition)
    else {
      await broadcast.post(.finish(receivers: 0))
      return
    }
    let all = receivers(of: condition, sender: work.mail.sender)
    let rest = MailScope(work.past).map { past in all.drop { $0 <= past } } ?? all[...]
    await go(on: broadcast, work, condition, rest, served: all.count - rest.count, behind: nil)
  }

  /// Serves some, and leaves the others to a later turn.
  /// - Parameter behind: the end of the piece before this one in the journal.
  private func go(
    on broadcast: Entity<Broadcast>, _ work: BroadcastWork, _ condition: TopicCondition, _ rest: ArraySlice<MailScope>,
    served: Int, behind previous: DurabilityMark?
  ) async {
    let chunk = rest.prefix(limits.broadcastChunk)
    guard let last = chunk.last else {
      await broadcast.post(.finish(receivers: served))
      return
    }
    var isStored = true
    for scope in chunk where await !serve(scope, work, condition) { isStored = false }
    // The disk is full: who has the message by then will know it.
    guard isStored else {
      return later { await self.go(on: broadcast, work, condition, rest, served: served, behind: previous) }
    }
    // In another journal than theirs it must not overtake them. Who has acknowledged one by then, and is handed it out
    // again after a restart, knows it by its id.
    if queues.shards.count > 1 {
      guard let stored = try? DurabilityMark(in: context.log), await stored.passed() == .durable else {
        return later { await self.go(on: broadcast, work, condition, rest, served: served, behind: previous) }
      }
    }
    // Right behind the messages in the journal, and before whatever is done with them: nobody can have acknowledged
    // one that a restart hands out again.
    await broadcast.post(.advance(past: last.text))
    let remaining = rest.dropFirst(chunk.count)
    let end = try? DurabilityMark(in: context.log)
    let goOn: Lane.Job = {
      await self.go(on: broadcast, work, condition, remaining, served: served + chunk.count, behind: end)
    }
    guard end != nil else { return later(goOn) }
    // The disk sets the pace: it has the piece before this one when the next one is made.
    if let previous, await previous.passed() == .lost { return later(goOn) }
    lane.enqueue(goOn)
  }

  private func later(_ job: @escaping Lane.Job) {
    _ = context.timers.schedule(afterMilliseconds: context.limits.storageRetryMilliseconds) { [lane] in
      lane.enqueue(job)
    }
  }

  /// - Returns: false if the message is not in the journal yet.
  private func serve(_ scope: MailScope, _ work: BroadcastWork, _ condition: TopicCondition) async -> Bool {
    guard let (mail, found) = await mail(of: work, for: scope, condition),
      let queue = queues.entity(MailboxKey.device(scope.id), limit: limits.pushQueuesMaximum)
    else { return true }
    // Another platform's devices may have it later.
    if mail.isNowOrNever {
      _ = gateway.deliverNow(mail, to: scope.id)
      return true
    }
    let isStored = await queue.post(.store(mail, receiver: gateway.receiver(scope.id)))
    await installations.recheck(found, queue)
    return isStored
  }

  private func serveNow(
    _ work: BroadcastWork, _ condition: TopicCondition, _ rest: ArraySlice<MailScope>
  ) async {
    for scope in rest.prefix(limits.broadcastChunk) {
      guard gateway.receiver(scope.id) != .absent, let (mail, _) = await mail(of: work, for: scope, condition) else {
        continue
      }
      _ = gateway.deliverNow(mail, to: scope.id)
    }
    let remaining = rest.dropFirst(limits.broadcastChunk)
    if !remaining.isEmpty { lane.enqueue { await self.serveNow(work, condition, remaining) } }
  }

  /// What goes into the mailbox; nil if nothing does. The registration may have ended, or have left, since the index was asked.
  private func mail(
    of work: BroadcastWork, for scope: MailScope, _ condition: TopicCondition
  ) async -> (Mail, FoundRegistration)? {
    let sender = work.mail.sender
    guard let found = await installations.find(scope), found.admits(sender) else {
      for topic in condition.topics + [TopicIndex.everyone] {
        topics.remove(scope, from: SenderTopic(sender: sender, name: topic))
      }
      return nil
    }
    let registration = found.registration
    func isSubscribed(_ name: String) -> Bool {
      registration.topics.contains { $0.topic.name == name && $0.topic.sender == sender }
    }
    let template = work.mail(for: registration.messagePlatform)
    guard condition.matches(isSubscribed), template.category.isEmpty || template.category == registration.app else {
      return nil
    }
    let mail = MailComposer.mail(template, to: found)
    guard let address = registration.relay else { return (mail, found) }
    _ = await relay.push(mail, to: address)
    return nil
  }

  /// Each once, in order. Spec: GCM B6.3.
  private func receivers(of condition: TopicCondition, sender: String) -> [MailScope] {
    if case .topic(let name) = condition { return topics.members(of: SenderTopic(sender: sender, name: name)) }
    // Whoever has subscribed to none of the topics may match too, if the condition holds without any.
    let isForOthers = condition.matches { _ in false }
    let names = isForOthers ? [TopicIndex.everyone] : condition.topics
    let members = names.map { topics.members(of: SenderTopic(sender: sender, name: $0)) }
    let sets = condition.topics.map { ($0, Set(topics.members(of: SenderTopic(sender: sender, name: $0)))) }
    let subscribers = Dictionary(uniqueKeysWithValues: sets)
    let matching = Set(members.joined()).filter { scope in
      condition.matches { subscribers[$0]?.contains(scope) ?? false }
    }
    return matching.sorted()
  }
}
