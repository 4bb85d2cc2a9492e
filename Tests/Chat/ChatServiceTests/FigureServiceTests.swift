import ChatDomain
import EntityRuntime
import EventSourcing
import Testing

@testable import ChatEngine
@testable import Engine
@testable import EngineRigs

@Suite("The figures of a day, of a whole server", .timeLimit(.minutes(1)))
struct FigureServiceTests {
  private static let sections = [
    "service.sales": ["_type": "builtin"], "service.help": ["_type": "builtin", "_ttl": "172800"],
  ]
  private static let anna = AgentViewer(id: "anna")
  private static let day = FigureDay(of: DeviceRig.start)

  private func start(_ rig: DeviceRig, _ service: String = "sales") async throws -> String {
    let id = try await rig.engine.chats.create(service: service, data: [])
    _ = try await rig.engine.chats.start(id, ChatStartRequest(userKey: "u", nickname: "Guest"))
    return try await rig.rig.chatID(id)
  }

  private func leave(_ rig: DeviceRig, _ chat: String) async throws {
    let service = try #require(rig.engine.chats.index.service(ofSession: chat))
    _ = try await rig.engine.chats.disconnect(service, by: .customer(userKey: "u"))
  }

  private func restarted(_ rig: DeviceRig) async throws -> DeviceRig {
    await rig.kill()
    return try await DeviceRig(directory: rig.directory, at: rig.time.now, sections: Self.sections)
  }

  /// One that is answered after ten seconds and closed after a minute, one that is given up, one that waits; and one of
  /// the other service that goes on.
  private func fill(_ rig: DeviceRig) async throws -> (handled: String, goesOn: String) {
    let agents = rig.engine.agents
    let (handled, left, _) = (try await start(rig), try await start(rig), try await start(rig))
    let goesOn = try await start(rig, "help")
    for chat in [handled, goesOn] { _ = try await agents.join(chat, nickname: "Anna", role: .agent, for: Self.anna) }
    try await rig.advance(by: .seconds(10))
    for chat in [handled, goesOn] { _ = try await agents.send(chat, agentID: "anna", text: "Hello") }
    try await rig.advance(by: .seconds(50))
    _ = try await agents.close(handled, agentID: "anna")
    try await leave(rig, left)
    return (handled, goesOn)
  }

  @Test(
    "are the same after a kill, with a snapshot and without, however often one has looked", arguments: [false, true])
  func restart(withSnapshot: Bool) async throws {
    var rig = try await DeviceRig(sections: Self.sections)
    let chats = try await fill(rig)
    if withSnapshot { _ = try await rig.engine.snapshotNow() }
    let first = try await rig.engine.figures.report(for: .overseer)
    let total = first.report.total
    #expect(first.report.day == Self.day && first.isComplete)
    #expect(total.begun == 4 && total.handled == 2 && total.abandoned == 1)
    #expect(total.firstAnswer?.p50 == 10 && total.firstAnswer?.p90 == 10 && total.handling?.p90 == 60)
    #expect(first.report.services.map(\.name) == ["help", "sales"])
    #expect(first.report.agents.map(\.name) == ["anna"] && first.report.agents[0].figures.handled == 2)
    #expect(first.report.hours[8].begun == 4 && first.report.hours[9].begun == 0)
    #expect(try await rig.engine.figures.report(of: Self.day, for: .overseer) == first)
    for _ in 0..<2 {
      rig = try await restarted(rig)
      #expect(try await rig.engine.figures.report(for: .overseer) == first)
    }
    // What goes on is looked at anew, and what has moved counts once.
    try await rig.advance(by: .seconds(60))
    _ = try await rig.engine.agents.transfer(chats.goesOn, agentID: "anna", to: .service("sales"))
    let moved = try await rig.engine.figures.report(for: .overseer)
    #expect(moved.report.total.begun == 4 && moved.report.services.map(\.name) == ["sales"])
    try await leave(rig, chats.goesOn)
    let over = try await rig.engine.figures.report(for: .overseer)
    #expect(over.report.total.handled == 2 && over.report.total.handling?.p90 == 120)
    rig = try await restarted(rig)
    #expect(try await rig.engine.figures.report(for: .overseer) == over)
    try await rig.stop()
  }

  @Test("whoever oversees one service has its figures alone; a day without chats has none")
  func sight() async throws {
    let rig = try await DeviceRig(sections: Self.sections)
    _ = try await fill(rig)
    let figures = rig.engine.figures
    let help = AgentViewer(id: "s", services: ["help"], isSupervisor: true)
    // What somebody else has been told first is none of theirs.
    #expect(try await figures.report(for: .overseer).report.total.begun == 4)
    #expect(try await figures.report(for: help).report.total.begun == 1)
    #expect(try await figures.report(for: help).report.services.map(\.name) == ["help"])
    #expect(try await figures.report(service: "sales", for: help).report.total.begun == 0)
    #expect(try await figures.report(service: "sales", for: .overseer).report.total.begun == 3)
    #expect(try await figures.report(service: "nowhere", for: .overseer).report.total.begun == 0)
    // And what they were not told does not get lost for others.
    #expect(try await figures.report(for: .overseer).report.total.begun == 4)
    for text in ["2026-02-10", "2026-02-12", "0001-01-01", "9999-12-31"] {
      let day: FigureDay = try #require(FigureDay(text))
      let report = try await figures.report(of: day, for: .overseer).report
      #expect(report.day == day && report.total.begun == 0 && report.services.isEmpty && report.agents.isEmpty)
    }
    try await rig.stop()
  }

  @Test("a chat counts as long as its instance lives; that some may be gone is said, service by service")
  func life() async throws {
    var rig = try await DeviceRig(sections: Self.sections)
    _ = try await fill(rig)
    try await rig.advance(by: .seconds(86_000))
    let late = try await rig.engine.figures.report(of: Self.day, for: .overseer)
    #expect(late.report.total.begun == 4 && !late.isComplete)
    try await rig.advance(by: .seconds(2_000))
    for isRestarted in [false, true] {
      if isRestarted { rig = try await restarted(rig) }
      let figures = rig.engine.figures
      let left = try await figures.report(of: Self.day, for: .overseer)
      #expect(left.report.total.begun == 1 && !left.isComplete, "restarted: \(isRestarted)")
      #expect(try await figures.report(of: Self.day, service: "help", for: .overseer).isComplete)
      #expect(try await figures.report(for: .overseer).report.total.begun == 0, "of the next day")
    }
    try await rig.stop()
  }

  @Test("who looks at all chats keeps none of them from its sleep, and wakes none")
  func sleep() async throws {
    let rig = try await DeviceRig(sections: Self.sections)
    _ = try await fill(rig)
    let directory = rig.engine.chats.directory
    let figures = try await rig.engine.figures.report(for: .overseer)
    #expect(directory.awakeCount == 4)
    for _ in 0..<4 {
      _ = try await rig.engine.figures.report(for: .overseer)
      _ = await rig.engine.putIdleToSleep(unusedFor: 1)
    }
    #expect(directory.awakeCount == 0 && directory.count == 4)
    #expect(try await rig.engine.figures.report(for: .overseer) == figures)
    #expect(directory.awakeCount == 0)
    try await rig.stop()
  }
}
