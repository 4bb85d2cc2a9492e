import BenchReport
import CarillonClient
import Glibc
import Synchronization

/// Watches a phase under steady load second by second: what arrives, what the kernel counts, what the server's metrics
/// say.
final class SecondsWatch: Sendable {
  private let latencies = Mutex(LatencyHistogram())
  private let server: pid_t?
  private let address: ServerAddress

  /// What is left of a second that the phase ends in counts from this part of it on.
  private static let leastPart = 0.5

  /// - Parameter server: nil if its process is not known.
  init(server: pid_t?, at address: ServerAddress) { (self.server, self.address) = (server, address) }

  /// On whatever thread it arrives.
  func arrived(nanoseconds: Int64) { latencies.withLock { $0.record(nanoseconds) } }

  /// Runs the phase; its trace is nil if it took less than two seconds.
  func during<Result: Sendable>(
    _ phase: () async throws -> Result
  ) async throws -> (result: Result, trace: SecondsTrace?) {
    let sampling = Task { await sample() }
    do {
      let result = try await phase()
      sampling.cancel()
      return (result, SecondsTrace(await sampling.value))
    } catch {
      sampling.cancel()
      _ = await sampling.value
      throw error
    }
  }

  /// Takes a second after the other until it is cancelled.
  private func sample() async -> [TracedSecond] {
    let pool = HTTPPool(address)
    defer { pool.shutDown() }
    var seconds: [TracedSecond] = []
    var before = await snapshot(pool)
    latencies.withLock { $0.removeAll() }
    let began = ContinuousClock.now
    while true {
      let number = seconds.count + 1
      try? await Task.sleep(until: began + .seconds(number), tolerance: .zero, clock: .continuous)
      let part = (ContinuousClock.now - began).inSeconds - Double(number - 1)
      if Task.isCancelled, part < Self.leastPart { return seconds }
      let arrived = latencies.withLock { latencies in
        defer { latencies.removeAll() }
        return latencies
      }
      let after = await snapshot(pool)
      seconds.append(TracedSecond(number: number, arrived, after.readings(since: before)))
      before = after
      if Task.isCancelled { return seconds }
    }
  }

  private func snapshot(_ pool: HTTPPool) async -> CounterSnapshot {
    var processes = [(name: "generator", pid: ownPID())]
    if let server { processes.insert((name: "server", pid: server), at: 0) }
    var snapshot = KernelCounters.snapshot(of: processes)
    // The last second is asked for when the phase is over, and this task is cancelled.
    let asking = Task { try? await pool.response(to: HTTPRequest(.get, "/metrics"), timeout: .seconds(1)) }
    let answer = await asking.value
    if let answer, answer.status == 200 {
      snapshot.add(MetricsText.snapshot(String(decoding: answer.bodyBytes, as: UTF8.self)))
    }
    return snapshot
  }
}
