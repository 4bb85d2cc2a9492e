import Bayeux
import ChatDomain
import EntityRuntime
import EventSourcing

extension AgentNotification {
  fileprivate var isJoining: Bool {
    guard case .line(let line) = self else { return false }
    return line.type == .joined && line.role != .client
  }
}

/// Carries out what chats want done. Runs on the outbox's task, in journal order, and waits for nothing durable.
struct ChatInterpreter: Sendable {
  let service: ChatService
  let comet: CometDirectory
  let agents: AgentFeed
  let pushes: PushDispatcher
  let timers: KeyedTimers<ChatTimer>
  let context: RuntimeContext
  let channel: String
  let notificationIDs: NotificationIDs
  /// A chat has begun, met an agent, or ended: it may be a callback's.
  let follow: @Sendable (_ serviceID: String) async -> Void
  private let policies: Policies

  init(
    service: ChatService, comet: CometDirectory, agents: AgentFeed, pushes: PushDispatcher,
    timers: KeyedTimers<ChatTimer>, context: RuntimeContext, channel: String, notificationIDs: NotificationIDs,
    follow: @escaping @Sendable (_ serviceID: String) async -> Void
  ) {
    self.follow = follow
    self.service = service
    self.comet = comet
    self.agents = agents
    self.pushes = pushes
    self.timers = timers
    self.context = context
    self.channel = channel
    self.notificationIDs = notificationIDs
    policies = Policies(service)
  }

  /// The service behind one reference: there is a timer for each chat.
  private final class Policies: Sendable {
    private let service: ChatService
    init(_ service: ChatService) { self.service = service }
    func policy(of serviceID: String) -> ChatPolicy { service.policy(of: serviceID) }
  }

  func perform(_ effects: [ChatEffect], of chat: Entity<ChatSession>) async {
    for effect in effects {
      switch effect {
      case .publish(let sessions, let events, let ended): await publish(events, ended: ended, of: chat, to: sessions)
      case .notifyAgents(let notification):
        await notify(notification, of: chat)
        if notification.isJoining { await follow(chat.id.key) }
      case .startTimer(let timer, let deadline): start(timer, at: deadline, of: chat)
      case .cancelTimer(let timer): timers.cancel(timer, of: chat.id.key)
      case .push(let push): await pushes.dispatch(push, of: chat)
      case .opened:
        await opened(chat)
        await follow(chat.id.key)
      case .ended:
        service.index.ended(chat.id.key)
        await follow(chat.id.key)
      case .expired: forget(chat)
      }
    }
  }

  private func publish(
    _ events: [TranscriptEvent], ended: Bool, of chat: Entity<ChatSession>, to sessions: [String]
  ) async {
    guard let message = await notification(of: events, ended: ended, in: chat) else { return }
    for id in sessions {
      if let session = comet[id] { await session.deliver(message) }
    }
  }

  /// One notification with these events; nil if there are none.
  func notification(
    of events: [TranscriptEvent], ended: Bool, in chat: Entity<ChatSession>
  ) async -> QueuedMessage? {
    guard let last = events.last else { return nil }
    let identity = await chat.peek { chat in (chat.chatSessionID, chat.startedAt) }
    let bytes = ChatRendering.notification(
      channel: channel,
      chat: ChatIdentity(serviceID: chat.id.key, chatSessionID: identity.0, startedAt: identity.1),
      events: events[...], ended: ended, ids: notificationIDs, now: context.time.now)
    return QueuedMessage(bytes: bytes, mark: DeliveryMark(source: chat.id.key, position: last.position))
  }

  private func notify(_ notification: AgentNotification, of chat: Entity<ChatSession>) async {
    guard agents.hasListeners else { return }
    agents.publish(chatID: await chat.peek { $0.chatSessionID }, serviceID: chat.id.key, .chat(notification))
  }

  private func start(_ timer: ChatTimer, at deadline: Timestamp, of chat: Entity<ChatSession>) {
    let action: ChatAction =
      switch timer {
      case .pushDelay(let phase): .pushDelayElapsed(phase: phase)
      case .timeToLive: .timeToLiveElapsed
      }
    // By its key, not by itself: a timer must not keep a chat from its sleep.
    let (key, directory, policies, lane) = (chat.id.key, service.directory, policies, context.lanes[chat.id.hashValue])
    timers.start(timer, of: key, at: deadline) {
      lane.enqueue { await directory[key]?.post(ChatCommand(action, policy: policies.policy(of: key))) }
    }
  }

  /// The directory learns of a chat that began; Comet sessions that were there first are tied to it.
  ///
  /// Those that are subscribed get the echo of the customer's own join (and first message), which later ones know from
  /// the reply to the start. Spec: GMS 4.6, 4.7.
  private func opened(_ chat: Entity<ChatSession>) async {
    let (sessionID, userKey, data, target) = await chat.peek { ($0.chatSessionID, $0.userKey, $0.data, $0.pushTarget) }
    service.index.opened(chat.id.key, chatSessionID: sessionID, userKey: userKey, data: data)
    if let target { await pushes.register(target, of: chat.id.key) }
    let beginning = await chat.peek { Array($0.events(after: 0).prefix($0.startPosition)) }
    for session in comet.sessions(userKey: userKey, serviceID: chat.id.key) {
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
  }
}
