import ChatDomain
import EventSourcing
import TestSupport

/// A chat that is asked anything in any order, and what the outside would know of it: the timers that run, the pushes
/// that no queue has, what each Comet session was sent.
struct RandomConversation {
  private(set) var conversation = Conversation()
  private(set) var timers: [ChatTimer: Timestamp] = [:]
  private(set) var owed: [Int] = []
  private(set) var sent: [String: [Int]] = [:]
  /// What the app said in a session that it has, whether or not anything was to be sent above it then.
  private(set) var stated: [String: Int] = [:]
  private(set) var pushed: [Int: [Int]] = [:]
  private(set) var isShownOnline = true
  /// The invariants that did not hold, with the action that broke them.
  private(set) var broken: [String] = []
  private(set) var actionCount = 0
  /// What the last step made of it.
  private(set) var turns: [Conversation.Turn] = []
  private var second = 0.0
  private var generator: SeededGenerator

  init(seed: UInt64) {
    generator = SeededGenerator(seed: seed)
    conversation.policy.timeToLive = .seconds(400)
  }

  /// The state leaves memory and comes back from its bytes.
  mutating func sleepAndWake() throws { try conversation.sleepAndWake() }

  mutating func step() throws {
    turns = []
    // The clock is set back now and then.
    second += Double.random(in: -1...6, using: &generator)
    if actionCount > 50, chance(250) { second += 500 }
    conversation.policy.pushDelay = Bool.random(using: &generator) ? .seconds(5) : .zero
    conversation.policy.cometLoss = chance(4) ? .ignore : .background
    conversation.policy.pushFilter = chance(4) ? [] : [.typingStarted, .typingStopped]
    conversation.policy.limits.rememberedEventsMaximum = chance(5) ? 2 : 100
    for (timer, deadline) in timers.sorted(by: { $0.value < $1.value }) where deadline <= Conversation.time(second) {
      timers[timer] = nil
      switch timer {
      case .pushDelay(let phase): try perform(.pushDelayElapsed(phase: phase))
      case .timeToLive: try perform(.timeToLiveElapsed)
      case .offer(let until): try perform(.offerElapsed(until: until))
      }
    }
    try perform(randomAction())
  }

  private mutating func perform(_ action: ChatAction) throws {
    let before = conversation.chat
    let turn: Conversation.Turn
    do { turn = try conversation.when(action, at: second) } catch is ChatRejection { return }
    actionCount += 1
    turns.append(turn)
    switch action {
    case .cometSubscribed(let session, _, let position?), .cometConnected(let session, _, let position?):
      stated[session] = position
    default: break
    }
    if action == .erase { owed = [] }
    for effect in turn.effects { note(effect, action) }
    if case .pushHandedOver(let number) = action { owed.removeAll { $0 == number } }
    checkState(after: action, before: before)
  }

  private mutating func note(_ effect: ChatEffect, _ action: ChatAction) {
    switch effect {
    case .startTimer(let timer, let deadline): timers[timer] = deadline
    case .cancelTimer(let timer):
      expect(timers[timer] != nil, "a timer is cancelled that runs", action)
      timers[timer] = nil
    case .push(let push):
      let positions = pushed[push.phase, default: []]
      owed.append(push.number)
      expect(push.number == owed.last, "pushes are numbered in order", action)
      expect(!push.lastTranscript.isEmpty, "a push carries something", action)
      expect(!positions.contains(push.position), "nothing is pushed twice within a phase", action)
      expect(
        conversation.chat.events(after: push.position - 1).first?.role != .client, "the customer's own is not pushed",
        action)
      pushed[push.phase] = positions + [push.position]
    case .publish(let sessions, let events, let ended, _):
      expect(ended == conversation.chat.isEnded, "a notification tells the end", action)
      for session in sessions {
        let last = sent[session]?.last ?? (events[0].position - 1)
        let first = events[0].position
        expect(
          first > last && events.map(\.position) == Array(first..<(first + events.count)),
          "a session gets each event once and in order", action)
        // What it does not get, the customer has said to have, or another session was sent.
        let had = max(conversation.chat.basePosition, sent.values.compactMap(\.last).max() ?? 0, stated[session] ?? 0)
        expect(first - 1 <= max(last, had), "a session misses nothing that the customer has not had", action)
        sent[session, default: []] += events.map(\.position)
      }
    case .notifyAgents(.customerOnline(let isOnline)):
      expect(isOnline != isShownOnline || action == .erase, "agents hear of changes only", action)
      isShownOnline = isOnline
    case .expired: timers = [:]
    case .notifyAgents, .pushTargetNamed, .opened, .ended: break
    }
  }

