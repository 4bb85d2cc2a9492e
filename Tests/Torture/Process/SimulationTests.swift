import ProcessControl

#if CARILLON_CANARIES
  import EventSourcing
#endif

/// The simulation's seeds, run by its own executable and counted here.
struct SimulationTest: TortureTest {
  static let name = "simulate"
  static let purpose = "500 seeds of the simulated server; needs --simulator"
  static let isParallel = false
  private static let seedsInCase = 50

  private let plan: Plan

  init(_ plan: Plan) { self.plan = plan }

  var caseCount: Int { (plan.isLong ? 20_000 : 500) / Self.seedsInCase }

  func run(_ number: Int) async throws -> CaseResult {
    let first = (plan.seed - 1) * 100_000 + UInt64(number * Self.seedsInCase) + 1
    let last = first + UInt64(Self.seedsInCase) - 1
    return try await Simulator.run(
      plan, ["run", "--seeds", "\(first)...\(last)", "--commands", "500"], count: Self.seedsInCase)
  }
}

/// As the other, with several journals.
struct PartitionedSimulationTest: TortureTest {
  static let name = "simulate-partitions"
  static let purpose = "as simulate, with four journals"
  static let isParallel = false
  private static let seedsInCase = 50

  private let plan: Plan

  init(_ plan: Plan) { self.plan = plan }

  var caseCount: Int { (plan.isLong ? 20_000 : 500) / Self.seedsInCase }

  func run(_ number: Int) async throws -> CaseResult {
    let first = (plan.seed - 1) * 100_000 + UInt64(number * Self.seedsInCase) + 1
    let last = first + UInt64(Self.seedsInCase) - 1
    return try await Simulator.run(
      plan, ["run", "--seeds", "\(first)...\(last)", "--commands", "500", "--partitions", "4"],
      count: Self.seedsInCase)
  }
}

/// The planted faults, each to be found by the simulation.
struct CanaryTest: TortureTest {
  static let name = "canaries"
  static let purpose = "the planted faults, each found within 500 seeds; needs --simulator with the faults built in"
  static let isParallel = false
  #if CARILLON_CANARIES
    private static let faults = Canary.allCases.count
  #else
    private static let faults = 0
  #endif

  private let plan: Plan

  init(_ plan: Plan) { self.plan = plan }

  var caseCount: Int { 1 }

  func run(_ number: Int) async throws -> CaseResult {
    try await Simulator.run(plan, ["canaries", "--seeds", "1...500", "--commands", "500"], count: Self.faults)
  }
}

/// The simulation's executable.
private enum Simulator {
  /// Runs it; what it says is passed on. Its exit status is the verdict.
  static func run(_ plan: Plan, _ arguments: [String], count: Int) async throws -> CaseResult {
    guard let path = plan.simulator else { throw ScriptViolation("--simulator names no executable") }
    let status = try await ChildProcess(path, arguments).ended()
    let command = ([path] + arguments).joined(separator: " ")
    return CaseResult(count: count, violations: status == 0 ? [] : ["\(command) ended with \(status)"])
  }
}
