import CarillonClient
import Conservation
import JSONEnvelope
import Synchronization
import TestSupport

/// A customer who keeps polling, whatever happens to the server.
final class KillCustomer: Sendable {
  enum Habit: String, Sendable {
    /// Online all the time, without and with the acknowledgment extension.
    case steady, acknowledging
    /// The same over a WebSocket.
    case socket
    /// Goes to the background and returns, again and again.
    case mobile
    /// In the background all the time.
    case away
  }

  let habit: Habit
  let name: String
  let ledger: DeliveryLedger
  private let transport: any BareComet
  private let kills: KillCount
  /// How many kills there had been when the last answered request was sent.
  private let answeredLife = Atomic<Int>(0)
  /// In how many lives of the server this customer has been answered on its old clientId.
  let livesContinued = Atomic<Int>(0)

  /// Starts the chat and, unless `habit` is `.away`, remains online.
  static func join(
    _ habit: Habit, name: String, pool: HTTPPool, kills: KillCount, agent: Wire
  ) async throws -> KillCustomer {
    let wire = Wire(port: pool.address.port, headers: [("gms_user", name)])
    let (serviceID, started) = try await wire.startChat([
      (name: "notify_by", value: "comet"), (name: "userDisplayName", value: name),
      (name: "push_notification_type", value: "customhttp"), (name: "push_notification_deviceid", value: name),
    ])
    guard let chatID = started["chatSessionId"]?.string else { throw EndToEndFailure("no chat: \(started)") }
    try await agent.agent("join", chatID, ["nickname": "Agent K"])
    let transport: any BareComet =
      habit == .socket ? SocketComet(pool.address, user: name) : PollingComet(pool: pool, user: name)
    let ledger = DeliveryLedger(serviceID: serviceID, chatID: chatID, user: name)
    let customer = KillCustomer(habit, name, ledger, transport, kills)
    customer.ledger.receive(started, mayRepeat: false)
    if habit == .away {
      let app = try await CometApp.online(wire)
      _ = try await app.connect()
      _ = try await app.disconnect(position: 2)
    }
    return customer
  }

  private init(
    _ habit: Habit, _ name: String, _ ledger: DeliveryLedger, _ transport: any BareComet, _ kills: KillCount
  ) {
    self.habit = habit
    self.name = name
    self.ledger = ledger
    self.transport = transport
    self.kills = kills
  }

  /// Until the task is cancelled.
  func live(seed: UInt64) async {
    var random = SeededGenerator(seed: seed)
    do {
      switch habit {
      case .away: break
      case .steady, .acknowledging, .socket:
        let clientID = try await comeOnline()
        try await poll(clientID) { false }
      case .mobile:
        while true {
          let clientID = try await comeOnline()
          var rounds = Int.random(in: 1...12, using: &random)
          try await poll(clientID) {
            rounds -= 1
            return rounds == 0
          }
          _ = try await ask(
            """
            {"channel":"/meta/disconnect","clientId":"\(clientID)","ext":{"transcriptPosition":"\(ledger.position)"}}
            """)
          try await Task.sleep(for: .milliseconds(Int.random(in: 0...80, using: &random)))
        }
      }
    } catch is CancellationError {
      // The test is over.
    } catch {
      ledger.violate("\(name) gave up: \(error)")
    }
  }

  /// Shakes hands and subscribes.
  private func comeOnline() async throws -> String {
    let ext = habit == .acknowledging ? #","ext":{"ack":true}"# : ""
    let shaken = try await ask(
      #"{"channel":"/meta/handshake","version":"1.0","supportedConnectionTypes":["long-polling","websocket"]\#(ext)}"#)
    guard let clientID = shaken["clientId"]?.string else { throw EndToEndFailure("no handshake: \(shaken)") }
    let subscribed = try await ask(
      #"{"channel":"/meta/subscribe","clientId":"\#(clientID)","subscription":"/_genesys"}"#)
    guard subscribed["successful"] == true else {
      throw EndToEndFailure("a session of a moment ago could not subscribe: \(subscribed)")
    }
    return clientID
  }

  /// Connects with one clientId until `isDone`.
  private func poll(_ clientID: String, until isDone: () -> Bool) async throws {
    var batch = 0
    repeat {
      let ext = habit == .acknowledging ? ",\"ext\":{\"ack\":\(batch)}" : ""
      let type = habit == .socket ? "websocket" : "long-polling"
      let last = answeredLife.load(ordering: .relaxed)
      let reply = try await ask(
        #"{"channel":"/meta/connect","clientId":"\#(clientID)","connectionType":"\#(type)"\#(ext)}"#)
      guard reply["channel"] == "/meta/connect", reply["successful"] == true else {
        throw EndToEndFailure("the old clientId was refused: \(String(decoding: reply.text, as: UTF8.self))")
      }
      batch = reply["ext"]?["ack"]?.integer ?? batch
      if answeredLife.load(ordering: .relaxed) != last { livesContinued.add(1, ordering: .relaxed) }
    } while !isDone()
  }

  /// One Comet message, again and again until it is answered.
  private func ask(_ message: String) async throws -> JSONValue {
    while true {
      try Task.checkCancellation()
      do {
        // What the server sends is of the life that it was asked in: it cannot answer before it is counted.
        let life = kills.count
        let mayRepeat = life != answeredLife.load(ordering: .relaxed) || habit == .mobile
        let reply = try await transport.exchange(message) { event in
          ledger.receive(event["data"]?["message"] ?? event, mayRepeat: mayRepeat)
        }
        answeredLife.store(life, ordering: .relaxed)
        return reply
      } catch is ClientError {
        // The server is dead, or died before it could answer.
      } catch is NotReady {
        // It lives again and reads its journal.
      }
      try await Task.sleep(for: .milliseconds(3))
    }
  }
}

/// How often the server has been killed.
final class KillCount: Sendable {
  private let kills = Atomic(0)

  var count: Int { kills.load(ordering: .acquiring) }
  func increment() { kills.add(1, ordering: .acquiringAndReleasing) }
}
