import EntityRuntime
import Testing

@Suite("A mark in the journal", .timeLimit(.minutes(1)))
struct DurabilityMarkTests {
  @Test("is passed once everything before it is durable, for one who waits already and for one who asks later")
  func passed() async throws {
    try await Self.during { log, diary in
      let mark = try DurabilityMark(in: log)
      async let early = mark.passed()
      diary.note("before the sync")
      log.sync()
      #expect(await early == .durable)
      #expect(await mark.passed() == .durable)
      #expect(diary.lines == ["before the sync"])
    }
  }

  @Test("lets its waiter go when the journal fails")
  func lost() async throws {
    try await Self.during { log, _ in
      let mark = try DurabilityMark(in: log)
      log.fail()
      #expect(await mark.passed() == .lost)
    }
  }

  @Test("stands behind what was to be done before it")
  func order() async throws {
    try await Self.during { log, diary in
      try log.afterDurable { _ in diary.note("an effect") }
      let mark = try DurabilityMark(in: log)
      log.sync()
      _ = await mark.passed()
      #expect(diary.lines == ["an effect"])
    }
  }

  private static func during(_ body: (ManualLog, Diary) async throws -> Void) async throws {
    let outbox = Lane()
    let running = Task { await outbox.run() }
    defer { outbox.finish() }
    try await body(ManualLog(outbox: outbox), Diary())
    outbox.finish()
    await running.value
  }
}
