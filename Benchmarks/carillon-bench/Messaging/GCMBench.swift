import ArgumentParser
import BenchReport

/// The messaging service: sends a second, latency, what connections cost, reconnects, collapsing, topics.
struct GCMBench: BenchInParts {
  static let configuration = CommandConfiguration(
    commandName: "gcm", abstract: "Messages to devices: sends a second, latency, bytes of a connection, fan-out.",
    discussion: "Needs openssl, which makes the certificate of the devices' connections.")

  enum Part: String, ExpressibleByArgument, CaseIterable {
    case send, latency, idle, reconnect, collapse, fanout
  }

  @OptionGroup var workload: Workload
  @OptionGroup var processors: CoreOptions
  @OptionGroup var report: ReportOptions

  var plan: CorePlan? { processors.cores }

  struct Workload: WorkloadInParts {
    @Option(help: "Only these: send, latency, idle, reconnect, collapse, fanout.") var only: [Part] = []
    @Option(help: "Registered devices that are sent to, and that come back all at once.") var devices = 10_000
    @Option(help: "Devices with a connection while the maximum is looked for.") var connected = 1_000
    @Option(help: "Connections that send.") var lanes = 128
    @Option(help: "Seconds of each phase.") var seconds = 10
    @Option(help: "Messages a second whose latency is measured.") var rate = 2_000.0
    @Option(help: "Devices that they are for.") var latencyDevices = 200
    @Option(help: "Idle connections.") var idle = 15_000
    @Option(help: "Stored messages of each device that comes back.") var stored = 20
    @Option(help: "Messages that collapse.") var collapsed = 1_000_000
    @Option(help: "Subscribers of the topic.") var subscribers = 100_000

    func validate() throws {
      let counts = [
        devices, connected, lanes, seconds, latencyDevices, idle, stored, collapsed, subscribers,
      ]
      guard counts.allSatisfy({ $0 > 0 && $0 <= 10_000_000 }), rate >= 1, seconds <= 600, stored <= 100,
        [devices, connected, latencyDevices, idle].allSatisfy({ $0 <= 18_000 }), lanes <= 1_000
      else {
        throw ValidationError(
          "counts are positive; at most 18,000 devices with a connection, 1,000 lanes, 100 stored messages")
      }
    }
  }

  /// False if the program is missing that makes certificates.
  static var isPossible: Bool { Programs.find("openssl") != nil }

  static func measure(_ part: Part, _ workload: Workload) async throws -> [Measurement] {
    switch part {
    case .send:
      try await SendRun(
        devices: workload.devices, connected: workload.connected, lanes: workload.lanes, seconds: workload.seconds
      ).measure()
    case .latency:
      try await DeliveryRun(devices: workload.latencyDevices, rate: workload.rate, seconds: workload.seconds).measure()
    case .idle: try await DeviceIdleRun(connections: workload.idle).measure()
    case .reconnect: try await ReconnectRun(devices: workload.devices, stored: workload.stored).measure()
    case .collapse: try await CollapseRun(messages: workload.collapsed).measure()
    case .fanout: try await FanOutRun(subscribers: workload.subscribers, seconds: workload.seconds).measure()
    }
  }
}
