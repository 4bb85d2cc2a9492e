import CarillonClient
import Conservation
import Foundation
import JSONEnvelope
import Synchronization
import TestSupport
import Testing

extension ServerFromOutside {
  @Suite("Kill -9 at random moments under load", .timeLimit(.minutes(15)))
  struct KillTests {
    static let seed: UInt64 = 20_260_211
    static let kills = KillPlan.count(60, long: 200)

    @Test("nothing acknowledged is lost, nothing invented, order kept; clients keep their clientId; pushes arrive")
    func kills() async throws {
      try await PushReceiver.run { receiver in
        var options = receiver.options(delaySeconds: 0)
        // Only a kill that loses a session may cost one its life here, not a machine that is busy.
        options["server"] = ["cometd.maxInterval": "20000", "limits.sessions_by_user": "1000"]
        try await ServerProcess.run(options) { server in
          let pool = HTTPPool(ServerAddress(host: "127.0.0.1", port: server.port))
          defer { pool.shutDown() }
          let kills = KillCount()
          let customers = try await Self.customers(server, pool, kills)
          let isOver = Flag()
          try await withThrowingTaskGroup(of: Void.self) { group in
            for (index, customer) in customers.enumerated() {
              group.addTask { await customer.live(seed: Self.seed + UInt64(index)) }
            }
            let loads = Self.loads(customers, server, pool)
            let posting = Task {
              await withTaskGroup { tasks in
                for (index, load) in loads.enumerated() {
                  tasks.addTask { await load.run(seed: Self.seed + 100 + UInt64(index)) { isOver.isSet } }
                }
              }
            }
            do {
              try await Self.kill(server, customers, kills)
              isOver.set()
              await posting.value
              try await Self.judge(server, customers, receiver)
            } catch {
              isOver.set()
              await posting.value
              group.cancelAll()
              throw error
            }
            group.cancelAll()
          }
          #expect(try await server.stop() == 0)
          let verdict = try await server.command(["journal", "verify", "--data-directory", server.dataDirectory])
          #expect(verdict.status == 0, "\(verdict.output)")
        }
      }
    }

    private static func customers(
      _ server: ServerProcess, _ pool: HTTPPool, _ kills: KillCount
    ) async throws -> [KillCustomer] {
      let habits: [KillCustomer.Habit] = [
        .steady, .steady, .acknowledging, .acknowledging, .socket, .socket, .mobile, .away, .away,
      ]
      var customers: [KillCustomer] = []
      for (index, habit) in habits.enumerated() {
        customers.append(
          try await .join(habit, name: "\(habit)-\(index)", pool: pool, kills: kills, agent: server.agent()))
      }
      return customers
    }

    private static func loads(_ customers: [KillCustomer], _ server: ServerProcess, _ pool: HTTPPool) -> [KillLoad] {
      let ledgers = customers.map(\.ledger)
      let online = zip(customers, ledgers).filter { $0.0.habit != .away }.map(\.1)
      return [
        KillLoad(name: "agent one", ledgers: ledgers, pool: pool, token: server.token()),
        KillLoad(name: "agent two", ledgers: ledgers, pool: pool, token: server.token()),
        KillLoad(name: "customer", ledgers: online, pool: pool, token: nil),
      ]
    }

    /// The kills: most under load, some while the server still reads its journal.
    private static func kill(_ server: ServerProcess, _ customers: [KillCustomer], _ count: KillCount) async throws {
      var random = SeededGenerator(seed: seed)
      for number in 1...kills {
        if Int.random(in: 0..<8, using: &random) == 0 {
          try await server.killNow()
          count.increment()
          try server.launch()
          try await Task.sleep(for: .milliseconds(Int.random(in: 0...40, using: &random)))
        } else {
          try await Task.sleep(for: .milliseconds(Int.random(in: 5...150, using: &random)))
        }
        try await server.killNow()
        count.increment()
        try await server.start()
        let violations = customers.flatMap { $0.ledger.snapshot.violations }
        guard violations.isEmpty else {
          throw EndToEndFailure("seed \(seed), after kill \(number): \(violations.prefix(5))")
        }
      }
    }

    // MARK: The verdict

