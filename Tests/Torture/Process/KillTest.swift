import Foundation
import TestSupport

/// `kill -9` at random moments, and again, on the same directory; everything acknowledged is there each time.
struct KillTest: TortureTest {
  static let name = "kill"
  static let purpose = "kill -9 at random moments of a real process on the real disk"
  private static let killsInCase = 10

  let plan: Plan

  init(_ plan: Plan) { self.plan = plan }

  var caseCount: Int { plan.count(200) / Self.killsInCase }

  func run(_ number: Int) async throws -> CaseResult {
    var result = CaseResult(count: 0)
    let place = try Workplace()
    let story = Story(seed: plan.seed(of: number))
    var generator = SeededGenerator(seed: plan.seed(of: number))
    for kill in 1...Self.killsInCase {
      let victim = try VictimProcess(directory: place.path)
      let delay = Duration.milliseconds(Int(generator.next() % 400))
      // Some kills hit the recovery itself.
      let isEarly = generator.next() % 5 == 0
      let killing = Task {
        if !isEarly { try? await victim.untilReady() }
        try await Task.sleep(for: isEarly ? delay / 10 : delay)
        victim.send(signal: SIGKILL)
      }
      if !isEarly {
        try await victim.untilReady()
        await story.play(with: victim, commandCount: 1000)
      }
      try await killing.value
      await victim.untilGone()
      result.count += 1
      let wrong = try await Self.findings(in: place, story)
      result.violations += wrong.map { "kill \(kill): \($0)" }
      if !wrong.isEmpty { break }
    }
    result.violations += await story.violations
    return result
  }

  /// What is wrong on a directory after a crash, with a victim that stops gracefully afterwards.
  static func findings(in place: Workplace, _ story: Story) async throws -> [String] {
    let victim = try VictimProcess(directory: place.path)
    try await victim.untilReady()
    let wrong = [await story.check(victim), place.verify()].compactMap { $0 }
    await victim.stop()
    return wrong
  }
}
