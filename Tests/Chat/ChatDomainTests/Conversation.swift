import ChatDomain
import EventSourcing

/// Given, when, then: a chat, its clock and its journal. Every turn goes through the journal's form of its events.
struct Conversation {
  struct Turn: Equatable {
    var events: [ChatEvent] = []
    var effects: [ChatEffect] = []
  }

  static let origin = Timestamp(milliseconds: 1_770_798_605_000)
  static let target = PushTarget(type: "customhttp", deviceID: "device-77")

  private(set) var chat = ChatSession()
  var policy = ChatPolicy(pushDelay: .seconds(5))
  private(set) var journal: [(event: StoredEvent, time: Timestamp)] = []

  /// Lets `action` happen `second` seconds after the origin.
  @discardableResult
  mutating func when(_ action: ChatAction, at second: Double) throws -> Turn {
    let now = Self.time(second)
    var turn = Turn()
    turn.events = try chat.decide(ChatCommand(action, policy: policy), now: now)
    for event in turn.events {
      let stored = StoredEvent(event)
      journal.append((stored, now))
      chat.evolve(try stored.decoded(as: ChatEvent.self), at: now)
      turn.effects += chat.react(to: event)
    }
    return turn
  }

  /// The state leaves memory and comes back from its bytes.
  mutating func sleepAndWake() throws { chat = try ChatSession(stateBytes: chat.stateBytes) }

  /// The state that a restart would find if every record before the last restatement had been erased.
  func replayedFromRestatement() throws -> ChatSession {
    var state = ChatSession()
    let start = journal.lastIndex { ChatEvent.isRestatement($0.event.tag) } ?? 0
    for (stored, time) in journal[start...] { state.evolve(try stored.decoded(as: ChatEvent.self), at: time) }
    return state
  }

  /// The state that a restart would find.
  func replayed() throws -> ChatSession {
    var state = ChatSession()
    for (stored, time) in journal { state.evolve(try stored.decoded(as: ChatEvent.self), at: time) }
    return state
  }

  static func time(_ second: Double) -> Timestamp { origin.advanced(by: .milliseconds(Int64(second * 1000))) }
}

extension Conversation {
  static func start(
    comet: Bool = true, firstMessage: String? = nil, target: PushTarget? = target, data: [NameValuePair] = []
  ) -> ChatAction {
    .start(
      ChatStart(
        chatSessionID: "0002CaBE7F0K001Q", userKey: "user-7", notifiesByComet: comet, nickname: "Guest 7",
        subject: "Order", firstMessage: firstMessage, pushTarget: target, userID: "u", secureKey: "s", data: data))
  }

  static let joinK = ChatAction.agentJoin(agentID: "k", nickname: "Agent K", role: .agent)

  /// Created and started at second 0; nothing but the customer's join, no Comet session. State NONE.
  static func started(
    comet: Bool = true, target: PushTarget? = target, policy: ChatPolicy = ChatPolicy(pushDelay: .seconds(5))
  ) throws -> Conversation {
    var conversation = Conversation()
    conversation.policy = policy
    try conversation.when(.create(serviceName: "request-chat", data: []), at: 0)
    try conversation.when(start(comet: comet, target: target), at: 0)
    return conversation
  }

  /// Session `c1` subscribed and connected, Agent K joined at second 1 with position 2. State ONLINE.
  static func online(
    target: PushTarget? = target, policy: ChatPolicy = ChatPolicy(pushDelay: .seconds(5))
  ) throws -> Conversation {
    var conversation = try started(target: target, policy: policy)
    try conversation.when(.cometSubscribed(session: "c1", delivered: 0), at: 0)
    try conversation.when(.cometConnected(session: "c1", delivered: 0), at: 0)
    try conversation.when(joinK, at: 1)
    return conversation
  }

  /// As `online`; at second 2 `c1` disconnected and said position 2, all written. State BG_QUIET, phase 1, P = 2.
  static func inBackground(
    target: PushTarget? = target, policy: ChatPolicy = ChatPolicy(pushDelay: .seconds(5))
  ) throws -> Conversation {
    var conversation = try online(target: target, policy: policy)
    try conversation.when(disconnect("c1", position: 2, delivered: 2), at: 2)
    return conversation
  }

  /// As `inBackground`; Agent K said "One" (position 3) at second 3. State BG_WAIT until second 8.
  static func waiting(target: PushTarget? = target) throws -> Conversation {
    var conversation = try inBackground(target: target)
    try conversation.when(say("One"), at: 3)
    return conversation
  }

  /// As `waiting`; the timer fired at second 8: push 1 with "One". State BG_PUSHED.
  static func pushed(target: PushTarget? = target) throws -> Conversation {
    var conversation = try waiting(target: target)
    try conversation.when(.pushDelayElapsed(phase: 1), at: 8)
    return conversation
  }

  static func say(_ text: String) -> ChatAction { .agentSend(agentID: "k", text: text) }

  static func disconnect(
    _ session: String, position: Int?, delivered: Int, concernsSeveralChats: Bool = false, departed: Set<String> = []
  ) -> ChatAction {
    .cometDisconnected(
      session: session, position: position, delivered: delivered, concernsSeveralChats: concernsSeveralChats,
      departed: departed)
  }

  static func state(_ position: Int, replacesStated: Bool = true) -> ChatAction {
    .statePosition(position, concernsSeveralChats: false, replacesStated: replacesStated)
  }
}

// What a turn should have done, in short.
extension Conversation {
  static func event(
    _ position: Int, _ type: TranscriptEventType, _ nickname: String, _ text: String, _ role: PartyRole,
    at second: Double
  ) -> TranscriptEvent {
    TranscriptEvent(
      position: position, type: type, nickname: nickname, text: text, role: role, time: time(second))
  }

  /// A text of Agent K.
  static func text(_ position: Int, _ text: String, at second: Double) -> TranscriptEvent {
    event(position, .messageText, "Agent K", text, .agent, at: second)
  }

  static func toAgents(_ event: TranscriptEvent) -> ChatEffect { .notifyAgents(.line(AgentLine(event))) }

  /// A line of the customer that only agents see.
  static func notice(_ text: String, at second: Double) -> ChatEffect {
    .notifyAgents(
      .line(
        AgentLine(
          position: nil,
          content: TranscriptLine(
            type: .custom, nickname: "Guest 7", text: text, role: .client, time: time(second)))))
  }

  static func push(_ number: Int, phase: Int = 1, ordinal: Int, _ lines: [PushedLine], position: Int) -> ChatEffect {
    .push(
      ChatPush(
        number: number, phase: phase, ordinal: ordinal, target: target, message: "New message from Agent",
        lastTranscript: lines, position: position))
  }
}

extension [ChatEffect] {
  /// The positions of each notification in these effects.
  var published: [[Int]] {
    compactMap { effect in
      if case .publish(_, let events, _, _) = effect { events.map(\.position) } else { nil }
    }
  }

  var pushes: [ChatPush] {
    compactMap { effect in
      if case .push(let push) = effect { push } else { nil }
    }
  }
}
