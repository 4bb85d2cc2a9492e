import ArgumentParser
import BenchReport

/// A warm standby: how far it is behind, what it costs, how soon it takes over.
struct StandbyBench: BenchInParts {
  static let configuration = CommandConfiguration(
    commandName: "standby",
    abstract:
      "A standby: its lag, what it and waiting for it cost the chat, and how soon it serves in the primary's place.",
    discussion: """
      Primary, standby and load generator share processors and disk; with --cores the standby runs on the generator's. \
      Behind the table stand the rows of Benchmarks/FIGURES.md.
      """)

  enum Part: String, ExpressibleByArgument, CaseIterable { case promotion, lag, cost }

  @OptionGroup var workload: Workload
  @OptionGroup var processors: CoreOptions
  @OptionGroup var report: ReportOptions

  var plan: CorePlan? { processors.cores }

  struct Workload: WorkloadInParts {
    @Option(help: "Only these: promotion, lag, cost.") var only: [Part] = []
    @Option(help: "Events that are in the journal of which a copy is promoted.") var events = 1_000_000
    @Option(help: "Chats of each load, and of that journal.") var chats = 1_000
    @Option(help: "Events a second while the lag is measured.") var rate = 5_000.0
    @Option(help: "Messages a second of the cost's phase at a fixed rate.") var messages = 2_500.0
    @Option(help: "Messages on their way at a time while the maximum is looked for.") var window = 512
    @Option(help: "Times that the chat runs alone, followed and waiting, in turn.") var pairs = 4
    @Option(help: "Seconds of each phase.") var seconds = 10

    func validate() throws {
      guard (1..<18_000).contains(chats), (10 * chats...100_000_000).contains(events), events / chats < 100_000 else {
        throw ValidationError("chats below 18,000; from 10 to 100,000 events a chat, at most 100,000,000 in all")
      }
      guard (100...100_000).contains(rate), (100...100_000).contains(messages), window > 0, (1...50).contains(pairs),
        (1...600).contains(seconds)
      else { throw ValidationError("rates are 100 to 100,000, --pairs 1 to 50, --seconds 1 to 600, --window above 0") }
    }
  }

  func run() async throws {
    try await Pinning.during(plan) {
      try await report.publish {
        try await Self.measure(workload)
      } written: {
        Terminal.print("\n" + Self.table.markdown($0.results))
      }
    }
  }

  static func measure(_ part: Part, _ workload: Workload) async throws -> [Measurement] {
    switch part {
    case .promotion: try await PromotionRun(events: workload.events, chats: workload.chats).measure()
    case .lag:
      try await LagRun(rate: workload.rate, chats: workload.chats, seconds: workload.seconds).measure()
    case .cost:
      try await StandbyCostRun(
        chats: workload.chats, window: workload.window, rate: workload.messages, pairs: workload.pairs,
        seconds: workload.seconds
      ).measure()
    }
  }

  /// As `Benchmarks/FIGURES.md` has it.
  private static let table = FigureTable(
    "A standby (`carillon-bench standby`)",
    [
      FigureTable.Row(
        "a record from the primary's disk to the standby's: p50, p99, at this rate",
        ["standby.lag.p50", "standby.lag.p99", "standby.lag.rate"],
        bar: "p99 \(Int(LagRun.millisecondsMaximum)) ms at 5,000 events/s"),
      FigureTable.Row(
        "the chat's maximum with a standby, by that without", ["standby.cost.delivered"],
        bar: Measurement.decimal(1 - StandbyCostRun.costMaximum, digits: 2)),
      FigureTable.Row(
        "the primary's processor time for a message there, the same; by the generator's",
        ["standby.cost.cpu", "standby.cost.cpu.relative"], bar: mostCost),
      FigureTable.Row(
        "at a fixed rate, the same; by the generator's", ["standby.cost.paced.cpu", "standby.cost.paced.cpu.relative"],
        bar: mostCost),
      FigureTable.Row(
        "the maximum with `standby.wait: true`, by that without waiting, both on one disk", ["standby.wait.delivered"],
        bar: Measurement.decimal(StandbyCostRun.waitingMinimum, digits: 2)),
      FigureTable.Row(
        "these maxima: alone, followed, waiting",
        ["standby.alone.delivered", "standby.followed.delivered", "standby.waiting.delivered"]),
      FigureTable.Row(
        "processor time for a message there: the primary alone, followed; the standby",
        ["standby.alone.cpu", "standby.followed.cpu", "standby.cpu"]),
      FigureTable.Row(
        "promoted to ready; of it `carillon promote`", ["standby.promoted.ready", "standby.promoted.promote"],
        bar: "\(Int(PromotionRun.millisecondsMaximum)) ms"),
    ])

  private static let mostCost = Measurement.decimal(1 + StandbyCostRun.costMaximum, digits: 2)
}
