import Bayeux
import ChatDomain
import CometEngine
import EngineKit
import EntityRuntime
import EventSourcing
import Synchronization

extension AgentNotification {
  fileprivate var isJoining: Bool {
    guard case .line(let line) = self else { return false }
    return line.content.type == .joined && line.content.role != .client
  }

  /// Whom the chat concerns may be others now.
  fileprivate var changesAgents: Bool {
    switch self {
    case .line(let line):
      line.content.role != .client && (line.content.type == .joined || line.content.type == .left)
    case .invited, .deskChanged: true
    case .waiting, .customerOnline, .typingPreview, .dataChanged, .read, .pushSettled, .offered, .offerEnded, .ended:
      false
    }
  }
}

extension AgentNotification {
  /// Whose concern alone it is. What others have read, and what they are offered, is nobody's business; their own other
  /// tabs hear of it.
  fileprivate var concernsAlone: String? {
    switch self {
    case .read(let agentID, _): agentID
    case .offered(let offer), .offerEnded(let offer, _): offer.agentID
    default: nil
    }
  }
}

/// Whoever follows chats: has begun, met an agent, ended; or is forgotten.
package protocol ChatFollower: Sendable {
  func chatChanged(_ serviceID: String) async
  func chatIsGone(_ serviceID: String) async
}

