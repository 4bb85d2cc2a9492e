import EntityRuntime
import EventSourcing
import Testing

@Suite("An entity's turn")
struct EntityTests {
  /// Runs `body` with an entity whose log a test syncs by hand.
  private func withEntity(
    mailboxMaximum: Int = 1_024,
    _ body: @Sendable (Entity<Counter>, ManualLog, Diary, ManualTime, TimerWheel) async throws -> Void
  ) async throws {
    let outbox = Lane()
    let log = ManualLog(outbox: outbox)
    let time = ManualTime(start: Timestamp(milliseconds: 1_000))
    let wheel = TimerWheel(time: time)
    let diary = Diary()
    var limits = RuntimeLimits()
    limits.mailboxMaximum = mailboxMaximum
    let lanes = Lanes(count: 1)
    let context = RuntimeContext(log: log, time: time, timers: wheel, lanes: lanes, limits: limits)
    let entity = Entity<Counter>(id: EntityID(.chatSession, "c"), context: context) { effects, _ in
      for effect in effects { diary.note("\(effect)") }
    }
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { await outbox.run() }
      group.addTask { await lanes.run() }
      try await body(entity, log, diary, time, wheel)
      outbox.finish()
      lanes.finish()
      try await group.waitForAll()
    }
  }

  /// The new total, or nil if the command was refused.
  private func total(
    _ entity: Entity<Counter>, adding amount: Int, refused: @Sendable () -> Void
  ) async -> Int? {
    do { return try await entity.perform(.add(amount)) { $0.total } } catch {
      refused()
      return nil
    }
  }

  /// Waits until `condition` holds; the suite's own time limit ends a wait in vain.
  private func until(_ condition: @Sendable () -> Bool) async {
    while !Task.isCancelled, !condition() { await Task.yield() }
  }

  @Test(
    "nothing leaves before its events are durable; then effects first, the reply after them", .timeLimit(.minutes(1)))
  func order() async throws {
    try await withEntity { entity, log, diary, _, _ in
      async let reply = entity.perform(.add(5)) { state in
        diary.note("decided \(state.total)")
        return state.total
      }
      await until { log.waitingCount == 1 }
      #expect(diary.lines == ["decided 5"])
      log.sync()
      let total = try await reply
      #expect(total == 5)
      #expect(diary.lines == ["decided 5", "said(5)"])
    }
  }

  @Test(
    "whoever waits when the log fails hears that it is lost, and no effect follows", .timeLimit(.minutes(1)))
  func lost() async throws {
    try await withEntity { entity, log, diary, _, _ in
      async let change = Self.outcome { _ = try await entity.perform(.add(5)) { $0.total } }
      await until { log.waitingCount == 1 }
      async let refusal = Self.outcome { _ = try await entity.perform(.add(20)) { $0.total } }
      await until { log.waitingCount == 2 }
      async let reading = Self.outcome { _ = try await entity.read { $0.total } }
      await until { log.waitingCount == 3 }
      log.fail()
      let outcomes = await [change, refusal, reading]
      #expect(outcomes == ["failed", "failed", "failed"])
      #expect(diary.lines == [])
    }
  }

  private static func outcome(_ body: @Sendable () async throws -> Void) async -> String {
    do {
      try await body()
      return "done"
    } catch { return "\(error)" }
  }

  @Test("the events of one turn carry consecutive sequence numbers", .timeLimit(.minutes(1)))
  func sequence() async throws {
    try await withEntity { entity, log, _, _, _ in
      await entity.post(.add(2))
      await entity.post(.nothing)
      await entity.post(.add(3))
      #expect(log.turns.map(\.firstSequence) == [1, 3])
      #expect(log.turns.map(\.events.count) == [2, 3])
      #expect(log.turns.allSatisfy { $0.time == Timestamp(milliseconds: 1_000) })
    }
  }

  @Test("a refusal changes nothing and waits for the state that it tells of", .timeLimit(.minutes(1)))
  func refusal() async throws {
    try await withEntity { entity, log, diary, _, _ in
      await entity.post(.add(10))
      async let answer = total(entity, adding: 1) { diary.note("refused") }
      await until { log.waitingCount == 2 }
      #expect(!diary.lines.contains("refused"))
      log.sync()
      #expect(await answer == nil)
      #expect(await entity.peek { $0.total } == 10)
    }
  }

  @Test(
    "what the log refuses has not happened", .timeLimit(.minutes(1)),
    arguments: [EventLogError.storageFull, .overloaded, .failed])
  func refusedByTheLog(error: EventLogError) async throws {
    try await withEntity { entity, log, diary, _, _ in
      log.refuse(error)
      async let answer = total(entity, adding: 5) {}
      await until { log.waitingCount == 1 }
      log.sync()
      #expect(await answer == nil)
      #expect(await entity.peek { $0.total } == 0)
      log.refuse(nil)
      await entity.post(.add(1))
      #expect(log.turns.last?.firstSequence == 1)
      #expect(diary.lines.isEmpty)
    }
  }

  @Test("a command that the process owes itself is tried again when the disk has room", .timeLimit(.minutes(1)))
  func owedCommand() async throws {
    try await withEntity { entity, log, _, time, wheel in
      log.refuse(.storageFull)
      await entity.post(.add(1))
      #expect(log.turns.isEmpty)
      log.refuse(nil)
      time.advance(by: .seconds(2))
      wheel.fireDue()
      await until { log.turns.count == 1 }
      #expect(await entity.peek { $0.total } == 1)
    }
  }

  @Test("commands that are put off keep their order, and later ones stay behind them", .timeLimit(.minutes(1)))
  func putOff() async throws {
    try await withEntity { entity, log, _, time, wheel in
      log.refuse(.overloaded)
      await entity.post(.add(1))
      log.refuse(nil)
      await entity.post(.add(2))
      await entity.post(.add(3), lazy: true)
      #expect(log.turns.map(\.events.count) == [3])
      time.advance(by: .seconds(2))
      wheel.fireDue()
      await until { log.turns.count == 3 }
      #expect(log.turns.map(\.events.count) == [3, 1, 2])
    }
  }

  @Test(
    "a hint is dropped when there is no room for it, and so is what the log can never take", .timeLimit(.minutes(1)))
  func dropped() async throws {
    try await withEntity { entity, log, _, time, wheel in
      log.refuse(.storageFull)
      await entity.post(.add(1), lazy: true)
      log.refuse(.tooLarge)
      await entity.post(.add(2))
      log.refuse(nil)
      #expect(wheel.count == 0)
      await entity.post(.add(3))
      #expect(log.turns.map(\.events.count) == [3])
    }
  }

  /// Posts it if there is room, and notes what is said of it then.
  private func postIfRoom(_ command: Counter.Command, to entity: Entity<Counter>, _ diary: Diary) async -> Int? {
    await entity.post(ifRoom: command) {
      $0.total
    } then: { total, fate in
      diary.note("\(fate) at \(total)")
    }
  }

  @Test(
    "a command that is taken only if there is room is answered at once; what follows comes when it is durable, behind its effects",
    .timeLimit(.minutes(1)))
  func ifRoom() async throws {
    try await withEntity { entity, log, diary, _, _ in
      #expect(await postIfRoom(.add(5), to: entity, diary) == 5)
      #expect(diary.lines.isEmpty && log.turns.count == 1)
      // What changes nothing waits for the state that it tells of.
      #expect(await postIfRoom(.nothing, to: entity, diary) == 5)
      log.sync()
      await until { diary.lines.count == 3 }
      #expect(diary.lines == ["said(5)", "durable at 5", "durable at 5"])
      #expect(await postIfRoom(.add(1), to: entity, diary) == 6)
      log.fail()
      await until { diary.lines.count == 4 }
      #expect(diary.lines.last == "lost at 6")
    }
  }

  @Test("without room for it nothing has happened, now or later", arguments: [EventLogError.storageFull, .overloaded])
  func noRoom(error: EventLogError) async throws {
    try await withEntity { entity, log, diary, time, wheel in
      log.refuse(error)
      #expect(await postIfRoom(.add(1), to: entity, diary) == nil)
      // Behind what is put off there is none either.
      await entity.post(.add(2))
      log.refuse(nil)
      #expect(await postIfRoom(.add(3), to: entity, diary) == nil)
      #expect(await postIfRoom(.add(20), to: entity, diary) == nil)
      time.advance(by: .seconds(2))
      wheel.fireDue()
      await until { log.turns.count == 1 }
      #expect(log.turns.map(\.events.count) == [2] && diary.lines.isEmpty)
    }
  }

  @Test("nothing is written behind the end of an entity")
  func finished() async throws {
    try await withEntity { entity, log, diary, _, _ in
      await entity.post(.finish)
      await entity.post(.add(1))
      #expect(await postIfRoom(.add(1), to: entity, diary) == nil)
      #expect(log.turns.count == 1)
    }
  }

  @Test("a full mailbox says so at once", .timeLimit(.minutes(1)))
  func mailbox() async throws {
    try await withEntity(mailboxMaximum: 1) { entity, log, diary, _, _ in
      async let first = entity.perform(.add(1)) { $0.total }
      await until { log.waitingCount == 1 }
      do throws(TurnError<Counter.Rejection>) {
        _ = try await entity.perform(.add(1)) { $0.total }
        Issue.record("the second command was taken")
      } catch {
        if case .overloaded = error { diary.note("overloaded") }
      }
      #expect(diary.lines == ["overloaded"])
      log.sync()
      let total = try await first
      #expect(total == 1)
    }
  }

  @Test("after a restart what is owed is performed again", .timeLimit(.minutes(1)))
  func rearm() async throws {
    try await withEntity { entity, _, diary, _, _ in
      await entity.post(.add(3))
      await entity.rearm()
      #expect(diary.lines == ["said(3)"])
    }
  }
}
