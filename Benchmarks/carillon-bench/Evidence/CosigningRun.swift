import BenchReport
import CarillonClient
import JSONEnvelope
import JournalFormat
import ProcessControl
import Transparency

/// A server whose checkpoints three witnesses on loopback cosign, each a process with a directory of its own: from the
/// operator's request to the answer, after new records; tree, signature, both syncs and all cosignatures included.
struct CosigningRun {
  private static let millisecondsMaximum = 50.0
  private static let origin = "bench.example.com/log"
  private static let witnessCount = 3

  let checkpoints: Int

  func measure() async throws -> [Measurement] {
    let directory = try WorkDirectory()
    let key = AuditKey()
    try Files.write(key.pem, to: directory.path + "/audit.pem")
    guard let name = KeyName(Self.origin) else { throw BenchError("no name of a log") }
    let log = NoteSigner(name: name, key: key).verifierKey
    var witnesses: [WitnessProcess] = []
    defer { for witness in witnesses { witness.child.endAtOnce() } }
    for number in 1...Self.witnessCount {
      witnesses.append(try await WitnessProcess(number, of: log, in: directory))
    }
    let server = try await BenchServer(
      in: directory,
      options: [
        "journal.origin: \(Self.origin)", "journal.checkpoint_key: \(directory.path)/audit.pem",
        "journal.checkpoint_interval: 0",
        "journal.witnesses: \"\(witnesses.map { "\($0.key) \($0.url)" }.joined(separator: ", "))\"",
      ])
    return try await server.measuring {
      try await server.waitUntilReady()
      return try await measure(server)
    }
  }

  private func measure(_ server: BenchServer) async throws -> [Measurement] {
    let admin = try await server.createToken(name: "admin", ["--role", "admin"])
    let pool = HTTPPool(server.address)
    defer { pool.shutDown() }
    var nanoseconds: [Int64] = []
    Terminal.note("evidence: \(checkpoints) checkpoints, \(Self.witnessCount) witnesses")
    for _ in 0..<checkpoints {
      for _ in 0..<10 {
        _ = try await pool.response(
          to: HTTPRequest(.post, "/genesys/1/service/request-chat", body: []), timeout: Limits.requestTimeout)
      }
      let start = ContinuousClock.now
      let response = try await pool.response(
        to: HTTPRequest(.post, "/admin/1/tlog/checkpoints", headers: [("Authorization", "Bearer \(admin)")], body: []),
        timeout: Limits.requestTimeout)
      nanoseconds.append((ContinuousClock.now - start).wholeNanoseconds)
      let status = try JSONValue(parsing: response.bodyBytes)
      guard response.status == 200, status["newest"]?["cosignatures"]?.integer == Self.witnessCount else {
        throw BenchError("a checkpoint was answered with \(response.status): \(status)")
      }
    }
    let times = LatencyHistogram(nanoseconds)
    let settings = "from the request to the last of \(Self.witnessCount) cosignatures, all synced"
    return [
      Measurement("evidence.checkpoint.p50", times[50], "ms", settings: settings),
      Measurement(
        "evidence.checkpoint.p99", times[99], "ms",
        settings: PushGoal.atMost(Self.millisecondsMaximum, times[99]) + ", \(settings)"),
    ]
  }
}

/// `carillon witness`, with what it says of itself.
private struct WitnessProcess {
  let child: ChildProcess
  let key: String
  let url: String

  init(_ number: Int, of log: VerifierKey, in directory: WorkDirectory) async throws {
    let base = "\(directory.path)/w\(number)"
    child = try ChildProcess(
      try BenchServer.executable(),
      [
        "witness", "--key", base + ".pem", "--create-key", "--name", "w\(number).example.com", "--state", base,
        "--listen", "127.0.0.1:0", "--log", log.text,
      ], log: base + ".log", isBound: true)
    let deadline = ContinuousClock.now + Limits.readyTimeout
    var said: [Substring: String] = [:]
    while said["url"] == nil, ContinuousClock.now < deadline {
      try await Task.sleep(for: .milliseconds(5))
      for line in (Files.text(base + ".log") ?? "").split(separator: "\n") {
        let words = line.split(separator: " ", maxSplits: 1)
        if words.count == 2 { said[words[0]] = words[1].trimmingPrefix { $0 == " " }.description }
      }
    }
    guard let key = said["key"], let url = said["url"] else { throw BenchError("witness \(number) did not start") }
    (self.key, self.url) = (key, url)
  }
}
