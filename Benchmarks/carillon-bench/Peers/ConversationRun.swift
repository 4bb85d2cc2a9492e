import BenchReport
import Glibc
import NIOCore
import NIOPosix

/// One server under the load: as much as it can do, then half of that at an even pace.
struct ConversationRun: Sendable {
  let settings: ChatLoad.Settings
  let window: Int
  let seconds: Int
  /// The server's; what they have started themselves counts with them.
  let processes: [pid_t]

  static let columns = [
    PeerSheet.Column("rate", "delivered", "messages/s"),
    PeerSheet.Column("cpu", "server's processors", "µs/message"),
    PeerSheet.Column("generator", "generator's", "µs/message"),
    PeerSheet.Column("p50", "p50 at half the rate", "ms"), PeerSheet.Column("p99", "p99", "ms"),
  ]

  /// Figures by column.
  func measure() async throws -> [String: Double] {
    let loop = MultiThreadedEventLoopGroup.singleton.next()
    let load = try await ChatLoad.open(settings, on: loop)
    defer { loop.execute { load.value.close() } }
    try await loop.flatSubmit { load.value.setUp() }.get()
    func run(_ pacing: Pacing, _ duration: Duration) async throws -> PhaseResult {
      try await loop.flatSubmit { load.value.run(pacing, for: duration) }.get()
    }
    _ = try await run(.closed(window: window), .seconds(1))
    let before = (server: ProcessTree.cpuSeconds(of: processes), own: try ProcessSample(of: ownPID()).cpuSeconds)
    let maximum = try await run(.closed(window: window), .seconds(seconds))
    let server = ProcessTree.cpuSeconds(of: processes) - before.server
    let own = try ProcessSample(of: ownPID()).cpuSeconds - before.own
    guard maximum.delivered > 0 else { throw BenchError("hardly anything was delivered") }
    let hearers = settings.service.reachesAll ? settings.customers : 1
    let paced = try await run(.open(rate: maximum.perSecond / 2 / Double(hearers)), .seconds(seconds))
    return [
      "rate": maximum.perSecond, "cpu": server / Double(maximum.delivered) * 1e6,
      "generator": own / Double(maximum.delivered) * 1e6, "p50": paced.latencies[50],
      "p99": paced.latencies[99],
    ]
  }
}
