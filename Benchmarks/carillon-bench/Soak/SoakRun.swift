import BenchReport
import CarillonClient
import JSONEnvelope
import NIOCore
import NIOPosix

/// A soak from its first client to its last check.
struct SoakRun: Sendable {
  let world: SoakWorld
  private let customers: [SoakCustomer]
  private let agents: [SoakAgent]
  private let upkeep: SoakUpkeep

  private static let endpoints = 8
  private static let visitorStay = TimeAmount.seconds(1)
  private static let pushTimeout = Duration.seconds(120)
  private static let descriptorTimeout = Duration.seconds(20)
  private static let filesOfAPast = 16

  init(_ world: SoakWorld) {
    self.world = world
    agents = (0..<world.settings.agents).map { SoakAgent(world, number: $0) }
    customers = (0..<world.settings.chats).map { [agents] place in
      SoakCustomer(world, place: place, agent: agents[place % agents.count])
    }
    upkeep = SoakUpkeep(world, customers)
  }

  /// - Parameter rate: messages a second.
  static func measure(_ settings: SoakSettings, rate: Double) async throws -> (SoakTally, [Measurement]) {
    let server = try await SoakServer.start(SoakPlan(settings))
    let providers = FailingProviders { server.life }
    let receiver = try await WebhookReceiver.start(endpoints: endpoints) { providers.answer($0) }
    let world = SoakWorld(settings, server, receiver, providers)
    do {
      let results = try await SoakRun(world).measure(rate: rate)
      return (world.tally, results)
    } catch {
      server.kill()
      throw BenchError("\(error)\nthe server's log ends with:\n\(server.logTail)")
    }
  }

  private func measure(rate: Double) async throws -> [Measurement] {
    let base = OpenDescriptors(of: world.server.pid)
    let table = try await load(rate: rate)
    Terminal.note("soak: the load is over; checking")
    try await settlePushes()
    let left = await leave(base)
    let verdict = SoakVerdict(world)
    do { try await world.server.stop(.graceful) } catch { world.tally.violate("\(error)") }
    let journal = try await verdict.judgeJournal()
    let outcomes = try await verdict.judgePushes(await upkeep.erased)
    try await verdict.judgeErasures(await upkeep.erased.map(\.person))
    let growth = await upkeep.growth()
    for life in growth where life.perMinute > world.settings.atMost {
      let text = Measurement.decimal(life.perMinute, digits: 2)
      world.tally.violate("life \(life.life) of the server grows by \(text) MB a minute")
    }
    let results = SoakResults(
      settings: world.settings, tally: world.tally, providers: world.providers.counts, rate: rate, outcomes: outcomes,
      growth: growth, base: base, left: left, journal: journal)
    return results.measurements + table.measurements
  }

  // MARK: The load

  private func load(rate: Double) async throws -> SoakTable {
    let settings = world.settings
    Terminal.note(
      "soak: \(settings.chats) customers, \(Int(rate)) messages/s, \(settings.visitors) visitors/s, "
        + "\(settings.restarts) restarts, \(settings.minutes) minutes, seed \(settings.seed)")
    let began = ContinuousClock.now
    async let table = watch(since: began)
    async let visits: Void = visit()
    async let restarts: Void = restart(since: began)
    async let upkept: Void = upkeep.work()
    await withTaskGroup { group in
      for agent in agents { group.addTask { await agent.work(rate: rate / Double(agents.count)) } }
      for customer in customers { group.addTask { await customer.live() } }
      await world.sleep(world.plan.duration)
      world.end()
    }
    _ = try await (visits, restarts, upkept)
    for agent in agents { agent.client.shutDown() }
    return try await table
  }

  private func watch(since began: ContinuousClock.Instant) async throws -> SoakTable {
    var table = SoakTable()
    var (delivered, pushes) = (0, 0)
    Terminal.print(SoakTable.head)
    var next = began + world.plan.row
    while !world.isOver {
      try await Task.sleep(until: min(next, began + world.plan.duration), clock: .continuous)
      next += world.plan.row
      try await world.server.untilServing()
      let (counts, taken) = (world.tally.counts.delivered, world.providers.counts.taken)
      let row = SoakTable.Row(
        minutes: (ContinuousClock.now - began) / .seconds(60), life: world.server.life, delivered: counts - delivered,
        pushes: taken - pushes, megabytes: Double(try ProcessSample(of: world.server.pid).residentBytes) / 1e6,
        descriptors: OpenDescriptors(of: world.server.pid).count, p99: world.tally.takeRow())
      (delivered, pushes) = (counts, taken)
      table.add(row)
      Terminal.print(SoakTable.line(row))
      if ContinuousClock.now >= began + world.plan.duration { break }
    }
    return table
  }

