import EntityRuntime
import EventSourcing
import Testing

@Suite("Several logs as one", .timeLimit(.minutes(1)))
struct JointLogTests {
  @Test("a turn goes to the log of its entity, with who waits for it")
  func append() async throws {
    try await Self.during { logs, joint, diary in
      for key in ["a", "b", "c"] {
        _ = try joint.append(Self.turn(key), lazy: false) { _ in diary.note(key) }
      }
      #expect(logs[0].turns.map(\.id.key) == ["a", "c"])
      #expect(logs[1].turns.map(\.id.key) == ["b"])
      #expect(logs.map(\.waitingCount) == [2, 1])
    }
  }

  struct Row: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// Nil: it is not done with.
    let fates: [Durability?]
    let told: [String]
  }

  @Test(
    "who waits for everything waits for each",
    arguments: [
      Row(testDescription: "one is not durable", fates: [.durable, nil], told: []),
      Row(testDescription: "the other is not durable", fates: [nil, .durable], told: []),
      Row(testDescription: "both are durable", fates: [.durable, .durable], told: ["durable"]),
      Row(testDescription: "the first has failed", fates: [.lost, .durable], told: ["lost"]),
      Row(testDescription: "the last has failed", fates: [.durable, .lost], told: ["lost"]),
      Row(testDescription: "one has failed, and the other goes on", fates: [.lost, nil], told: []),
    ])
  func waits(row: Row) async throws {
    let diary = Diary()
    try await Self.during(diary) { logs, joint, _ in
      try joint.afterDurable { diary.note("\($0)") }
      for (log, fate) in zip(logs, row.fates) {
        switch fate {
        case .durable: log.sync()
        case .lost: log.fail()
        case nil: break
        }
      }
    }
    #expect(diary.lines == row.told)
  }

  @Test("where one takes nothing more nobody is told later, whatever the others do")
  func refused() async throws {
    let diary = Diary()
    try await Self.during(diary) { logs, joint, _ in
      logs[1].refuse(.overloaded, waiting: true)
      #expect(throws: EventLogError.overloaded) { try joint.afterDurable { _ in diary.note("told") } }
      logs[0].sync()
    }
    #expect(diary.lines == [])
  }

  private static func turn(_ key: String) -> Turn {
    Turn(id: EntityID(.chatSession, key), firstSequence: 1, time: .epoch, events: [])
  }

  /// Whatever the logs have let go is done when it returns.
  private static func during(
    _ diary: Diary = Diary(), _ body: ([ManualLog], JointLog, Diary) async throws -> Void
  ) async throws {
    let outboxes = [Lane(), Lane()]
    let running = outboxes.map { outbox in Task { await outbox.run() } }
    let logs = outboxes.map { ManualLog(outbox: $0) }
    try await body(logs, JointLog(logs) { $0.key == "b" ? 1 : 0 }, diary)
    for outbox in outboxes { outbox.finish() }
    for task in running { await task.value }
  }
}
