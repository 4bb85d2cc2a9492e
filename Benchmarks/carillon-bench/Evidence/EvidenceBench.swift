import ArgumentParser
import BenchReport
import NIOPosix

/// What it costs that strangers can check the journal: its tree, proofs, checkpoints.
struct EvidenceBench: BenchInParts {
  static let configuration = CommandConfiguration(
    commandName: "evidence",
    abstract: "The tree over the records: how fast it grows and proves, and what it costs the chat beside it.")

  enum Part: String, ExpressibleByArgument, CaseIterable { case maker, tree, checkpoint, beside }

  @OptionGroup var workload: Workload
  @OptionGroup var processors: CoreOptions
  @OptionGroup var report: ReportOptions

  var plan: CorePlan? { processors.cores }

  struct Workload: WorkloadInParts {
    @Option(help: "Only these: maker, tree, checkpoint, beside.") var only: [Part] = []
    @Option(help: "Records in the journal whose tree is made anew.") var events = 10_000_000
    @Option(help: "Proofs that are made of them.") var proofs = 200
    @Option(help: "Checkpoints that are shown to three witnesses.") var checkpoints = 30
    @Option(help: "Times that the chat's maximum is looked for, with the tree and without in turn.") var rounds = 3
    @Option(help: "Seconds of each.") var seconds = 8

    func validate() throws {
      guard (10_000...100_000_000).contains(events), [proofs, checkpoints, rounds, seconds].allSatisfy({ $0 > 0 }),
        proofs <= 10_000, checkpoints <= 1_000, rounds <= 50, seconds <= 600
      else { throw ValidationError("10,000 to 100,000,000 events; the other numbers are positive, and not huge") }
    }
  }

  static func measure(_ part: Part, _ workload: Workload) async throws -> [Measurement] {
    switch part {
    // What blocks has threads of its own.
    case .maker: try await NIOThreadPool.singleton.runIfActive { TreeRun.grow() }
    case .tree:
      try await NIOThreadPool.singleton.runIfActive {
        try TreeRun(events: workload.events, proofs: workload.proofs).measure()
      }
    case .checkpoint: try await CosigningRun(checkpoints: workload.checkpoints).measure()
    case .beside: try await BesideRun(rounds: workload.rounds, seconds: workload.seconds).measure()
    }
  }
}