  private mutating func checkState(after action: ChatAction, before: ChatSession) {
    let chat = conversation.chat
    let events = chat.events(after: 0)
    expect(events.map(\.position) == Array(1..<(events.count + 1)), "positions have no gaps", action)
    expect(zip(events, events.dropFirst()).allSatisfy { $0.time <= $1.time }, "times never go back", action)
    expect(chat.lastPosition >= before.lastPosition, "no event is lost", action)
    expect(chat.lineCount == chat.agentLines().count, "agents see every line", action)
    expect(chat.activeSessions.allSatisfy(chat.attachedSessions.contains), "active sessions are attached", action)
    expect(chat.isFlaggedDisconnected ? chat.activeSessions.isEmpty : true, "no session is active while away", action)
    expect(
      chat.basePosition >= 0 && chat.basePosition <= chat.lastPosition, "the base lies within the transcript", action)
    expect(chat.offer == nil || chat.isWaiting, "what is offered waits", action)
    // A clientId that is gone never comes back; in these tests its name may.
    sent = sent.filter { chat.attachedSessions.contains($0.key) }
    stated = stated.filter { chat.attachedSessions.contains($0.key) }
    guard chat.lifecycle != .expired else { return }
    var owedTimers: [ChatTimer: Timestamp] = [:]
    for case .startTimer(let timer, let deadline) in chat.outstandingEffects { owedTimers[timer] = deadline }
    expect(owedTimers == timers, "the timers that run are the ones owed", action)
    expect(chat.outstandingEffects.pushes.map(\.number) == owed, "the pushes that nobody has are owed", action)
  }

  private mutating func expect(_ condition: Bool, _ invariant: String, _ action: ChatAction) {
    if !condition { broken.append("\(invariant): \(action)") }
  }
}

// What is asked.
extension RandomConversation {
  private mutating func chance(_ sides: Int) -> Bool { Int.random(in: 0..<sides, using: &generator) == 0 }

  private var file: ChatFile {
    ChatFile(id: "f\(actionCount)", name: "a.txt", contentType: "text/plain", byteCount: 1, url: "https://f.test/1")
  }