/// Carries out what chats want done. Runs on the outbox's task, in journal order, and waits for nothing durable.
package final class ChatInterpreter: Sendable {
  let service: ChatService
  let comet: CometDirectory
  let agents: AgentFeed
  let search: SearchService
  let distributor: ChatDistributor
  package let pushes: ChatPushes
  let timers: KeyedTimers<ChatTimer>
  let channel: String
  private let followers = Mutex<[any ChatFollower]>([])
  /// The Comet sessions that each chat counted on, between a start's restoring and its taking up.
  private let attached = Mutex<[String: [String]]>([:])

  init(
    service: ChatService, comet: CometDirectory, agents: AgentFeed, search: SearchService, distributor: ChatDistributor,
    pushes: ChatPushes, timers: KeyedTimers<ChatTimer>, channel: String
  ) {
    self.service = service
    self.comet = comet
    self.agents = agents
    self.search = search
    self.distributor = distributor
    self.pushes = pushes
    self.timers = timers
    self.channel = channel
  }

  package func add(_ follower: any ChatFollower) { followers.withLock { $0.append(follower) } }

  private func changed(_ serviceID: String) async {
    for follower in followers.withLock({ $0 }) { await follower.chatChanged(serviceID) }
  }

  private func isGone(_ serviceID: String) async {
    for follower in followers.withLock({ $0 }) { await follower.chatIsGone(serviceID) }
  }

  func perform(_ effects: [ChatEffect], of chat: Entity<ChatSession>) async {
    for effect in effects {
      switch effect {
      case .publish(let sessions, let events, let ended, let isCatchUp):
        guard let message = await notification(of: events, ended: ended, in: chat) else { break }
        for id in sessions { await comet[id]?.deliver(message, isCatchUp: isCatchUp) }
      case .notifyAgents(let notification):
        await notify(notification, of: chat)
        if notification.isJoining { await changed(chat.id.key) }
      case .startTimer(let timer, let deadline): timers.start(timer, of: chat.id.key, at: deadline)
      case .cancelTimer(let timer): timers.cancel(timer, of: chat.id.key)
      case .push(let push): await pushes.push(push, of: chat)
      case .pushTargetNamed(let target): await pushes.register(target, of: chat.id.key)
      case .opened:
        await opened(chat)
        distributor.changed(chat.id.key)
        await changed(chat.id.key)
      case .ended:
        service.index.ended(chat.id.key)
        distributor.changed(chat.id.key)
        await changed(chat.id.key)
      case .expired:
        forget(chat)
        await isGone(chat.id.key)
      }
    }
  }

  /// One notification with these events; nil if there are none.
  func notification(
    of events: [TranscriptEvent], ended: Bool, in chat: Entity<ChatSession>
  ) async -> QueuedMessage? {
    guard let last = events.last else { return nil }
    let serviceID = chat.id.key
    let identity = await chat.peek { chat in
      ChatIdentity(
        serviceID: serviceID, chatSessionID: chat.chatSessionID, startedAt: chat.startedAt,
        takesFiles: chat.takesFiles)
    }
    let bytes = ChatRendering.notification(channel: channel, chat: identity, events: events[...], ended: ended)
    return QueuedMessage(bytes: bytes, mark: DeliveryMark(source: chat.id.key, position: last.position))
  }

  /// What a session was written of a chat and its client has not got, as it was the first time.
  func repetition(
    of serviceID: String, for clientID: String, after position: Int, upTo last: Int, isStated: Bool
  ) async -> [QueuedMessage] {
    guard let chat = service.directory[serviceID] else { return [] }
    return await notifications(for: clientID, in: chat) {
      $0.repetition(for: clientID, after: position, upTo: last, isStated: isStated)
    }
  }

  /// Events that a session gets again, or may.
  func notifications(
    for clientID: String, in chat: Entity<ChatSession>,
    _ events: @Sendable (borrowing ChatSession) -> ArraySlice<TranscriptEvent>
  ) async -> [QueuedMessage] {
    let (groups, end) = await chat.peek { chat in
      (chat.notifications(of: events(chat), for: clientID).map(Array.init), chat.isEnded ? chat.lastPosition : .max)
    }
    var messages: [QueuedMessage] = []
    for group in groups {
      let isEnd = group.last?.position == end
      if let message = await notification(of: group, ended: isEnd, in: chat) { messages.append(message) }
    }
    return messages
  }

  private func notify(_ notification: AgentNotification, of chat: Entity<ChatSession>) async {
    let before = await follow(notification, of: chat)
    guard agents.hasListeners, let now = service.index.audience(of: chat.id.key) else { return }
    if case .offerEnded(_, .accepted) = notification { return }
    if let agentID = notification.concernsAlone {
      return agents.publish(
        chatID: await chat.peek { $0.chatSessionID }, serviceID: chat.id.key, .chat(notification),
        to: AgentAudience(service: nil, isOpen: false, agents: [agentID], isPrivate: true))
    }
    // Who saw it waiting is told that it has been taken.
    agents.publish(
      chatID: await chat.peek { $0.chatSessionID }, serviceID: chat.id.key, .chat(notification),
      to: notification.changesAgents ? now.union(before) : now)
  }

  /// Lists learn of what agents are told. - Returns: whom the chat concerned until then.
  private func follow(_ notification: AgentNotification, of chat: Entity<ChatSession>) async -> AgentAudience? {
    let (index, key) = (service.index, chat.id.key)
    var before: AgentAudience?
    switch notification {
    case .line(let line):
      before = index.heard(line, in: key)
      if line.content.type.saysSomething { search.touched(key) }
    case .customerOnline: index.moved(key, to: await chat.peek { $0.customerPhase })
    case .invited, .deskChanged: before = index.audience(of: key)
    case .offered, .offerEnded: await follow(offer: notification, of: key)
    case .waiting, .typingPreview, .dataChanged, .read, .pushSettled, .ended: break
    }
    if notification.changesAgents {
      index.attended(key, await chat.peek { ChatNote($0) })
      distributor.changed(key, from: before)
    }
    return before
  }

  private func follow(offer notification: AgentNotification, of key: String) async {
    switch notification {
    case .offered(let offer):
      service.index.offered(key, to: offer.agentID)
      distributor.changed(key)
    case .offerEnded(let offer, let end):
      service.index.offered(key, to: nil)
      if end.isMissed { await distributor.missed(key, by: offer.agentID) }
      // Else what follows says what has become of the chat.
      if end.leavesWaiting { distributor.changed(key) }
    default: break
    }
  }

  /// The directory learns of a chat that began; Comet sessions that were there first are tied to it.
  ///
  /// Those that are subscribed get the echo of the customer's own join (and first message), which later ones know from
  /// the reply to the start. Spec: GMS 4.6, 4.7.
  private func opened(_ chat: Entity<ChatSession>) async {
    let (note, target) = await chat.peek { (ChatNote($0), $0.pushTarget) }
    service.index.opened(chat.id.key, note)
    search.touched(chat.id.key)
    if let target { await pushes.register(target, of: chat.id.key) }
    let beginning = await chat.peek { Array($0.events(after: 0).prefix($0.startPosition)) }
    for session in service.sessions(of: chat.id.key) {
      let policy = service.policy(of: chat.id.key)
      let id = session.clientID
      if await session.isConnected {
        await chat.post(ChatCommand(.cometConnected(session: id, delivered: 0), policy: policy))
      }
      guard await session.isSubscribed, await chat.peek({ $0.notifiesByComet }) else { continue }
      if let echo = await notification(of: beginning, ended: false, in: chat) { await session.deliver(echo) }
      await chat.post(ChatCommand(.cometSubscribed(session: id, delivered: 0), policy: policy))
      if comet[id] !== session {
        // It ended meanwhile, and the chat was told before it knew of it.
        await chat.post(ChatCommand(.cometLost(session: id, delivered: 0), policy: policy))
      }
    }
  }

  private func forget(_ chat: Entity<ChatSession>) {
    service.directory.remove(chat.id.key)
    service.index.removed(chat.id.key)
    search.touched(chat.id.key)
    distributor.changed(chat.id.key)
  }
}

