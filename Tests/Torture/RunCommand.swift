import ArgumentParser
import Foundation

/// Runs some tests, or all, and prints one table.
struct RunCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run", abstract: "Run the named tests, or all.",
    discussion: tests.map { "\($0.name): \($0.purpose)" }.joined(separator: "\n"))

  static let tests: [any TortureTest.Type] = [
    FlipTest.self, CutTest.self, HeaderTest.self, PowerLossTest.self, NthCallTest.self, DiskFullTest.self,
    SecondProcessTest.self, KillTest.self, CrashPointTest.self, ClockTest.self, StopTest.self, MalformedTest.self,
    SlowClientsTest.self, StandbyTest.self, SimulationTest.self, PartitionedSimulationTest.self, CanaryTest.self,
  ]

  @Argument(help: "Names of tests, or all.")
  var names: [String] = ["all"]

  @Flag(name: .long, help: "Ten times as many cases.")
  var long = false

  @Flag(name: .long, help: "The form for continuous integration; the default.")
  var short = false

  @Option(help: "Where all random numbers begin.")
  var seed: UInt64 = 1

  @Option(name: .customLong("case"), help: "Only this case of the test, as a violation names it.")
  var onlyCase: Int?

  @Option(help: "The executable of the simulation; without it, all leaves out simulate and canaries.")
  var simulator: String?

  @Option(help: "The executable of the server, carillon; without it, all leaves out what needs one.")
  var server: String?

  func validate() throws {
    for name in names where name != "all" && !Self.tests.contains(where: { $0.name == name }) {
      throw ValidationError("there is no test \(name)")
    }
    if long, short { throw ValidationError("either --long or --short") }
    if onlyCase != nil, names.count != 1 || names == ["all"] { throw ValidationError("--case goes with one test") }
  }

  func run() async throws {
    // A victim that dies leaves a pipe without a reader.
    signal(SIGPIPE, SIG_IGN)
    let runner = Runner(plan: Plan(isLong: long, seed: seed, simulator: simulator, server: server), onlyCase: onlyCase)
    var rows: [ResultRow] = []
    for test in Self.tests where names.contains(test.name) || (names.contains("all") && isPart(ofAll: test)) {
      let row = await runner.run(test)
      rows.append(row)
      if names != [test.name] { Console.say(ResultTable(rows: [row]).lines[1]) }
    }
    let table = ResultTable(rows: rows)
    Console.say("\n" + (table.lines + table.remarks).joined(separator: "\n"))
    if table.hasViolations { throw ExitCode(1) }
  }

  private func isPart(ofAll test: any TortureTest.Type) -> Bool {
    switch test {
    case is SimulationTest.Type, is PartitionedSimulationTest.Type, is CanaryTest.Type: simulator != nil
    case is StandbyTest.Type, is MalformedTest.Type, is SlowClientsTest.Type: server != nil
    default: true
    }
  }
}
