import ArgumentParser
import BenchReport

/// Pushes: the HTTP/2 client, the durable queue before it, what waiting costs, and how fast an agent's message is out.
struct PushBench: BenchInParts {
  static let configuration = CommandConfiguration(
    commandName: "push", abstract: "Pushes a second, bytes of a waiting push, latency; against nghttpd on loopback.",
    discussion: "Needs nghttpd (package nghttp2-server) and openssl; h2load (nghttp2-client) if it is there.")

  enum Part: String, ExpressibleByArgument, CaseIterable {
    case outage, client, queue, webhooks, latency
  }

  @OptionGroup var workload: Workload
  @OptionGroup var report: ReportOptions

  struct Workload: WorkloadInParts {
    @Option(help: "Only these: outage, client, queue, webhooks, latency.") var only: [Part] = []
    @Option(help: "Requests of the client alone.") var requests = 180_000
    @Option(help: "Requests in flight of the client alone.") var inFlight = 256
    @Option(help: "Devices of the durable queue.") var devices = 10_000
    @Option(help: "Pushes through the durable queue.") var pushes = 100_000
    @Option(help: "Webhooks through the durable queue.") var webhooks = 50_000
    @Option(help: "Endpoints of the webhooks.") var endpoints = 16
    @Option(help: "Pushes on their way at a time.") var window = 4_096
    @Option(help: "Pushes that wait while the provider is down.") var waiting = 100_000
    @Option(help: "Devices that they are for; each its own if absent.") var waitingDevices: Int?
    @Option(help: "Agent messages a second.") var rate = 1_000.0
    @Option(help: "Chats in background.") var chats = 1_000
    @Option(help: "Seconds of agent messages.") var seconds = 10

    func validate() throws {
      let counts = [
        requests, inFlight, devices, pushes, webhooks, endpoints, window, waiting, waitingDevices ?? 1, chats, seconds,
      ]
      guard counts.allSatisfy({ $0 > 0 && $0 <= 10_000_000 }), rate >= 1, endpoints <= 256, inFlight <= 10_000,
        // A queue holds 128 messages.
        waiting / (waitingDevices ?? waiting) <= 100
      else {
        throw ValidationError("counts are positive; at most 256 endpoints, and 100 waiting pushes for each device")
      }
    }
  }

  /// False if a program is missing that the usual measurement needs.
  static var isPossible: Bool { Programs.find("nghttpd") != nil && Programs.find("openssl") != nil }

  static func measure(_ part: Part, _ workload: Workload) async throws -> [Measurement] {
    switch part {
    case .outage:
      try await OutageRun(pushes: workload.waiting, devices: workload.waitingDevices ?? workload.waiting).measure()
    case .client:
      try await ClientRun(requests: workload.requests, inFlight: workload.inFlight).measure()
    case .queue:
      try await QueueRun(devices: workload.devices, pushes: workload.pushes, window: workload.window).measureAPNs()
    case .webhooks:
      try await QueueRun(devices: workload.devices, pushes: workload.webhooks, window: workload.window)
        .measureWebhooks(endpoints: workload.endpoints)
    case .latency:
      try await LatencyRun(chats: workload.chats, rate: workload.rate, seconds: workload.seconds).measure()
    }
  }
}
