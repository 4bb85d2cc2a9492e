import Foundation
import Synchronization
import TestSupport

/// A primary and its standby, real processes, which are killed and cut off from each other, and take each other's
/// place, again and again.
struct StandbyTest: TortureTest {
  static let name = "standby"
  static let purpose = "kills of a primary, its standby and the line between them; needs --server"
  /// Real time counts here, and a pair has three processes.
  static let isParallel = false

  private let plan: Plan
  private let server: String
  private let figures = FiguresOfAll()

  init(_ plan: Plan) throws {
    guard let server = plan.server, FileManager.default.isExecutableFile(atPath: server) else {
      throw ScriptViolation("--server names no executable")
    }
    (self.plan, self.server) = (plan, server)
  }

  /// 10 rounds in the short form, 200 in the long one.
  var caseCount: Int { plan.isLong ? 20 : 2 }
  private var decksInCase: Int { plan.isLong ? 2 : 1 }

  /// Every other case waits for its standby.
  func run(_ number: Int) async throws -> CaseResult {
    var result = CaseResult(count: 0)
    let waits = number % 2 == 1
    let place = try Workplace()
    var generator = SeededGenerator(seed: plan.seed(of: number))
    var rounds: [StandbyRound] = []
    for deck in 0..<decksInCase {
      // In the short form each of the two cases has another one.
      rounds += StandbyRound.deck(number + deck, isLong: plan.isLong, using: &generator)
    }
    let pair = try await StandbyPair(Carillon(path: server, directory: place.path), waits: waits)
    var at = "before the first round"
    do {
      try await pair.begin()
      for (index, round) in rounds.enumerated() where result.violations.isEmpty {
        at = "round \(index + 1)\(waits ? ", waiting" : ""), \(round)"
        let outcome = try await pair.play(round, seed: generator.next())
        result.count += 1
        figures.add(round, outcome, waits: waits)
        result.violations += outcome.violations.map { "\(at): \($0)" }
      }
      if !result.violations.isEmpty { result.violations[0] += "\n\(await pair.lastWords)" }
    } catch {
      result.violations.append("\(at): \(error)")
    }
    await pair.end()
    // The last one to go: nothing runs there any more.
    withExtendedLifetime(place) {}
    return result
  }

  var remarks: [String] { figures.lines }
}

/// What all cases have come to.
private final class FiguresOfAll: Sendable {
  private let figures = Mutex(StandbyFigures())

  var lines: [String] { figures.withLock { $0.lines } }

  func add(_ round: StandbyRound, _ outcome: StandbyPair.Outcome, waits: Bool) {
    figures.withLock { figures in
      figures.add(round)
      figures.acknowledged.add(outcome.course.acknowledgedCount, waits: waits)
      figures.missing.add(outcome.missingCount, waits: waits)
      figures.refused.add(outcome.course.refusedCount, waits: waits)
      figures.recordsBehindMaximum = max(figures.recordsBehindMaximum, outcome.course.recordsBehindMaximum)
      figures.secondsBehindMaximum = max(figures.secondsBehindMaximum, outcome.course.secondsBehindMaximum)
      figures.recordsAsideMaximum = max(figures.recordsAsideMaximum, outcome.asideCount)
    }
  }
}
