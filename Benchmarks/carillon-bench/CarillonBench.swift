import ArgumentParser
// Imported to be linked: it takes the place of malloc.
import CJemalloc

/// `carillon-bench`: what this machine does with the journal and the server, by measurement.
///
/// Everything runs on loopback, ends by itself within named times, and takes its own server down with it.
@main
struct CarillonBench: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "carillon-bench", abstract: "Measure the journal and the server on this machine.",
    discussion: "Build with -c release: the figures of a debug build mean nothing.",
    subcommands: [
      JournalBench.self, ChatBench.self, IdleBench.self, ChurnBench.self, RestartBench.self, TimelineBench.self,
      PushBench.self, GCMBench.self, CallbackBench.self, SupportBench.self, ConsoleBench.self, SearchBench.self,
      EvidenceBench.self, StandbyBench.self, MicroBench.self, AllBenches.self, CompareBench.self, PeersBench.self,
      SoakBench.self, CurveBench.self,
    ])
}
