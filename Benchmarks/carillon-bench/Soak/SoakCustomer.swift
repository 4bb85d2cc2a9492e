import CarillonClient
import Conservation
import JSONEnvelope
import NIOCore

/// One customer after the other in one place, each with one chat after the other. What they do follows from the seed.
///
/// ```
///   create, start ──> online ──> … held connects … ──> drained and judged ──> closed ──> the next chat
///                        ▲  │ disconnect, its position stated; or the radio goes in the middle of a connect
///                        └──┘
/// ```
actor SoakCustomer {
  let world: SoakWorld
  let agent: SoakAgent
  private let place: Int
  private(set) var random: SplitMix64
  private var person: SoakPerson
  /// The service ids of this person so far.
  private var services: [String] = []
  private var leaving: CheckedContinuation<(person: SoakPerson, services: [String]), Never>?
  private var hasEnded = false

  // The Comet session: `SoakCustomer+comet.swift`.
  var comet: (any BareComet)?
  var clientID: String?
  /// Something may have been lost since the last answered connect.
  var mayRepeat = false
  /// The life of the server that has answered last.
  var answeredLife = 1
  /// Whether this customer acknowledges batches: only then an answer that was lost on its way is known to be lost, and
  /// not taken for come with the next connect.
  let acknowledges: Bool
  var batch = 0

  private static let drainTimeout = Duration.seconds(40)

  init(_ world: SoakWorld, place: Int, agent: SoakAgent) {
    (self.world, self.place, self.agent) = (world, place, agent)
    acknowledges = place % 2 == 0
    var random = world.random(1_000 + place)
    person = SoakPerson(number: random.next(), place: place, receiver: world.receiver)
    self.random = random
  }

  /// Until the soak is over and the last chat is judged.
  func live() async {
    while !world.isOver {
      do {
        try await haveChat()
      } catch is SetUpInterrupted {
        world.tally.count { $0.abandoned += 1 }
        try? await Task.sleep(for: SoakWorld.pause)
      } catch {
        world.tally.violate("\(person.user): \(error)")
        await world.sleep(.seconds(1))
      }
      if leaving != nil { handOver() }
    }
    hasEnded = true
    if leaving != nil { handOver() }
  }

  /// Lets this person finish and go; another one takes the place.
  func moveOut() async -> (person: SoakPerson, services: [String]) {
    if hasEnded { return (person, services) }
    return await withCheckedContinuation { leaving = $0 }
  }

  private func handOver() {
    leaving?.resume(returning: (person, services))
    leaving = nil
    services = []
    person = SoakPerson(number: random.next(), place: place, receiver: world.receiver)
  }

  // MARK: A chat

  private func haveChat() async throws {
    try await world.server.untilServing()
    let pool = HTTPPool(world.server.address)
    defer { pool.shutDown() }
    let chat = try await start(pool)
    comet =
      place % 4 >= 2
      ? SocketComet(world.server.address, user: person.user) : PollingComet(pool: pool, user: person.user)
    await agent.take(chat)
    do {
      try await talk(chat)
      await agent.drop(chat)
      try await drain(chat)
    } catch {
      await agent.drop(chat)
      await comet?.close()
      throw error
    }
    world.tally.violate(chat.ledger.verdict().map { "chat \(chat.ledger.chatID) of \(person.user): \($0)" })
    world.tally.count { $0.chats += 1 }
    // Whether that gets through is all one: what nobody uses expires.
    _ = try? await agent.client.close(chat.ledger.chatID)
    await leave(stating: nil)
    await comet?.close()
    comet = nil
  }

  private func talk(_ chat: SoakChat) async throws {
    let end = ContinuousClock.now + .seconds(Double.random(in: world.plan.chatSeconds, using: &random))
    try await comeOnline(chat)
    if place == 0, world.settings.plant == .loss { chat.plantLoss() }
    while !world.isOver, leaving == nil, ContinuousClock.now < end {
      let moment = Duration.milliseconds(Int.random(in: 200...3_000, using: &random))
      switch Int.random(in: 0..<10, using: &random) {
      case 0..<3:
        chat.customer(isThere: false)
        world.tally.count { $0.absences += 1 }
        await leave(stating: chat.ledger.position)
        await world.sleep(moment)
        try await comeOnline(chat)
      case 3..<5 where acknowledges:
        world.tally.count { $0.cuts += 1 }
        try await loseRadio(chat, after: moment / 4)
      default:
        let next = ContinuousClock.now + moment
        while !world.isOver, ContinuousClock.now < next { try await connect(chat) }
      }
    }
  }

  /// Nobody posts any more: what was acknowledged has to come.
  private func drain(_ chat: SoakChat) async throws {
    let deadline = ContinuousClock.now + Self.drainTimeout
    while !chat.ledger.isComplete, ContinuousClock.now < deadline { try await connect(chat) }
  }

  // MARK: Its beginning

  /// The server went away in between.
  private struct SetUpInterrupted: Error {}

  private func start(_ pool: HTTPPool) async throws -> SoakChat {
    let created = try await post("/genesys/1/service/request-chat", [], pool)
    guard let serviceID = created["_id"]?.string else { throw BenchError("no service id") }
    services.append(serviceID)
    let started = try await post(
      "/genesys/1/service/\(serviceID)/ixn/chat",
      [
        (name: "notify_by", value: "comet"), (name: "userDisplayName", value: person.user),
        (name: "push_notification_type", value: "httpcb"), (name: "push_notification_deviceid", value: person.device),
      ], pool)
    guard let chatID = started["chatSessionId"]?.string else { throw BenchError("no chat") }
    let ledger = DeliveryLedger(serviceID: serviceID, chatID: chatID, user: person.user)
    ledger.receive(started, mayRepeat: false)
    do { try await agent.client.join(chatID, nickname: "Agent K") } catch { try Self.judge(error) }
    mayRepeat = false
    answeredLife = world.server.life
    return SoakChat(ledger, of: person, random: SplitMix64(seed: random.next()))
  }

  private func post(
    _ path: String, _ fields: [(name: String, value: String)], _ pool: HTTPPool
  ) async throws -> JSONValue {
    let request = HTTPRequest(
      .post, path, headers: [(name: "gms_user", value: person.user)],
      contentType: "application/x-www-form-urlencoded", body: formEncoded(fields))
    let response: HTTPResponse
    do { response = try await pool.response(to: request) } catch {
      try Self.judge(error)
      throw SetUpInterrupted()
    }
    if response.status == 503 { throw SetUpInterrupted() }
    guard response.status == 200 else {
      throw BenchError("\(path) was answered with \(response.status): \(String(buffer: response.body))")
    }
    return try JSONValue(parsing: response.bodyBytes)
  }

  /// - Throws: `SetUpInterrupted` for what a server that goes away does, everything else as it is.
  private static func judge(_ error: ClientError) throws {
    switch error {
    case .unreachable, .connectionClosed, .timedOut, .refused(status: 503, _): throw SetUpInterrupted()
    default: throw error
    }
  }
}