    private static func judge(
      _ server: ServerProcess, _ customers: [KillCustomer], _ receiver: PushReceiver
    ) async throws {
      var acknowledged = 0
      for customer in customers {
        let transcript = try await server.agent().get("/agent/1/chats/\(customer.ledger.chatID)/transcript?after=0")
        let value = try JSONValue(parsing: transcript.body, limits: JSONLimits(documentBytesMaximum: 1 << 26))
        let lines = (value["lines"]?.array ?? []).filter { $0["position"] != .null }
        let state = customer.ledger.snapshot
        #expect(state.violations.isEmpty, "\(customer.name)")
        #expect(lines.map { $0["position"]?.integer } == Array(1...max(1, lines.count)), "\(customer.name): gap-free")
        judge(lines, state, customer)
        acknowledged += state.acknowledged.count + state.acknowledgedBefore.count
        if customer.habit == .away {
          try await judgePushes(lines, customer, receiver)
        } else {
          let had = customer.ledger.position
          let received = try await eventually("\(customer.name), who had \(had), has all \(lines.count) events") {
            let received = customer.ledger.snapshot.received
            return received.count >= lines.count ? received : nil
          }
          #expect(received.map { $0[2] } == lines.map { $0["text"] }, "\(customer.name) saw what is there")
          #expect(received.map { $0[0] } == lines.map { $0["type"] })
          #expect(customer.habit == .mobile || customer.livesContinued.load(ordering: .relaxed) > kills / 4)
        }
      }
      // A run in which hardly anything was acknowledged would prove nothing.
      #expect(acknowledged > kills * 2, "\(acknowledged) messages were acknowledged")
    }

    private static func judge(_ lines: [JSONValue], _ state: DeliveryLedger.State, _ customer: KillCustomer) {
      let texts = lines.map { $0["text"]?.string ?? "" }
      for (position, text) in state.acknowledged {
        #expect(
          position <= texts.count && texts[position - 1] == text,
          "\(customer.name): acknowledged at \(position) and lost: \(text.prefix(30))")
      }
      for (text, position) in state.acknowledgedBefore {
        #expect(texts.prefix(position).contains(text), "\(customer.name): acknowledged and lost: \(text.prefix(30))")
      }
      let known = state.uncertain.union(state.acknowledged.values).union(state.acknowledgedBefore.keys)
      var latest: [String: Int] = [:]
      for (line, text) in zip(lines, texts) where line["type"] == "Message.Text" {
        #expect(known.contains(text), "\(customer.name): nobody wrote \(text.prefix(30))")
        let words = text.split(separator: " ")
        guard let index = words.firstIndex(where: { Int($0) != nil }), let number = Int(words[index]) else { continue }
        let sender = words[..<index].joined(separator: " ")
        #expect(number > latest[sender, default: 0], "\(customer.name): out of order or twice: \(text.prefix(30))")
        latest[sender] = number
      }
    }

    /// Each message of the agents was owed one push; repeats are allowed, another order is not.
    private static func judgePushes(_ lines: [JSONValue], _ customer: KillCustomer, _ receiver: PushReceiver)
      async throws
    {
      let owed = lines.filter { $0["type"] == "Message.Text" }.map { $0["text"] ?? .null }
      func pushed() -> [[JSONValue]] {
        receiver.pushes.map(\.json).filter { $0["deviceId"] == .string(customer.name) }
          .map { $0["message"]?["lastTranscript"]?.array ?? [] }
      }
      // What failed on its way while the server died is tried again after a pause.
      try await eventually("the pushes of \(customer.name)", within: .seconds(30)) {
        Set(pushed().joined().compactMap { $0["Message.Text"]?.string }).count >= owed.count ? true : nil
      }
      var first: [JSONValue] = []
      var seen: Set<String> = []
      for lines in pushed() {
        #expect(lines.count == 1, "one push for each event once the first is out")
        for line in lines {
          guard let text = line["Message.Text"]?.string else {
            Issue.record("\(customer.name): not a message: \(line)")
            continue
          }
          if seen.insert(text).inserted { first.append(.string(text)) }
        }
      }
      #expect(first == owed, "\(customer.name): every push owed, in order")
    }
  }
}

/// Said once, heard by everybody.
final class Flag: Sendable {
  private let value = Atomic(false)

  var isSet: Bool { value.load(ordering: .relaxed) }
  func set() { value.store(true, ordering: .relaxed) }
}
