import BenchReport
import CarillonClient
import NIOPosix

/// A server with many events is killed, and its standbys with it: how long until the place of one is taken.
struct PromotionRun {
  static let millisecondsMaximum = 1_000.0
  /// Each is promoted once: a second promotion would find a primary's directory.
  private static let copies = 3

  let events: Int
  let chats: Int

  func measure() async throws -> [Measurement] {
    Terminal.note("standby: writing \(events) events")
    let directory = try WorkDirectory()
    try await NIOThreadPool.singleton.runIfActive {
      try JournalRun.fill(directory, events: events, chats: chats)
    }
    let server = try await RestartBench.start(in: directory).server
    let standbys = try await server.measuring { try await copy(server) }
    for standby in standbys { standby.stop() }
    var (promotions, all): ([Double], [Double]) = ([], [])
    for standby in standbys {
      let (promoted, ready) = try await takeOver(with: standby)
      promotions.append(promoted)
      all.append(ready)
    }
    let ready = all.sorted()[all.count / 2]
    let settings = "\(events) events of \(chats) chats, copied, no snapshot, median of \(Self.copies)"
    return [
      Measurement(
        "standby.promoted.ready", ready, "ms",
        settings: PushGoal.atMost(Self.millisecondsMaximum, ready)
          + ", from `carillon promote` to the first 200 of /health/ready; \(settings)"),
      Measurement(
        "standby.promoted.promote", promotions.sorted()[promotions.count / 2], "ms",
        settings: "of it until `carillon promote` had ended; \(settings)"),
    ]
  }

  /// Standbys that have all of it, and follow.
  private func copy(_ server: BenchServer) async throws -> [BenchStandby] {
    let watch = try await StandbyWatch(server)
    defer { watch.close() }
    var standbys: [BenchStandby] = []
    for number in 1...Self.copies {
      Terminal.note("standby: copy \(number) of \(Self.copies)")
      let standby = try await BenchStandby(of: server, name: "standby-\(number)")
      let position = try await watch.waitUntilLevel(standby)
      guard position >= events else { throw BenchError("only \(position) events were copied") }
      standbys.append(standby)
    }
    return standbys
  }

  /// Milliseconds until the directory was promoted, and until a server on it was ready.
  private func takeOver(with standby: BenchStandby) async throws -> (promoted: Double, ready: Double) {
    let start = ContinuousClock.now
    try await standby.promote()
    let promoted = (ContinuousClock.now - start).inSeconds * 1_000
    let server = try await RestartBench.start(in: standby.directory).server
    let ready = (ContinuousClock.now - start).inSeconds * 1_000
    server.stop()
    return (promoted, ready)
  }
}
