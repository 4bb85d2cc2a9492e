import ChatDomain
import Engine
import EventSourcing
import Foundation
import JSONEnvelope
import Journal
import JournalFormat
import PushDomain
import ScriptedClients
import SystemPackage
import Testing

@testable import EngineRigs

@Suite("Snapshots and sleep", .timeLimit(.minutes(1)))
struct SnapshotTests {
  /// Chats in all stages of life, a held client, an agent who is ready, a device that was pushed to.
  private func populate(_ rig: EngineRig) async throws -> (services: [String], client: ScriptedClient) {
    var services: [String] = []
    for number in 0..<20 {
      let service = try await rig.startChat(user: "u\(number % 7)", pushTo: number % 3 == 0 ? "device\(number)" : nil)
      services.append(service)
      _ = try await rig.engine.chats.send(service, text: "text of chat \(number)", by: .house)
      if number % 4 == 0 {
        let chat = try await rig.chatID(service)
        _ = try await rig.engine.agents.join(chat, agentID: "k", nickname: "Agent K", role: .agent)
      }
      if number % 5 == 0 { _ = try await rig.engine.chats.disconnect(service, by: .house) }
    }
    try await rig.engine.agents.setReady(AgentViewer(id: "k"), true)
    let client = ScriptedClient(rig, user: "u1")
    _ = try await client.comeOnline()
    return (services, client)
  }

  @Test("snapshot and tail give the state that full replay gives")
  func sameState() async throws {
    let directory = try EngineRig.temporaryDirectory()
    let before = try await EngineRig(directory: directory)
    let (services, _) = try await populate(before)
    try await before.engine.snapshotNow()
    for service in services.prefix(9) {
      _ = try? await before.engine.chats.send(service, text: "behind the snapshot", by: .house)
    }
    let late = try await before.startChat(user: "late")
    await before.stop()
    let bySnapshot = try await states(of: directory)

    #expect(bySnapshot.summary.snapshotPosition != nil)
    try FileManager.default.removeItem(atPath: directory.appending("journal/snapshots").string)
    let byReplay = try await states(of: directory)
    #expect(byReplay.summary.snapshotPosition == nil)
    #expect(bySnapshot.summary.records < byReplay.summary.records)
    #expect(bySnapshot.states == byReplay.states)
    #expect(bySnapshot.states.keys.contains { $0.key == late })
  }

  @Test("a damaged snapshot falls back to the one before, two damaged ones to full replay")
  func damaged() async throws {
    let directory = try EngineRig.temporaryDirectory()
    let before = try await EngineRig(directory: directory)
    let (services, _) = try await populate(before)
    let first = try await before.engine.snapshotNow()
    _ = try await before.engine.chats.send(services[1], text: "between", by: .house)
    let second = try await before.engine.snapshotNow()
    _ = try await before.engine.chats.send(services[1], text: "behind", by: .house)
    await before.stop()
    let good = try await states(of: directory)
    #expect(good.summary.snapshotPosition == second.position)

    try damage(second.file)
    let older = try await states(of: directory)
    #expect(older.summary.snapshotPosition == first.position)
    #expect(older.states == good.states)
    try damage(first.file)
    let replayed = try await states(of: directory)
    #expect(replayed.summary.snapshotPosition == nil)
    #expect(replayed.states == good.states)
  }

  @Test("chats that sleep answer, are found, get pushes, and keep their clock")
  func sleep() async throws {
    let directory = try EngineRig.temporaryDirectory()
    let rig = try await EngineRig(directory: directory)
    let (services, client) = try await populate(rig)
    let states = try await settledStates(of: rig)
    #expect(await rig.engine.putIdleToSleep(unusedFor: 0) > 20)
    #expect(try await rig.engine.capturedStates() == states)
    // It went to sleep once; the second look finds nobody awake.
    #expect(await rig.engine.putIdleToSleep(unusedFor: 0) == 0)

    let reply = try await rig.engine.chats.refresh(services[1], after: 0, message: nil, by: .house)
    #expect(reply.events.contains { $0.text == "text of chat 1" })
    let poll = try client.poll()
    _ = try await rig.engine.chats.send(services[1], text: "awake again", by: .house)
    #expect(Notification(try await poll.reply()[0])?.lines == [["Message.Text", "awake again"]])
    #expect(try await rig.engine.agents.list(AgentListQuery(.own), for: AgentViewer(id: "k")).elements.count == 4)
    await rig.stop()
  }

  @Test("a snapshot takes what sleeps along, and a restart leaves it asleep")
  func sleepingSnapshot() async throws {
    let directory = try EngineRig.temporaryDirectory()
    let before = try await EngineRig(directory: directory)
    let (services, _) = try await populate(before)
    _ = await before.engine.putIdleToSleep(unusedFor: 0)
    _ = try await before.engine.chats.send(services[2], text: "woken", by: .house)
    try await before.engine.snapshotNow()
    let states = try await before.engine.capturedStates()
    await before.stop()

    let after = try await EngineRig(directory: directory)
    #expect(try await after.engine.capturedStates() == states)
    #expect(after.engine.awakeEntities < 6)
    let reply = try await after.engine.chats.refresh(services[2], after: 0, message: nil, by: .house)
    #expect(reply.events.last?.text == "woken")
    await after.stop()
  }

  /// The states once what the process owes itself has come to rest.
  private func settledStates(of rig: EngineRig) async throws -> [EntityID: CapturedState] {
    var states = try await rig.engine.capturedStates()
    while true {
      try await rig.engine.agents.setReady(AgentViewer(id: "settling"), true)
      await Task.yield()
      let next = try await rig.engine.capturedStates()
      let isSettled = next.filter { $0.key.kind != .agent } == states.filter { $0.key.kind != .agent }
      states = next
      if isSettled, rig.engine.pushesUnderWay == 0 { return states }
    }
  }

  private struct Found {
    var summary: RecoverySummary
    var states: [EntityID: CapturedState]
  }

  private func states(of directory: FilePath) async throws -> Found {
    // A start may write: it gets a copy.
    let copy = try EngineRig.temporaryDirectory().appending("copy")
    try FileManager.default.copyItem(atPath: directory.string, toPath: copy.string)
    let rig = try await EngineRig(directory: copy)
    let found = Found(summary: rig.summary, states: try await rig.engine.capturedStates())
    await rig.stop()
    return found
  }

  private func damage(_ file: FilePath) throws {
    let handle = try FileHandle(forUpdating: URL(fileURLWithPath: file.string))
    defer { try? handle.close() }
    try handle.seek(toOffset: 5_000)
    let byte = try handle.read(upToCount: 1)?.first ?? 0
    try handle.seek(toOffset: 5_000)
    try handle.write(contentsOf: [byte ^ 1])
  }
}
