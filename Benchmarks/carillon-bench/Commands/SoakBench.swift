import ArgumentParser
import BenchReport

/// Everything at once and for long: what was promised has to hold, whatever else goes on.
struct SoakBench: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "soak",
    abstract: "Half load with all that may go wrong beside it; nothing may be lost, nothing may leak.",
    discussion: """
      Customers who go to the background, lose their radio and come back; clients that come and leave; push providers \
      that fail; snapshots, packing, erasures; a graceful restart and a kill -9. Status 1, with what and where, unless \
      every acknowledged message has come once and in order, every push has one end, descriptors are back to what they \
      were, memory does not grow, the journal verifies, and nothing of erased people is in the files.
      """)

  @OptionGroup var soak: SoakSettings
  @OptionGroup var report: ReportOptions

  func run() async throws {
    var tally = SoakTally()
    try await report.publish {
      let rate = try await Self.rate(soak)
      let measured = try await SoakRun.measure(soak, rate: rate)
      tally = measured.0
      return measured.1
    }
    try tally.judge(seed: soak.seed)
  }

  /// Half of what this machine delivers at its maximum to as many customers.
  private static func rate(_ settings: SoakSettings) async throws -> Double {
    if let rate = settings.rate { return rate }
    let workload = try ChatBench.Workload.parse(["--chats", "\(settings.chats)", "--seconds", "5"])
    let results = try await ChatBench.measure(workload, server: try .parse([]))
    guard let maximum = results.first(where: { $0.name == "chat.delivered" }) else { throw BenchError("no maximum") }
    return max(1, (maximum.value / 2).rounded(.down))
  }
}
