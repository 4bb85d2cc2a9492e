import ArgumentParser
import BenchReport
import CarillonClient
import NIOPosix

/// How long a server with a full journal takes until it serves again.
struct RestartBench: Bench {
  static let configuration = CommandConfiguration(
    commandName: "restart", abstract: "From the start of a server with many events to its readiness.")

  @OptionGroup var workload: Workload
  @OptionGroup var processors: CoreOptions
  @OptionGroup var report: ReportOptions

  var plan: CorePlan? { processors.cores }

  struct Workload: ParsableArguments {
    @Option(help: "Events in the journal.") var events = 1_000_000
    @Option(help: "Chats that they belong to.") var chats = 1_000

    func validate() throws {
      guard chats > 0, events >= 10 * chats, events / chats < 100_000, events <= 100_000_000 else {
        throw ValidationError("from 10 to 100,000 events a chat, at most 100,000,000 in all")
      }
    }
  }

  static func measure(_ workload: Workload) async throws -> [Measurement] {
    Terminal.note("restart: writing \(workload.events) events")
    let directory = try WorkDirectory()
    try await NIOThreadPool.singleton.runIfActive {
      try JournalRun.fill(directory, events: workload.events, chats: workload.chats)
    }
    let full = try await restart(directory)
    let settings = "\(workload.events) events of \(workload.chats) chats, from exec to ready, median of 3"
    var measurements = [Measurement("restart.seconds", full.seconds, "s", settings: settings)]
    try await takeSnapshot(directory)
    let short = try await restart(directory)
    let wake = try await wake(directory, chats: workload.chats)
    let empty = try await restart(try WorkDirectory())
    measurements.append(Measurement("restart.snapshot.seconds", short.seconds, "s", settings: settings))
    measurements.append(
      Measurement(
        "sleeping.bytes", Double(short.residentBytes - empty.residentBytes) / Double(workload.chats), "bytes",
        settings: "resident memory of each of \(workload.chats) sleeping chats after that restart"))
    for (name, value) in [("p50", wake.p50), ("p99", wake.p99)] {
      measurements.append(
        Measurement(
          "wake.\(name)", value * 1_000, "ms",
          settings: "first refresh of a sleeping chat over HTTP, one after the other")
      )
    }
    return measurements
  }

  /// Asks sleeping chats for their transcripts, each for the first time.
  private static func wake(_ directory: WorkDirectory, chats: Int) async throws -> (p50: Double, p99: Double) {
    let server = try await BenchServer(
      in: directory, options: ["journal.snapshot_interval: 0", "journal.subject_index: false"])
    try await server.waitUntilReady()
    defer { server.stop() }
    let pool = HTTPPool(server.address)
    defer { pool.shutDown() }
    let keys = ChatEvents(chats: chats).keys
    var seconds: [Double] = []
    // Far from each other: no two in one block of the snapshot.
    for key in stride(from: 0, to: keys.count, by: max(1, keys.count / 1_000)) {
      let request = HTTPRequest(
        .post, "/genesys/1/service/\(keys[key])/ixn/chat/refresh",
        headers: [(name: "gms_user", value: ChatEvents.userKey(key))], contentType: "application/x-www-form-urlencoded",
        body: formEncoded([("transcriptPosition", "0")]))
      let start = ContinuousClock.now
      let response = try await pool.response(to: request, timeout: .seconds(5))
      seconds.append((ContinuousClock.now - start).inSeconds)
      guard response.status == 200 else { throw BenchError("a refresh was answered with \(response.status)") }
    }
    seconds.sort()
    return (seconds[seconds.count / 2], seconds[seconds.count * 99 / 100])
  }

  /// Three times from exec to ready; the memory is that of the last, once the allocator has given back what only the
  /// start needed.
  private static func restart(_ directory: WorkDirectory) async throws -> (seconds: Double, residentBytes: Int) {
    var seconds: [Double] = []
    var resident = 0
    for round in 1...3 {
      let (server, time) = try await start(in: directory)
      seconds.append(time)
      if round == 3 { try await Task.sleep(for: .seconds(15)) }
      resident = try ProcessSample(of: server.pid).residentBytes
      server.stop()
    }
    return (seconds.sorted()[1], resident)
  }

  /// A server that takes no snapshots, and its seconds from exec to ready.
  static func start(in directory: WorkDirectory) async throws -> (server: BenchServer, seconds: Double) {
    let server = try await BenchServer(
      in: directory, options: ["journal.snapshot_interval: 0", "journal.subject_index: false"])
    let start = ContinuousClock.now
    try await server.waitUntilReady()
    return (server, (ContinuousClock.now - start).inSeconds)
  }

  /// Lets a server write a snapshot, as it does by itself while it serves.
  private static func takeSnapshot(_ directory: WorkDirectory) async throws {
    let server = try await BenchServer(
      in: directory, options: ["journal.snapshot_interval: 1", "journal.snapshot_records: 1"])
    try await server.waitUntilReady()
    let deadline = ContinuousClock.now + Limits.readyTimeout
    while directory.files(in: JournalRun.folder + "/snapshots").allSatisfy({ !$0.path.hasSuffix(".snapshot") }) {
      guard ContinuousClock.now < deadline else { throw BenchError("no snapshot was written:\n\(server.logTail)") }
      try await Task.sleep(for: .milliseconds(100))
    }
    server.stop()
  }
}