  /// In turns gracefully and by kill -9.
  private func restart(since began: ContinuousClock.Instant) async {
    for (number, moment) in world.plan.restarts.enumerated() {
      await world.sleep(began + moment - .now)
      guard !world.isOver else { return }
      let end = number % 2 == 0 ? SoakServer.End.graceful : .kill
      Terminal.note("soak: restart \(number + 1), \(end == .kill ? "kill -9" : "graceful")")
      do { try await world.server.restart(end) } catch {
        world.tally.violate("restart \(number + 1): \(error)")
        return world.end()
      }
    }
  }

  /// The clients of the churn measurement, who come and leave; while the server is away nobody comes.
  private func visit() async throws {
    let loop = MultiThreadedEventLoopGroup.singleton.next()
    let (address, token) = (world.server.address, world.server.agentToken)
    let run = try await loop.submit {
      NIOLoopBound(
        ChurnRun(address: address, agentToken: token, stay: Self.visitorStay, on: loop), eventLoop: loop)
    }.get()
    let pause = Duration.milliseconds(100)
    var owed = 0.0
    while !world.isOver {
      await world.sleep(pause)
      owed += Double(world.settings.visitors) * (pause / .seconds(1))
      guard world.server.isServing else { continue }
      let count = Int(owed)
      owed -= Double(count)
      try await loop.submit { run.value.admit(count) }.get()
    }
    let deadline = ContinuousClock.now + Limits.drainTimeout
    while try await loop.submit({ run.value.open }).get() > 0, ContinuousClock.now < deadline {
      try await Task.sleep(for: pause)
    }
    let (begun, failed) = try await loop.submit { (run.value.begun, run.value.failed) }.get()
    world.tally.count { ($0.visitors, $0.visitorsFailed) = (begun, failed) }
  }

  // MARK: The end

  private func settlePushes() async throws {
    world.providers.recover()
    let pool = HTTPPool(world.server.address)
    defer { pool.shutDown() }
    let operatorsOwn = [(name: "Authorization", value: "Bearer \(world.server.adminToken)")]
    // The breakers' pauses say nothing about what is lost.
    _ = try await pool.response(to: HTTPRequest(.post, "/admin/1/lanes/reset", headers: operatorsOwn))
    let deadline = ContinuousClock.now + Self.pushTimeout
    var quiet = 0
    while quiet < 3, ContinuousClock.now < deadline {
      try await Task.sleep(for: .milliseconds(300))
      let response = try await pool.response(to: HTTPRequest(.get, "/admin/1/lanes", headers: operatorsOwn))
      let lanes = try JSONValue(parsing: response.bodyBytes).array ?? []
      let waiting = lanes.reduce(0) { sum, lane in
        let counts = [lane["waiting"], lane["running"], lane["queued"]?["high"], lane["queued"]?["normal"]]
        return sum + counts.reduce(0) { $0 + ($1?.integer ?? 0) }
      }
      quiet = response.status == 200 && waiting == 0 ? quiet + 1 : 0
    }
    if quiet < 3 { world.tally.violate("pushes still wait \(Self.pushTimeout) after their providers came back") }
  }

  /// All clients leave, the receivers too.
  private func leave(_ base: OpenDescriptors) async -> OpenDescriptors {
    let plant = world.settings.plant == .descriptor ? HTTPPool(world.server.address) : nil
    if let plant { _ = try? await plant.response(to: HTTPRequest(.get, "/health/live")) }
    await world.receiver.stop()
    let deadline = ContinuousClock.now + Self.descriptorTimeout
    var left = OpenDescriptors(of: world.server.pid)
    while Self.isMore(left, than: base), ContinuousClock.now < deadline {
      try? await Task.sleep(for: .milliseconds(200))
      left = OpenDescriptors(of: world.server.pid)
    }
    if Self.isMore(left, than: base) {
      world.tally.violate(
        "\(left.count) descriptors once all have left, \(base.count) before they came: \(left.excess(over: base))")
    }
    plant?.shutDown()
    return left
  }

  /// A server with a past has a few files more open than a fresh one: its newest snapshots, and what sleeps.
  private static func isMore(_ left: OpenDescriptors, than base: OpenDescriptors) -> Bool {
    left.count - left.files > base.count - base.files || left.files > base.files + filesOfAPast
  }
}
