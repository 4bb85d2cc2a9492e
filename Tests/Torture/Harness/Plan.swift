/// How much is tried, and from which seed.
struct Plan: Sendable {
  var isLong = false
  var seed: UInt64 = 1
  /// The simulation's executable.
  var simulator: String?
  /// The server's executable.
  var server: String?

  /// Ten times as many in the long form.
  func count(_ short: Int) -> Int { isLong ? short * 10 : short }

  /// A seed of its own for each case, the same in every run.
  func seed(of number: Int) -> UInt64 { seed &* 1_000_003 &+ UInt64(truncatingIfNeeded: number) }
}

/// What one case found.
struct CaseResult: Sendable {
  /// States, flips, kills…, as the table counts them.
  var count = 1
  /// One line each.
  var violations: [String] = []

  mutating func check(_ holds: Bool, _ violation: @autoclosure () -> String) {
    if !holds { violations.append(violation()) }
  }
}

/// One row of the table: cases that are numbered from 0, each by itself.
protocol TortureTest: Sendable {
  static var name: String { get }
  /// One line for the help.
  static var purpose: String { get }
  /// Cases do not disturb each other: as many at a time as there are processors.
  static var isParallel: Bool { get }
  init(_ plan: Plan) async throws
  var caseCount: Int { get }
  func run(_ number: Int) async throws -> CaseResult
  /// What the numbers of the table do not say, one line each; asked once all cases have run.
  var remarks: [String] { get }
}

extension TortureTest {
  static var isParallel: Bool { true }
  var remarks: [String] { [] }
}
