import Foundation
import ProcessControl
import Synchronization

/// Lines between a worker and the process that started it.
enum SeedLine {
  static func print(_ text: String, isBlock: Bool = false) {
    var text = isBlock ? text.split(separator: "\n").joined(separator: "\nmore ") : text
    text += "\n"
    FileHandle.standardOutput.write(Data(text.utf8))
  }
}

/// Many seeds, in child processes.
struct SeedSweep {
  let seeds: ClosedRange<UInt64>
  let commands: Int
  /// Journals of each world.
  var partitions = 1
  let jobs: Int
  var isTwice = false
  var environment: [String: String] = [:]
  /// Ends with the first broken promise.
  var stopsAtFirst = false
  private static let seedsInAProcess: UInt64 = 25

  init(_ seeds: ClosedRange<UInt64>, commands: Int, partitions: Int = 1, jobs: Int, isTwice: Bool = false) {
    self.partitions = partitions
    self.isTwice = isTwice
    self.seeds = seeds
    self.commands = commands
    self.jobs = jobs
  }

  struct Broken: Sendable {
    let seed: UInt64
    let invariant: String
    var text: String
  }

  struct Outcome: Sendable {
    var kept = 0
    var commands = 0
    var broken: [Broken] = []
    /// Of all trace hashes, in no order.
    var digest: UInt64 = 0
    var next: UInt64
  }

  /// Runs them all and prints what came of it.
  func report() -> Int32 {
    let started = Date()
    let outcome = run()
    let seconds = Date().timeIntervalSince(started)
    for broken in outcome.broken.prefix(3) { print(broken.text + "\n") }
    print(
      "\(outcome.kept + outcome.broken.count) seeds, \(outcome.commands) commands in \(Int(seconds)) s, "
        + "\(outcome.broken.count) violations, digest \(String(outcome.digest, radix: 16))")
    for broken in outcome.broken { print("  seed \(broken.seed): \(broken.invariant)") }
    return outcome.broken.isEmpty ? 0 : 1
  }

  func run() -> Outcome {
    let shared = SharedOutcome(Outcome(next: seeds.lowerBound))
    let threads = (0..<jobs).map { _ in
      let done = DispatchSemaphore(value: 0)
      let thread = Thread { [self] in
        while let chunk = takeChunk(shared) { runChunk(chunk, shared) }
        done.signal()
      }
      thread.start()
      return done
    }
    for done in threads { done.wait() }
    var outcome = shared.state.withLock { $0 }
    outcome.broken.sort { $0.seed < $1.seed }
    return outcome
  }

  private final class SharedOutcome: Sendable {
    let state: Mutex<Outcome>
    init(_ outcome: Outcome) { state = Mutex(outcome) }
  }

  private func takeChunk(_ shared: SharedOutcome) -> ClosedRange<UInt64>? {
    shared.state.withLock { state in
      guard state.next <= seeds.upperBound, !(stopsAtFirst && !state.broken.isEmpty) else { return nil }
      let first = state.next
      let last = min(seeds.upperBound, first + Self.seedsInAProcess - 1)
      state.next = last + 1
      return first...last
    }
  }

  /// One child after the other, until the chunk is done: a seed that breaks a promise ends its process.
  private func runChunk(_ chunk: ClosedRange<UInt64>, _ shared: SharedOutcome) {
    var first = chunk.lowerBound
    while first <= chunk.upperBound {
      if stopsAtFirst, shared.state.withLock({ !$0.broken.isEmpty }) { return }
      let (lines, status) = launch(first...chunk.upperBound)
      var current = first
      var broken: Broken?
      for line in lines {
        let words = line.split(separator: " ", maxSplits: 2).map(String.init)
        switch words.first {
        case "begin": current = words.count > 1 ? UInt64(words[1]) ?? current : current
        case "kept":
          let rest = words.count > 2 ? words[2].split(separator: " ") : []
          shared.state.withLock { state in
            state.kept += 1
            state.digest ^= rest.first.flatMap { UInt64($0, radix: 16) } ?? 0
            state.commands += rest.last.flatMap { Int($0) } ?? 0
          }
        case "broken": broken = Broken(seed: current, invariant: words.count > 2 ? words[2] : "", text: "")
        case "text": broken?.text = String(line.dropFirst(5))
        case "more": broken?.text += "\n" + line.dropFirst(5)
        default: break
        }
      }
      if broken == nil, status != 0 {
        let what = status == 3 ? "more than one thread" : "the process ended with status \(status)"
        broken = Broken(seed: current, invariant: what, text: "seed \(current): \(what)")
      }
      guard let broken else { return }
      shared.state.withLock { $0.broken.append(broken) }
      first = broken.seed + 1
    }
  }

  private func launch(_ seeds: ClosedRange<UInt64>) -> (lines: [String], status: Int32) {
    let environment = ProcessInfo.processInfo.environment
      .merging(environment) { $1 }.merging(["SWIFT_DETERMINISTIC_HASHING": "1"]) { $1 }
    let arguments = [
      "worker", "--seeds", "\(seeds.lowerBound)...\(seeds.upperBound)", "--commands", String(commands), "--partitions",
      String(partitions),
    ]
    do {
      let outcome = try ChildProcess.run(
        URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().path,
        arguments + (isTwice ? ["--twice"] : []), environment: environment, keepsErrors: false)
      let lines = String(decoding: outcome.output, as: UTF8.self).split(separator: "\n").map(String.init)
      return (lines, outcome.status)
    } catch {
      return ([], -1)
    }
  }

  static func describe(_ violation: Violation, seed: UInt64) -> String {
    "seed \(seed), step \(violation.step): VIOLATED: \(violation.invariant.rawValue)\n  \(violation.detail)"
  }
}
