import Foundation

/// The process is stopped for a while, as by a debugger or a virtual machine that is moved, then goes on.
struct StopTest: TortureTest {
  static let name = "sigstop"
  static let purpose = "SIGSTOP for 5 s (60 s in the long form), then on"

  let plan: Plan

  init(_ plan: Plan) { self.plan = plan }

  var caseCount: Int { 2 }

  func run(_ number: Int) async throws -> CaseResult {
    var result = CaseResult()
    let place = try Workplace()
    let story = Story(seed: plan.seed(of: number))
    let victim = try VictimProcess(directory: place.path)
    try await victim.untilReady()
    await story.play(with: victim, commandCount: 20)
    let timer = await DelayedPush(victim, user: "sleeper-\(number)")
    let playing = Task { await story.play(with: victim, commandCount: 50) }
    try await Task.sleep(for: .milliseconds(20))
    victim.send(signal: SIGSTOP)
    try await Task.sleep(for: plan.isLong ? .seconds(60) : .seconds(5))
    victim.send(signal: SIGCONT)
    await playing.value
    result.check(await victim.ask("ping") == .ok("pong"), "it does not answer any more")
    result.check(await timer.fires(within: .seconds(5)), "the push that came due meanwhile did not go out")
    if number == 0 { await victim.stop() } else { victim.send(signal: SIGKILL) }
    await victim.untilGone()
    result.violations += try await KillTest.findings(in: place, story)
    result.violations += await story.violations
    return result
  }
}
