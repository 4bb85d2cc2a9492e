import CallbackDomain
import ChatEngine
import EngineKit
import EntityRuntime
import EventSourcing
import Synchronization
import Testing

@testable import CallbackEngine

@Suite("Who gives agents to callbacks", .timeLimit(.minutes(1)))
struct CallbackRouterTests {
  private let pool = TaskPool(limit: 100)

  private func note(queuedAt milliseconds: Int64) -> CallbackNote {
    var note = CallbackNote()
    note.serviceName = "s"
    note.status = .queued
    note.queuedAt = Timestamp(milliseconds: milliseconds)
    note.wantsAgent = true
    return note
  }

  private func router(
    agents: any ReadinessSource = ReadyForAll(),
    assign: @escaping @Sendable (_ agent: String, _ id: String) async -> Bool? = { _, _ in true }
  ) -> CallbackRouter {
    let time = ManualTime(start: .epoch)
    let outbox = Lane()
    let context = RuntimeContext(
      log: EphemeralLog(outbox: outbox), time: time, timers: TimerWheel(time: time), lanes: Lanes(count: 1))
    let router = CallbackRouter(limits: EngineLimits(), context: context, tasks: pool, agents: agents, assign: assign)
    router.open()
    return router
  }

  @Test("callbacks to which agents are being given are still in the list and before the others")
  func beingAssigned() throws {
    // Nobody runs the pool: what is begun stays under way.
    let router = router()
    for (index, id) in ["first", "second", "third", "fourth"].enumerated() {
      router.changed(id, from: nil, to: note(queuedAt: Int64(index)))
    }
    for agent in ["a", "b"] { router.changed(agent: agent, .ready(for: nil)) }
    #expect(pool.count == 2)
    let waiting = try router.waiting(limit: 10)
    #expect(waiting.map(\.key) == ["first", "second", "third", "fourth"])
    #expect(try router.waiting(after: waiting[0].cursor, limit: 2).map(\.key) == ["second", "third"])
    #expect(router.queuePosition(of: "first").position == 1)
    #expect(router.queuePosition(of: "fourth").position == 4)
    #expect(router.load.waiting == 4)
    // One of them gives up meanwhile, another changes its place.
    router.changed("first", from: note(queuedAt: 0), to: nil)
    router.changed("second", from: note(queuedAt: 1), to: note(queuedAt: 9))
    #expect(try router.waiting(limit: 10).map(\.key) == ["third", "fourth", "second"])
    #expect(router.queuePosition(of: "second").position == 3)
  }

  @Test("a callback that did not take its agent is the next to be given one, in its old place")
  func refused() async throws {
    let calls = Mutex<[String]>([])
    let (third, reached) = AsyncStream<Void>.makeStream()
    let router = router { agent, id in
      let count = calls.withLock {
        $0.append("\(id) \(agent)")
        return $0.count
      }
      if count == 3 {
        reached.finish()
        // Under way until the test is over.
        try? await Task.sleep(for: .seconds(600))
      }
      return count == 2
    }
    router.changed("first", from: nil, to: note(queuedAt: 1))
    router.changed("second", from: nil, to: note(queuedAt: 2))
    let running = Task { [pool] in await pool.run() }
    router.changed(agent: "a", .ready(for: nil))
    for await _ in third {}
    // It was told that the callback has the agent, but has not heard of it from the callback: both are asked again.
    #expect(calls.withLock { $0 } == ["first a", "first a", "first a"])
    #expect(try router.waiting(limit: 10).map(\.key) == ["first", "second"])
    running.cancel()
    pool.finish()
    await running.value
  }

  @Test("whoever may not serve it any more is passed over, and is given nothing until they are ready anew")
  func former() async throws {
    let (calls, given) = AsyncStream<String>.makeStream()
    let agents = ReadyByNow(["a": .ready(for: ["other"]), "b": .away, "c": .ready(for: ["s"])])
    let router = router(agents: agents) { agent, id in
      given.yield("\(id) \(agent)")
      // Under way until the test is over.
      try? await Task.sleep(for: .seconds(600))
      return true
    }
    let running = Task { [pool] in await pool.run() }
    for agent in ["a", "b", "c"] { router.changed(agent: agent, .ready(for: ["other", "s"])) }
    router.changed("first", from: nil, to: note(queuedAt: 1))
    var heard = calls.makeAsyncIterator()
    #expect(await heard.next() == "first c")
    #expect(router.load.agentsReady == 2)
    #expect(router.load.agentsFree == 1)
    running.cancel()
    pool.finish()
    await running.value
  }
}

/// Everybody is ready for all.
private struct ReadyForAll: ReadinessSource {
  func readiness(of agentID: String) async -> AgentReadiness? { .ready(for: nil) }
}

/// What agents are ready for by now, whatever anybody has been told.
private struct ReadyByNow: ReadinessSource {
  let agents: [String: AgentReadiness]

  init(_ agents: [String: AgentReadiness]) { self.agents = agents }

  func readiness(of agentID: String) async -> AgentReadiness? { agents[agentID] ?? .away }
}
