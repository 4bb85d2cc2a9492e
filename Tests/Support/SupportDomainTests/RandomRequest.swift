import EventSourcing
import SupportDomain
import TestSupport

/// A request that is asked anything in any order, and what the outside would know of it: its alarm, what it was asked
/// to do, which comment was told of.
struct RandomRequest {
  private(set) var rig = RequestRig()
  /// The invariants that did not hold, with the command that broke them.
  private(set) var broken: [String] = []
  /// How often each event came.
  private(set) var counts: [EventTag: Int] = [:]
  private(set) var lives = 1
  /// When the timer that runs fires.
  private var alarm: Timestamp?
  private var owed: [SupportDuty] = []
  private var highest = 0
  /// Of which nobody is told any more than they have been.
  private var settled: Set<Int> = []
  private var lastTold = 0
  private var second = 0.0
  private var generator: SeededGenerator

  init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

  mutating func step() throws {
    if rig.state.version > 0, rig.state.terms == nil || rig.state.status == .closed, chance(8) {
      try settle()
      begin()
    }
    // The clock is set back now and then.
    second += Double.random(in: -0.5...2, using: &generator)
    if let moment = alarm, moment <= .second(second) || chance(20) {
      alarm = nil
      try perform(.due(parts: parts()))
      expect(rig.state.waiting.allSatisfy { $0.at > .second(second) }, "no notice is left behind", .due(parts: []))
    }
    try perform(command())
    if chance(10) { try rig.sleepAndWake() }
  }

  /// All that waits comes due, and queues take all that is owed.
  mutating func settle() throws {
    second += 1_000
    if alarm != nil { try perform(.due(parts: [.german])) }
    for duty in owed { try perform(.handedOver(number: duty.number)) }
    try perform(.filesDropped)
    expect(rig.state.rest == .asleep(until: nil), "it comes to rest", .filesDropped)
    expect(rig.state.outstandingEffects == [], "nothing is owed at rest", .filesDropped)
  }

  private mutating func begin() {
    rig = RequestRig()
    alarm = nil
    owed = []
    highest = 0
    settled = []
    lastTold = 0
    lives += 1
  }

  private mutating func perform(_ command: SupportRequestCommand) throws {
    let before = rig.state
    let turn: RequestRig.Turn
    do { turn = try rig.when(command, at: second) } catch is SupportRequestRejection {
      expect(rig.state == before, "a refusal changes nothing", command)
      return
    }
    for event in turn.events { note(event, command) }
    for effect in turn.effects { note(effect, command) }
    check(before, command)
  }

  private mutating func note(_ event: SupportRequestEvent, _ command: SupportRequestCommand) {
    counts[event.tag, default: 0] += 1
    switch event {
    case .commentAdded(let comment, let noticeAt, _):
      expect(noticeAt == nil || comment.isPublic && comment.role == .agent, "who is told of what", command)
    case .notificationPlanned(let comment, let duties):
      expect(!duties.isEmpty && settled.insert(comment).inserted, "each comment is told of once", command)
      expect(comment > lastTold, "comments are told of in their order", command)
      lastTold = comment
    case .notificationSuppressed(let comment, let suppression, _):
      let isNews = settled.insert(comment).inserted
      expect(isNews || suppression == .refreshed, "what was told of is not suppressed", command)
    case .handedOver(let number): owed.removeAll { $0.number == number }
    default: break
    }
  }

  private mutating func note(_ effect: SupportRequestEffect, _ command: SupportRequestCommand) {
    switch effect {
    case .setAlarm(let moment): alarm = moment
    case .cancelAlarm: alarm = nil
    case .perform(let duty):
      expect(duty.number == highest + 1, "duties are numbered without gaps", command)
      highest = duty.number
      owed.append(duty)
    case .publish(let number):
      let comment = rig.state[comment: number]
      expect(comment?.isPublic == true && comment?.role == .agent, "only agents' public words are shown", command)
    case .changed, .noted, .dropFiles, .suppressed: break
    }
  }