  private mutating func randomAction() -> ChatAction {
    let chat = conversation.chat
    guard chat.lifecycle != .absent else { return .create(serviceName: "request-chat", data: []) }
    guard chat.isStarted else { return Conversation.start(firstMessage: chance(2) ? "First" : nil) }
    let agent = ["k", "l", "m"].randomElement(using: &generator) ?? "k"
    let session = ["c1", "c2", "c3"].randomElement(using: &generator).map { "\($0).\(Int(second) / 40)" } ?? "c"
    let known = chat.attachedSessions.randomElement(using: &generator) ?? session
    let delivered = deliveredPosition(to: known)
    switch Int.random(in: 0..<50, using: &generator) {
    case 0..<4: return .customerSend(text: "Text \(second)")
    case 4: return .customerTyping(started: chance(2), preview: chance(2) ? "Te" : "")
    case 5:
      if chance(2) { return .customerNotice(text: "note") }
      return Int(second) % 2 == 0 ? .customerPushURL("https://c.test/") : .sendFile(file, by: nil)
    case 6: return .updateData([NameValuePair(agent, chance(3) ? "" : "\(Int(second) % 3)")])
    case 7: return .noteServed(upTo: Int.random(in: -1...(chat.lastPosition + 2), using: &generator))
    case 8, 9: return .agentJoin(agentID: agent, nickname: agent.uppercased(), role: chance(3) ? .supervisor : .agent)
    case 10..<16: return .agentSend(agentID: agent, text: "Answer \(second)")
    case 16: return .agentTyping(agentID: agent, started: chance(2))
    case 17 where chance(8): return .erase
    case 17:
      return chance(2)
        ? .agentNotice(agentID: agent, text: "note") : .agentPushURL(agentID: agent, url: "https://u.test/")
    case 18: return .agentLeave(agentID: agent)
    case 19..<23: return .cometSubscribed(session: session, delivered: highestDelivered, stated: statedPosition)
    case 23..<26: return .cometConnected(session: known, delivered: highestDelivered, stated: statedPosition)
    case 26:
      return .statePosition(
        Int.random(in: -1...(chat.lastPosition + 2), using: &generator), concernsSeveralChats: chance(4),
        replacesStated: chance(2))
    case 27: return .cometUnsubscribed(session: known, delivered: delivered)
    case 28..<32:
      let position = chance(3) ? nil : Int.random(in: -1...(chat.lastPosition + 2), using: &generator)
      let departed = chat.activeSessions.filter { _ in chance(3) }
      return Conversation.disconnect(
        chance(5) ? "unknown" : known, position: position, delivered: delivered, concernsSeveralChats: chance(4),
        departed: Set(departed))
    case 32..<35: return .cometLost(session: known, delivered: delivered)
    case 35: return .pushDelayElapsed(phase: chat.phaseCount - 1)
    case 36..<38: return .pushHandedOver(number: owed.randomElement(using: &generator) ?? 1)
    case 40: return .agentNote(agentID: agent, text: "psst \(second)")
    case 41: return .agentRead(agentID: agent, upTo: Int.random(in: 0...(chat.lastPosition + 2), using: &generator))
    case 42: return .invite(agentID: agent, by: "k", isSupervisor: chance(2))
    case 43: return .transfer(agentID: agent, to: chance(2) ? .agent("m") : .service("help"))
    case 44: return chance(2) ? .takeOver(agentID: agent, nickname: "Boss") : .whisper(agentID: agent, text: "hm")
    case 45:
      return chance(2)
        ? .wrapUp(agentID: agent, disposition: "done", note: "", tags: [agent])
        : .pushSettled(number: chat.lastPush?.number ?? 0, outcome: .delivered)
    case 46, 47: return .offer(to: agent, lasting: .seconds(Int64.random(in: 0...20, using: &generator)))
    case 48: return chance(2) ? .releaseOffer(agentID: agent) : .withdrawOffer(from: agent)
    case 49:
      return .agentJoin(agentID: agent, nickname: agent.uppercased(), role: .agent, onlyIfWaiting: true)
    case 38: return chance(12) ? .customerLeave : .customerSend(text: "Still here")
    default: return chance(12) ? .agentClose(agentID: agent) : .agentSend(agentID: agent, text: "Anything else?")
    }
  }

  /// What the app says it has: seldom anything.
  private var statedPosition: Int? {
    mutating get { chance(4) ? Int.random(in: 0...(conversation.chat.lastPosition + 2), using: &generator) : nil }
  }

  /// Some of what was sent to the session was written.
  private mutating func deliveredPosition(to session: String) -> Int {
    guard let positions = sent[session] else { return 0 }
    return chance(3) ? positions.randomElement(using: &generator) ?? 0 : positions.last ?? 0
  }

  private var highestDelivered: Int {
    conversation.chat.activeSessions.compactMap { sent[$0]?.last }.max() ?? 0
  }
}
