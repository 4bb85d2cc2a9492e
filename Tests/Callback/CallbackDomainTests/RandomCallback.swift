import CallbackDomain
import EventSourcing
import TestSupport

/// A callback that is asked anything in any order, and what the outside would know of it: its alarm, the push that no
/// queue has, who holds it, what its status was.
struct RandomCallback {
  private(set) var rig = CallbackRig()
  /// When the timer that runs fires.
  private(set) var alarm: Timestamp?
  private(set) var owed: CallbackPush?
  /// The invariants that did not hold, with the action that broke them.
  private(set) var broken: [String] = []
  private(set) var turnCount = 0
  private(set) var lives = 0
  /// What the last step made of it.
  private(set) var turns: [CallbackRig.Turn] = []
  private var pushNumber = 0
  private var holder: String?
  private var second = 0.0
  private var generator: SeededGenerator

  init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

  /// The state leaves memory and comes back from its bytes.
  mutating func sleepAndWake() throws { try rig.sleepAndWake() }

  mutating func step() throws {
    turns = []
    if rig.callback.isFinished { begin() }
    // The clock is set back now and then, or the process sleeps.
    second += Double.random(in: -2...20, using: &generator)
    if chance(100) { second += Double.random(in: 0...3_000, using: &generator) }
    rig.policy.confirmAttemptsMaximum = Int.random(in: 0...4, using: &generator)
    rig.policy.connectsUnconfirmed = !chance(3)
    rig.policy.keepCompleted = .seconds(chance(2) ? 60 : 600)
    rig.policy.timeToLive = .seconds(chance(8) ? 30 : 2_000)
    if let due = alarm, due <= CallbackRig.time(second) {
      alarm = nil
      try perform(.alarm)
      expect(rig.callback.alarm.map { $0 > CallbackRig.time(second) } ?? true, "no deadline is left behind", .alarm)
    }
    try perform(randomAction())
  }

  private mutating func begin() {
    rig = CallbackRig()
    alarm = nil
    owed = nil
    holder = nil
    pushNumber = 0
    lives += 1
  }

  private mutating func perform(_ action: CallbackAction) throws {
    let before = rig.callback
    let turn: CallbackRig.Turn
    do { turn = try rig.when(action, at: second) } catch is CallbackRejection {
      expect(rig.callback == before, "a refusal changes nothing", action)
      return
    }
    turnCount += 1
    turns.append(turn)
    expect(!before.isForgotten || turn.events.isEmpty, "nothing follows the end", action)
    for event in turn.events { note(event, action) }
    for effect in turn.effects { note(effect, action) }
    if case .pushHandedOver(let number) = action, owed?.number == number { owed = nil }
    checkState(after: action, before: before)
  }

  /// An agent is held by one event, and let go by another, before anybody else is.
  private mutating func note(_ event: CallbackEvent, _ action: CallbackAction) {
    switch event {
    case .agentReserved(let agent, _), .connected(let agent):
      expect(holder == nil || holder == agent, "one agent at a time", action)
      holder = agent
    case .agentAccepted(let agent, _): expect(holder == agent, "only who is held accepts", action)
    case .agentReleased(let agent, _):
      expect(holder == agent, "only who is held is let go", action)
      holder = nil
    case .completed: holder = nil
    default: break
    }
  }

  private mutating func note(_ effect: CallbackEffect, _ action: CallbackAction) {
    switch effect {
    case .setAlarm(let time): alarm = time
    case .cancelAlarm, .forgotten: alarm = nil
    case .push(let push):
      expect(push.number == pushNumber + 1, "pushes are numbered without gaps", action)
      expect(push.expiry.map { $0 > CallbackRig.time(second) } ?? true, "no push is worthless from the start", action)
      pushNumber = push.number
      owed = push
    case .changed, .agentMissed, .keyIssued: break
    }
  }

