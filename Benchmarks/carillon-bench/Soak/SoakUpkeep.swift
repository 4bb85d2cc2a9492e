import BenchReport
import CarillonClient
import JSONEnvelope
import Synchronization

/// The operator beside it all: a snapshot at each beat, and every now and then somebody is erased.
actor SoakUpkeep {
  /// What the server weighed right before a beat: what the beat before has set going is over by then.
  struct Sample: Sendable {
    let life: Int
    /// Since the life began.
    let minutes: Double
    let megabytes: Double
  }

  private(set) var samples: [Sample] = []
  /// Who was erased, with their service ids.
  private(set) var erased: [(person: SoakPerson, services: [String])] = []
  private let world: SoakWorld
  private let customers: [SoakCustomer]
  private let pool: HTTPPool
  private var random: SplitMix64
  private var life = 0
  private var lifeBegan = ContinuousClock.now

  private static let answerTimeout = Duration.seconds(60)
  private static let erasureTimeout = Duration.seconds(180)

  init(_ world: SoakWorld, _ customers: [SoakCustomer]) {
    (self.world, self.customers) = (world, customers)
    pool = HTTPPool(world.server.address)
    random = world.random(1_000_000)
  }

  /// Until the soak is over.
  func work() async {
    var beats = 0
    while !world.isOver {
      await world.sleep(world.plan.beat)
      if world.isOver { break }
      beats += 1
      do {
        try await world.server.untilServing()
        takeSample()
        try await snapshot()
        if beats % world.plan.beatsToErasure == 0, let customer = customers.randomElement(using: &random) {
          let (person, services) = await customer.moveOut()
          try await erase(person, services)
        }
      } catch {
        world.tally.violate("upkeep: \(error)")
      }
    }
    pool.shutDown()
  }

  private func takeSample() {
    if life != world.server.life { (life, lifeBegan) = (world.server.life, .now) }
    guard let sample = try? ProcessSample(of: world.server.pid) else { return }
    samples.append(
      Sample(
        life: life, minutes: (ContinuousClock.now - lifeBegan) / .seconds(60),
        megabytes: Double(sample.residentBytes) / 1e6))
  }

  private func snapshot() async throws {
    guard let answer = try await ask(HTTPRequest(.post, "/admin/1/snapshots")) else { return }
    guard answer.status == 200 else { throw BenchError("a snapshot was answered with \(answer.status)") }
    world.tally.count { $0.snapshots += 1 }
  }

  /// Asks until it is done: a server that dies over it carries it to its end when it comes back.
  private func erase(_ person: SoakPerson, _ services: [String]) async throws {
    let deadline = ContinuousClock.now + Self.erasureTimeout
    let body = JSONWriter.object { body in
      body.member("subject", person.user)
      body.member("reason", "soak")
    }
    var mayBeDone = false
    while ContinuousClock.now < deadline {
      let request = HTTPRequest(.post, "/admin/1/redactions", contentType: "application/json", body: body)
      let answer = try await ask(request)
      var status = answer?.status
      if status == 202, let place = answer?.header("Location") { status = try await end(at: place, before: deadline) }
      switch status {
      case 200: return note(person, services)
      // Somebody of whom nothing is left: done by the start after a server that died over it.
      case 404 where mayBeDone && answer?.status == 404: return note(person, services)
      case nil, 202,
        404 where answer?.status == 202:
        mayBeDone = true
      case .some(let status): throw BenchError("the erasure of \(person.user) was answered with \(status)")
      }
    }
    throw BenchError("\(person.user) was not erased within \(Self.erasureTimeout)")
  }

  private func note(_ person: SoakPerson, _ services: [String]) {
    erased.append((person, services))
    world.tally.count { $0.erased += 1 }
  }

  /// - Returns: the status in the end; nil if the server went away, and 404 if it did and is back.
  private func end(at place: String, before deadline: ContinuousClock.Instant) async throws -> Int? {
    while ContinuousClock.now < deadline {
      try await Task.sleep(for: .milliseconds(200))
      let status = try await ask(HTTPRequest(.get, place))?.status
      if status != 202 { return status }
    }
    return 202
  }

  /// - Returns: nil if the server went away over it.
  private func ask(_ request: HTTPRequest) async throws -> HTTPResponse? {
    try await world.server.untilServing()
    var request = request
    request.headers.append((name: "Authorization", value: "Bearer \(world.server.adminToken)"))
    do {
      let response = try await pool.response(to: request, timeout: Self.answerTimeout)
      if response.status == 503 {
        try await Task.sleep(for: SoakWorld.pause)
        return nil
      }
      return response
    } catch ClientError.timedOut {
      throw BenchError("\(request.path) was not answered within \(Self.answerTimeout)")
    } catch {
      try await Task.sleep(for: SoakWorld.pause)
      return nil
    }
  }

  /// Megabytes a minute in each life that is long enough to tell, of what the server holds between snapshots and erasures:
  /// those read all there is, and give back what they took.
  func growth() -> [(life: Int, perMinute: Double)] {
    let warmUp = SoakPlan.warmUp / .seconds(60)
    return Dictionary(grouping: samples.filter { $0.minutes >= warmUp }, by: \.life).sorted { $0.key < $1.key }
      .compactMap { life, samples -> (life: Int, perMinute: Double)? in
        guard let last = samples.last, last.minutes >= warmUp * 3 else { return nil }
        return (life, Trend(lowest: samples.map { ($0.minutes, $0.megabytes) }, ofEach: 3).slope)
      }
  }
}
