import BenchReport
import Engine
import Journal
import JournalFormat
import Transparency

/// The tree by itself: grown in memory, made anew from a long journal, asked for proofs.
struct TreeRun {
  private static let perSecondMinimum = 1_000_000.0
  private static let secondsMaximum = 15.0
  private static let bytesMaximum = 40.0
  private static let proofMillisecondsMaximum = 20.0
  private static let checkMillisecondsMaximum = 5.0
  private static let growthRecords = 4_000_000
  private static let chunk = 10_000
  private static let chats = 1_000

  let events: Int
  let proofs: Int

  /// One thread, leaves as the writer hands them on, nothing stored.
  static func grow() -> [Measurement] {
    let leaves = (0..<chunk).map { number in
      [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: 32).withUnsafeBytes { Hash256($0) } ?? .zero
    }
    var growth = TreeGrowth()
    let start = ContinuousClock.now
    for _ in 0..<(growthRecords / chunk) {
      growth.append(leaves)
      growth.clearRows()
    }
    let rate = Double(growthRecords) / (ContinuousClock.now - start).inSeconds
    return [
      Measurement(
        "evidence.maker", rate, "records/s",
        settings: PushGoal.atLeast(perSecondMinimum, rate) + ", \(growthRecords) leaves on one thread, in memory")
    ]
  }

  func measure() throws -> [Measurement] {
    Terminal.note("evidence: writing \(events) events")
    let directory = try WorkDirectory()
    try JournalRun.fill(directory, events: events, chats: Self.chats)
    let path = JournalRun.path(directory)
    let reader = JournalReader(directory: path)
    var head: UInt64 = 0
    try reader.forEachFrame { head = $0.header.endPosition - 1 }

    Terminal.note("evidence: making the tree")
    let tree = JournalTree(directory: path)
    let start = ContinuousClock.now
    while try tree.extend(upTo: head).hasMore {}
    try tree.store()
    let seconds = (ContinuousClock.now - start).inSeconds
    let bytes = Double(directory.files(in: JournalRun.folder + "/tree").reduce(0) { $0 + $1.bytes }) / Double(head)
    return [
      Measurement(
        "evidence.rebuild", seconds, "s",
        settings: PushGoal.atMost(Self.secondsMaximum, seconds) + ", \(head) records, read and hashed on one thread"),
      Measurement(
        "evidence.bytes", bytes, "bytes/record", settings: PushGoal.atMost(Self.bytesMaximum, bytes) + ", of its tiles"),
    ] + (try prove(reader, tree, head))
  }

  private func prove(_ reader: JournalReader, _ tree: JournalTree, _ head: UInt64) throws -> [Measurement] {
    guard let origin = KeyName("bench.example.com/log") else { throw BenchError("no name of a log") }
    let signer = NoteSigner(name: origin, key: AuditKey())
    let policy = try TrustPolicy(text: Array("log \(signer.verifierKey.text)\nquorum none\n".utf8))
    let prover = try RecordProver(
      try signer.sign(LogCheckpoint(origin: origin, head: try tree.head())), reader, tree)
    var (made, checked): ([Int64], [Int64]) = ([], [])
    var random = SystemRandomNumberGenerator()
    for _ in 0..<proofs {
      let position = UInt64.random(in: 1...head, using: &random)
      let start = ContinuousClock.now
      let bytes = try prover.prove(position).proof.bytes
      let middle = ContinuousClock.now
      _ = try LogProof(bytes).check(policy)
      checked.append((ContinuousClock.now - middle).wholeNanoseconds)
      made.append((middle - start).wholeNanoseconds)
    }
    return measurements("prove", made, Self.proofMillisecondsMaximum, "of one record among \(head), its segment read")
      + measurements("check", checked, Self.checkMillisecondsMaximum, "in the process, signature and hashes")
  }

  private func measurements(
    _ name: String, _ nanoseconds: [Int64], _ maximum: Double, _ settings: String
  ) -> [Measurement] {
    let times = LatencyHistogram(nanoseconds)
    return [
      Measurement("evidence.\(name).p50", times[50], "ms", settings: settings),
      Measurement(
        "evidence.\(name).p99", times[99], "ms", settings: PushGoal.atMost(maximum, times[99]) + ", \(settings)"),
    ]
  }
}
