import Foundation
import Journal

/// A second process on the same directory is refused; readers work beside the first.
struct SecondProcessTest: TortureTest {
  static let name = "secondprocess"
  static let purpose = "a second writer is refused, a reader works beside the first"

  let plan: Plan

  init(_ plan: Plan) { self.plan = plan }

  var caseCount: Int { plan.count(4) }

  func run(_ number: Int) async throws -> CaseResult {
    var result = CaseResult()
    let place = try Workplace()
    let story = Story(seed: plan.seed(of: number))
    let first = try VictimProcess(directory: place.path)
    try await first.untilReady()
    let playing = Task { await story.play(with: first, commandCount: 200) }
    for _ in 0..<10 {
      do {
        let (writer, _) = try JournalWriter.open(directory: place.journal, onFatal: { _ in }, replay: { _ in })
        try writer.close()
        result.violations.append("a second writer was let in")
      } catch JournalError.locked {}
      if let wrong = place.verify() { result.violations.append("beside the writer, \(wrong)") }
    }
    let second = try VictimProcess(directory: place.path)
    do {
      try await second.untilReady()
      result.violations.append("a second process was let in")
      await second.stop()
    } catch { await second.untilGone() }
    await playing.value
    await first.stop()
    // The refused ones have changed nothing.
    result.violations += try await KillTest.findings(in: place, story)
    result.violations += await story.violations
    return result
  }
}
