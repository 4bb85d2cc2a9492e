import EventSourcing
import SupportDomain
import TestSupport

/// A user who is asked anything in any order, and what the outside would know of them: which addresses are open.
struct RandomUser {
  private(set) var rig = UserRig()
  private(set) var broken: [String] = []
  private(set) var counts: [EventTag: Int] = [:]
  private(set) var rejections = 0
  private var open: [SupportDevice.Key: Int] = [:]
  private var second = 0.0
  private var isAnonymous = false
  private let devicesMaximum = 3
  private var generator: SeededGenerator

  init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

  mutating func step() throws {
    if rig.state.isErased, chance(5) {
      rig = UserRig()
      open = [:]
    }
    if rig.state.identity == nil { isAnonymous = chance(2) }
    second += Double.random(in: -1...10, using: &generator)
    try perform(command())
    if chance(10) { try rig.sleepAndWake() }
  }

  private mutating func perform(_ command: SupportUserCommand) throws {
    let before = rig.state
    let turn: UserRig.Turn
    do { turn = try rig.when(command, at: second) } catch is SupportUserRejection {
      rejections += 1
      expect(rig.state == before, "a refusal changes nothing", command)
      return
    }
    for event in turn.events { counts[event.tag, default: 0] += 1 }
    for effect in turn.effects { note(effect, command) }
    check(before, command)
  }

  private mutating func note(_ effect: SupportUserEffect, _ command: SupportUserCommand) {
    switch effect {
    case .changed: break
    case .deviceOpened(let device):
      expect(device.isLive, "what is opened lives", command)
      expect(open[device.key] == nil || open[device.key] == device.id, "an address has one row", command)
      open[device.key] = device.id
    case .deviceClosed(let device):
      expect(!device.isLive, "what is closed does not live", command)
      expect(open.removeValue(forKey: device.key) == device.id, "only what is open is closed", command)
    }
  }

  private mutating func check(_ before: SupportUser, _ command: SupportUserCommand) {
    let state = rig.state
    let live = state.devices.filter(\.isLive)
    expect(
      live.count == open.count && live.allSatisfy { open[$0.key] == $0.id }, "what lives is what is open", command)
    expect(live.count <= devicesMaximum, "live ones are bounded", command)
    expect(state.devices.count - live.count <= 20, "ended ones are bounded", command)
    expect(state.devices.map(\.id) == state.devices.map(\.id).sorted(), "in the order of their ids", command)
    expect(Set(state.devices.map(\.id)).count == state.devices.count, "an id is one device's", command)
    expect(state.devices.allSatisfy { $0.id <= state.highestDevice }, "the highest is the highest", command)
    expect(state.highestDevice >= before.highestDevice, "numbers never come back", command)
    expect(state.tokens.count <= 32, "tokens are bounded", command)
    expect(Set(state.usedIDs.map(\.id)).count == state.usedIDs.count, "an id is remembered once", command)
    expect(!before.isErased || state == before, "erased is for good", command)
  }

  private mutating func expect(_ condition: Bool, _ invariant: String, _ command: SupportUserCommand) {
    if !condition { broken.append("\(invariant), second \(second): \(command)") }
  }
}

// What is asked.
extension RandomUser {
  private mutating func chance(_ sides: Int) -> Bool { Int.random(in: 0..<sides, using: &generator) == 0 }

  private mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &generator) }

  private mutating func identity() -> SupportIdentity {
    let name = chance(10) ? "Ann \(below(3))" : rig.state.identity?.name
    return isAnonymous != chance(20) ? .anonymous(name) : .verified(name)
  }

  private mutating func command() -> SupportUserCommand {
    switch below(40) {
    case 0..<3: return .identify(identity())
    case 3..<10:
      let used = SupportUser.UsedID("\(below(6))", until: second + 30)
      return .signIn(identity(), .sample(below(256)), usedID: chance(3) ? nil : used)
    case 10..<28:
      return .register(
        "\(below(30))", chance(2) ? .ios : .android, chance(3) ? .airshipChannel : .pushToken,
        app: chance(3) ? "second" : "mobile", most: devicesMaximum)
    case 28..<33: return .end(["\(below(30))", "\(below(30))"], .bulk, app: chance(2) ? "mobile" : nil)
    case 33..<37:
      let since = Timestamp.second(second - Double(below(20)))
      return .providerEnded(device: rig.state.highestDevice - below(4), since: chance(3) ? nil : since)
    case 37: return chance(8) ? .erase : .identify(identity())
    case 38:
      // Noted once a day.
      if chance(10) { second += 86_400 }
      return .noteUse(digest: rig.state.tokens.randomElement(using: &generator)?.digest ?? [7])
    default: return .restate
    }
  }
}
