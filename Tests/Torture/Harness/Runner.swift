import Foundation
import Synchronization

/// Runs the cases of one test and counts.
struct Runner {
  let plan: Plan
  /// Only this case, which a violation named.
  let onlyCase: Int?

  /// Violations that are printed; the others are counted.
  private static let printedMaximum = 20

  func run(_ type: any TortureTest.Type) async -> ResultRow {
    let began = ContinuousClock.now
    var row = ResultRow(test: type.name, seed: plan.seed)
    do {
      let test = try await type.init(plan)
      let cases = onlyCase.map { $0..<($0 + 1) } ?? 0..<test.caseCount
      for (number, result) in await Self.results(of: test, cases, isParallel: type.isParallel) {
        row.cases += result.count
        row.violations += result.violations.count
        for violation in result.violations.prefix(max(0, Self.printedMaximum - row.printed)) {
          row.printed += 1
          let form = plan.isLong ? "--long " : ""
          Console.say("VIOLATION \(type.name): \(violation)")
          Console.say("  again: carillon-torture \(type.name) \(form)--seed \(plan.seed) --case \(number)")
        }
      }
      row.remarks = test.remarks
    } catch {
      row.violations += 1
      Console.say("VIOLATION \(type.name): could not begin: \(error)")
    }
    row.seconds = began.duration(to: .now) / .seconds(1)
    return row
  }

  private static func results<Test: TortureTest>(
    of test: Test, _ cases: Range<Int>, isParallel: Bool
  ) async -> [(Int, CaseResult)] {
    let work = Work(first: cases.lowerBound)
    let end = cases.upperBound
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<(isParallel ? ProcessInfo.processInfo.activeProcessorCount : 1) {
        group.addTask { @Sendable in
          while let number = work.take(below: end) { work.add(number, await Self.result(of: test, number)) }
        }
      }
    }
    return work.all
  }

  private static func result<Test: TortureTest>(of test: Test, _ number: Int) async -> CaseResult {
    do {
      return try await test.run(number)
    } catch {
      return CaseResult(violations: ["unexpected error: \(error)"])
    }
  }
}

/// Cases to do, and what was found.
private final class Work: Sendable {
  private let next: Atomic<Int>
  private let found = Mutex<[(Int, CaseResult)]>([])

  init(first: Int) { next = Atomic(first) }

  func take(below end: Int) -> Int? {
    let number = next.add(1, ordering: .relaxed).oldValue
    return number < end ? number : nil
  }

  func add(_ number: Int, _ result: CaseResult) { found.withLock { $0.append((number, result)) } }

  /// In order of their numbers.
  var all: [(Int, CaseResult)] { found.withLock { $0.sorted { $0.0 < $1.0 } } }
}