  private mutating func check(_ before: SupportRequest, _ command: SupportRequestCommand) {
    let state = rig.state
    expect(alarm == state.waiting.map(\.at).min(), "an alarm runs if, and only if, something waits", command)
    if state.terms == nil { owed = [] }
    expect(state.duties == owed && state.highestDuty == highest, "what is owed was asked for", command)
    let isAtRest = state.duties.isEmpty && state.waiting.isEmpty && state.orphans.isEmpty
    expect((state.rest == .wakeful) != isAtRest, "awake while something is to go out", command)
    expect(
      state.outstandingEffects.count
        == owed.count + (alarm == nil ? 0 : 1) + (state.orphans.isEmpty ? 0 : 1), "what a restart takes up", command)
    expect(state.version >= before.version && state.publicVersion >= before.publicVersion, "versions rise", command)
    expect(state.publicVersion <= state.version, "its requester sees no more than agents", command)
    expect(before.status != .closed || state.status == .closed, "closed is for good", command)
    expect(before.terms != nil || before.version == 0 || state.terms == nil, "erased is for good", command)
    expect(state.comments.map(\.number) == Array(1...state.comments.count + 1).dropLast(), "numbered", command)
    expect(state.comments.allSatisfy { $0.isPublic || $0.role == .agent }, "only agents whisper", command)
    expect(state.reads.count <= 32 && Set(state.reads.map(\.device)).count == state.reads.count, "reads", command)
    expect(Set(state.fields.map(\.id)).count == state.fields.count, "a field has one value", command)
  }

  private mutating func expect(_ condition: Bool, _ invariant: String, _ command: SupportRequestCommand) {
    if !condition { broken.append("\(invariant), second \(second): \(command)") }
  }
}

// What is asked.
extension RandomRequest {
  private mutating func chance(_ sides: Int) -> Bool { Int.random(in: 0..<sides, using: &generator) == 0 }

  private mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &generator) }

  private mutating func parts() -> [SupportPartDraft] {
    chance(6) ? [] : chance(3) ? [.german] : [.german, .plain]
  }

  private mutating func draft() -> SupportCommentDraft {
    chance(3) ? .ann(files: chance(4) ? 1 : 0) : .bob(files: chance(6) ? 1 : 0, isPublic: !chance(4))
  }

  private mutating func change() -> SupportRequestCommand {
    .change(
      by: chance(3) ? .endUser : .agent, chance(4) ? nil : draft(),
      status: chance(6) ? (chance(10) ? .closed : [.open, .pending, .hold, .solved][below(4)]) : nil,
      tags: chance(12) ? ["a", "b"].filter { _ in chance(2) } : nil,
      fields: chance(12) ? [SupportField(Int64(below(3)), "\(below(3))")] : [],
      assignee: chance(12) ? Int64(below(3)) : nil,
      notice: .of(parts(), grace: chance(2) ? 0 : 2, coalescing: chance(3) ? 3 : 0, isOn: !chance(8)),
      reports: chance(4))
  }

  private mutating func command() -> SupportRequestCommand {
    guard rig.state.version > 0 else {
      return .create(
        .of(chance(8) ? .email : .mobileSDK, app: chance(12) ? nil : "mobile"), draft(), reports: chance(2))
    }
    switch below(40) {
    case 0..<16: return change()
    case 16..<22: return .refreshed(comment: rig.state.comments.count - below(2), device: 1 + below(2))
    case 22..<26: return .read(upTo: below(rig.state.comments.count + 2), device: chance(4) ? nil : below(40))
    case 26..<36: return .handedOver(number: owed.first?.number ?? below(9))
    case 36: return chance(6) ? .erase : .create()
    case 37: return chance(3) ? .erase : .filesDropped
    case 38: return .restate
    default: return .due(parts: parts())
    }
  }
}