extension ChatInterpreter: AlarmedHost {
  func erase(_ phase: ErasurePhase, _ scope: ErasureScope) async throws {
    guard phase == .origins else { return }
    let keys = scope.keys(of: .chatSession)
    for key in keys.sorted() {
      guard let chat = directory[key] else { continue }
      _ = try await service.perform(.erase, on: chat) { _ in true }
      service.index.erased(key)
    }
    agents.forget(keys)
    await search.erase(keys)
  }

  var directory: EntityDirectory<ChatSession> { service.directory }
  var rearming: RearmPhase? { .owed }

  func fired(_ timer: ChatTimer, of key: String) async {
    let action: ChatAction =
      switch timer {
      case .pushDelay(let phase): .pushDelayElapsed(phase: phase)
      case .timeToLive: .timeToLiveElapsed
      case .offer(let until): .offerElapsed(until: until)
      }
    await directory[key]?.post(ChatCommand(action, policy: service.policy(of: key)))
  }

  func reserveCapacity(_ count: Int) { service.index.reserveCapacity(count) }
  func note(of chat: borrowing ChatSession) -> [UInt8] { ChatNote(chat).bytes }
  func restored(_ key: String, _ chat: borrowing ChatSession) { restored(key, ChatNote(chat)) }

  func restored(_ key: String, note: [UInt8]) throws(PayloadError) -> Bool {
    let note = try ChatNote(bytes: note)
    restored(key, note)
    return !note.isShort
  }

  private func restored(_ key: String, _ note: ChatNote) {
    service.index.restored(key, note)
    if !note.sessions.isEmpty { attached.withLock { $0[key] = note.sessions } }
  }

  func takeUp(_ phase: RearmPhase, _ found: FoundEntities) async {
    switch phase {
    case .owed: await rearm(found)
    // A kill may have come between the chat's record and the follower's.
    case .heard:
      for key in found.finished { await isGone(key) }
      distributor.open()
    case .returned: await detachLost()
    case .revoked, .grace: break
    }
  }

  /// A chat may still count on a session whose end it was not told before the crash; or on one that may not have its
  /// events any more: options have changed, or it was bound by an earlier version.
  private func detachLost() async {
    let attached = attached.withLock { attached in
      defer { attached = [:] }
      return attached
    }
    for (serviceID, sessions) in attached.sorted(by: { $0.key < $1.key }) {
      for clientID in sessions {
        if let session = comet[clientID], service.services(of: session).contains(serviceID) { continue }
        let command = ChatCommand(.cometLost(session: clientID, delivered: 0), policy: service.policy(of: serviceID))
        await directory[serviceID]?.post(command)
      }
    }
  }
}