  private mutating func checkState(after action: CallbackAction, before: Callback) {
    let callback = rig.callback
    expect(callback.alarm == alarm, "the alarm that runs is the one owed", action)
    expect(callback.agentID == holder, "the agent who is held is the one told of", action)
    expect(callback.owedPush == nil || callback.owedPush == owed, "what is owed was told of", action)
    expect(callback.pushCount == pushNumber, "pushes are counted", action)
    expect(
      callback.outstandingEffects.count == (callback.owedPush == nil ? 0 : 1) + (alarm == nil ? 0 : 1), "owed", action)
    guard callback.request != nil, !callback.isForgotten else { return }
    expect(alarm != nil, "there is always an alarm", action)
    expect((callback.status == .scheduled) == (callback.dueAt != nil), "due only while scheduled", action)
    expect((callback.status == .completed) == (callback.reason != nil), "over with a reason", action)
    expect((callback.status == .completed) == (callback.keptUntil != nil), "kept once it is over", action)
    expect(callback.status == .queued || callback.confirmation == nil && callback.snoozedUntil == nil, "asked", action)
    expect(callback.confirmation == nil || callback.snoozedUntil == nil, "nobody is asked in their sleep", action)
    expect(callback.status != .processing || callback.agentID != nil, "a conversation has an agent", action)
    expect(callback.agentID != nil || callback.agentUntil == nil && !callback.agentHasAccepted, "of nobody", action)
    expect(
      callback.agentID == nil || (callback.agentUntil == nil) == (callback.status != .routing),
      "an agent is held for ever only by a question or a conversation", action)
    expect(!callback.wantsAgent || callback.agentID == nil, "one agent is enough", action)
    expect(before.status != .completed || callback.status == .completed, "what is over stays over", action)
  }

  private mutating func expect(_ condition: Bool, _ invariant: String, _ action: CallbackAction) {
    if !condition { broken.append("\(invariant): \(action)") }
  }
}

// What is asked.
extension RandomCallback {
  private mutating func chance(_ sides: Int) -> Bool { Int.random(in: 0..<sides, using: &generator) == 0 }

  private mutating func desiredSecond() -> Double? {
    chance(3) ? nil : second + Double.random(in: -100...1_000, using: &generator)
  }

  private mutating func randomAction() -> CallbackAction {
    guard rig.callback.request != nil else {
      return .create(
        CallbackRig.request(
          CallDirection.allCases.randomElement(using: &generator) ?? .userOriginated,
          CallbackMedia.allCases.randomElement(using: &generator) ?? .voice, waits: !chance(4), confirms: !chance(3),
          code: chance(2), device: chance(5) ? nil : CallbackRig.device, desired: desiredSecond()))
    }
    let agent = rig.callback.agentID.flatMap { chance(4) ? nil : $0 } ?? (chance(2) ? "a" : "b")
    switch Int.random(in: 0..<30, using: &generator) {
    case 0..<7: return .agentAvailable(agentID: agent)
    case 7..<9: return .agentAccepted(agentID: agent)
    case 9..<11: return .agentReleased(agentID: agent)
    case 11: return .agentConnected(agentID: agent)
    case 12: return .agentEnded(agentID: agent)
    case 13 where chance(3):
      return .agentFailed(agentID: agent, reason: CallbackReason.allCases.randomElement(using: &generator) ?? .error)
    case 14: return .connect
    case 15..<17: return .snooze
    case 17 where chance(6): return .cancel(note: "")
    case 18 where chance(2): return .chatStarted
    case 19 where chance(6): return .chatEnded
    case 20 where chance(8): return .erase
    case 21:
      let schedule = CallbackSchedule(desiredTime: desiredSecond().map { CallbackRig.time($0) }, slot: nil)
      return .update(fields: [], schedule: schedule)
    case 22: return .update(fields: [NameValuePair(agent, chance(3) ? "" : "\(Int(second) % 3)")], schedule: nil)
    case 23 where chance(3): return .create(CallbackRig.request())
    case 24: return .alarm
    default: return .pushHandedOver(number: chance(3) ? 1 : rig.callback.owedPush?.number ?? 0)
    }
  }
}
