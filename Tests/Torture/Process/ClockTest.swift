import SimulatedDisk

/// The wall clock jumps while the server runs: nothing is lost, and timers fire all the same.
struct ClockTest: TortureTest {
  static let name = "clock"
  static let purpose = "the wall clock jumps by an hour, by 30 days, to 1970, or stands still"
  private static let jumps = ["3600000", "-3600000", "2592000000", "-2592000000", "1970", "frozen"]

  let plan: Plan

  init(_ plan: Plan) { self.plan = plan }

  /// Each jump, with a graceful end and with a kill after it.
  var caseCount: Int { plan.count(Self.jumps.count * 2) }

  func run(_ number: Int) async throws -> CaseResult {
    var result = CaseResult()
    let jump = Self.jumps[number % Self.jumps.count]
    let place = try Workplace()
    let story = Story(seed: plan.seed(of: number))
    let victim = try VictimProcess(directory: place.path)
    try await victim.untilReady()
    await story.play(with: victim, commandCount: 20)
    let timer = await DelayedPush(victim, user: "sleeper-\(number)")
    _ = await victim.ask("clock \(jump)")
    await story.play(with: victim, commandCount: 20)
    result.check(await timer.fires(within: .seconds(8)), "after \(jump): the push timer did not fire")
    let later = await DelayedPush(victim, user: "late-\(number)")
    result.check(await later.fires(within: .seconds(8)), "after \(jump): a new push timer did not fire")
    if number % (2 * Self.jumps.count) < Self.jumps.count { await victim.stop() } else { victim.send(signal: 9) }
    await victim.untilGone()
    // The next start has the right time again.
    result.violations += try await KillTest.findings(in: place, story).map { "after \(jump): \($0)" }
    result.violations += await story.violations.map { "after \(jump): \($0)" }
    return result
  }
}

/// A chat in the background whose agent has just written: a push is due two seconds later.
struct DelayedPush: Sendable {
  private let victim: VictimProcess
  private let text: String

  init(_ victim: VictimProcess, user: String) async {
    self.victim = victim
    text = "for-\(user)"
    guard case .ok(let ids) = await victim.ask("chat delayed \(user)") else { return }
    let chatID = ids.split(separator: " ").map(String.init)[1]
    _ = await victim.ask("background \(user)")
    _ = await victim.ask("join \(chatID)")
    _ = await victim.ask("answer \(chatID) \(text)")
  }

  func fires(within limit: Duration) async -> Bool {
    let deadline = ContinuousClock.now.advanced(by: limit)
    while ContinuousClock.now < deadline {
      if victim.pushes.contains(where: { $0.contains(text) }) { return true }
      try? await Task.sleep(for: .milliseconds(50))
    }
    return false
  }
}
