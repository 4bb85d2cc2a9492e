import BenchReport
import CarillonClient
import Engine
import EntityRuntime
import EventSourcing

/// A book of very many scheduled callbacks: how fast it fills, what each weighs once it sleeps, how soon the free slots
/// of a month are told, and how long a server takes to serve it again.
struct BookRun {
  private static let targets = (orders: 5_000.0, bytes: 1_536.0, availability: 10.0)
  private static let days = 30
  /// Where memory is measured from: the engine, its journal and all that the first callbacks bring with them.
  private static let warmUp = 2_000
  /// As often as the server looks for those that may sleep.
  private static let sweepEvery = 100_000
  let callbacks: Int
  let questions: Int

  func measure() async throws -> [Measurement] {
    let directory = try WorkDirectory()
    let inProcess = try await CallbackWorld.during(in: directory) { try await measure($0) }
    return try await inProcess + measureServer(directory)
  }

  // MARK: Without HTTP

  private func measure(_ world: CallbackWorld) async throws -> [Measurement] {
    Terminal.note("callback: \(callbacks) scheduled callbacks")
    // Whole days from tomorrow on, so that none comes due meanwhile.
    let start = SystemTime().now.advanced(by: .seconds(86_400))
    let spread = Int64(Self.days - 1) * 86_400
    let make: @Sendable (Int) -> CallbackOrder = { number in
      // A prime step scatters neighbours over the whole time.
      CallbackStock.order(
        number, at: start.advanced(by: .seconds(Int64(number) * 7_919 % spread)), waitsForAgent: true)
    }
    try await world.order(0..<Self.warmUp, make)
    try await settle(world.engine)
    let before = try await ResidentMemory.settled()
    let share = MachineShare()
    var seconds = 0.0
    let all = Self.warmUp..<(Self.warmUp + callbacks)
    for first in stride(from: all.lowerBound, to: all.upperBound, by: Self.sweepEvery) {
      let began = ContinuousClock.now
      try await world.order(first..<min(first + Self.sweepEvery, all.upperBound), make)
      seconds += (ContinuousClock.now - began).inSeconds
      await world.engine.putIdleToSleep(unusedFor: 0)
    }
    let busy = share.text
    try await settle(world.engine)
    let bytes = Double(try await ResidentMemory.settled() - before) / Double(callbacks)
    let rate = Double(callbacks) / seconds
    let answers = try await askEngine(world.engine)
    return [
      Measurement(
        "callback.orders", rate, "callbacks/s",
        settings: PushGoal.atLeast(Self.targets.orders, rate)
          + ", \(callbacks) scheduled over \(Self.days) days, \(CallbackStock.ordersAtOnce) orders at a time, each synced before "
          + "its answer; \(busy)"),
      Measurement(
        "callback.scheduled.bytes", bytes, "bytes/callback",
        settings: PushGoal.atMost(Self.targets.bytes, bytes)
          + ", resident, asleep, with its timer and all that it is found by; snapshot taken"),
      Measurement(
        "callback.availability.p99", answers[99], "ms",
        settings: PushGoal.atMost(Self.targets.availability, answers[99])
          + ", free slots of \(Self.days) days, \(callbacks + Self.warmUp) callbacks in the book, p50 "
          + "\(Measurement("", answers[50], "").text) ms"),
    ]
  }

  /// What the server does by itself: idle ones leave memory, a snapshot is written.
  private func settle(_ engine: Engine) async throws {
    await engine.putIdleToSleep(unusedFor: 0)
    try await engine.snapshotNow()
  }

  private func askEngine(_ engine: Engine) async throws -> LatencyHistogram {
    var nanoseconds: [Int64] = []
    for _ in 0..<questions {
      let began = ContinuousClock.now
      let slots = try await engine.callbacks.availability(
        service: CallbackStock.service, from: nil, to: nil, days: Self.days, slotsMaximum: nil)
      nanoseconds.append(Int64((ContinuousClock.now - began).inSeconds * 1e9))
      guard slots.count >= Self.days * 287 else { throw BenchError("only \(slots.count) slots are free") }
    }
    return LatencyHistogram(nanoseconds)
  }

  // MARK: Over HTTP

  private func measureServer(_ directory: WorkDirectory) async throws -> [Measurement] {
    let server = try await BenchServer(
      in: directory, options: ["journal.snapshot_interval: 0"],
      sections: [CallbackStock.section: CallbackStock.options])
    defer { server.stop() }
    let began = ContinuousClock.now
    try await server.waitUntilReady()
    let restart = (ContinuousClock.now - began).inSeconds
    let pool = HTTPPool(server.address)
    defer { pool.shutDown() }
    let request = HTTPRequest(
      .get, "/genesys/1/service/callback/\(CallbackStock.service)/availability?number-of-days=\(Self.days)")
    var nanoseconds: [Int64] = []
    var bytes = 0
    // The first ones connect and fill the caches of the machine.
    for number in -20..<questions {
      let start = ContinuousClock.now
      let response = try await pool.response(to: request, timeout: Limits.requestTimeout)
      guard response.status == 200 else {
        throw BenchError("availability was answered with \(response.status):\n\(server.logTail)")
      }
      bytes = response.bodyBytes.count
      if number >= 0 { nanoseconds.append(Int64((ContinuousClock.now - start).inSeconds * 1e9)) }
    }
    let answers = LatencyHistogram(nanoseconds)
    return [
      Measurement(
        "callback.restart", restart, "s",
        settings: "from exec to ready, \(callbacks + Self.warmUp) scheduled callbacks in its snapshot"),
      Measurement(
        "callback.availability.http.p99", answers[99], "ms",
        settings: PushGoal.atMost(Self.targets.availability, answers[99])
          + ", the same over HTTP, \(bytes) bytes of JSON, one after the other, p50 "
          + "\(Measurement("", answers[50], "").text) ms"),
    ]
  }
}
