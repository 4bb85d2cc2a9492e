import ChatDomain
import EntityRuntime
import EventSourcing
import Journal
import SimulatedDisk
import Synchronization
import SystemPackage
import Testing

@testable import Engine
@testable import EngineKit
@testable import EngineRigs

@Suite("A server that waits for a standby", .timeLimit(.minutes(1)))
struct StandbyWaitTests {
  /// Has what is on the primary's disk the moment it is there, while it follows.
  private final class Standby: Sendable {
    private let partition: Partition
    private let isThere = Mutex(true)

    init(_ rig: EngineRig) {
      partition = rig.engine.partition
      partition.onDurable { [self] extent in
        if isThere.withLock({ $0 }) { partition.wasAcknowledged(extent.position) }
      }
      come()
    }

    func go() { isThere.withLock { $0 = false } }

    func come() {
      isThere.withLock { $0 = true }
      partition.wasAcknowledged(partition.durableExtent?.position ?? 0)
    }

    /// Returns once so many wait for it.
    func isAwaited(by count: Int) async throws {
      let hold = try #require(partition.log.hold)
      while !Task.isCancelled, hold.count < count { await Task.yield() }
    }
  }

  private let disk = MemoryDisk()
  private let time = ManualTime(start: Timestamp(milliseconds: 1_700_000_000_000))

  private func rig(waits: Bool = true) async throws -> EngineRig {
    try await EngineRig(directory: "/data", storage: disk, time: time) {
      $0.standby.waits = waits
      $0.standby.waitLimit = .seconds(10)
    }
  }

  private func texts(_ rig: EngineRig, _ service: String) async throws(EngineError) -> Int {
    try await rig.engine.chats.refresh(service, after: 0, message: nil, by: .house).events
      .filter { $0.type == .messageText }.count
  }

  @Test("nothing is told before the standby has it, and past the limit changes and reads are refused until it has")
  func waits() async throws {
    let rig = try await rig()
    let standby = Standby(rig)
    let service = try await rig.startChat(user: "u1")
    #expect(try await texts(rig, service) == 0)

    standby.go()
    let isTold = Mutex(0)
    async let first = try rig.engine.chats.send(service, text: "one", by: .house)
    try await standby.isAwaited(by: 1)
    async let read: Int = { () async throws in
      defer { isTold.withLock { $0 += 1 } }
      return try await texts(rig, service)
    }()
    try await standby.isAwaited(by: 2)
    #expect(isTold.withLock { $0 } == 0)
    time.advance(by: .milliseconds(10_001))
    await #expect(throws: EngineError.limitReached("journal")) {
      _ = try await rig.engine.chats.send(service, text: "two", by: .house)
    }
    await #expect(throws: EngineError.limitReached("journal")) { _ = try await texts(rig, service) }
    #expect(isTold.withLock { $0 } == 0)

    standby.come()
    _ = try await first
    #expect(try await read == 1)
    _ = try await rig.engine.chats.send(service, text: "three", by: .house)
    #expect(try await texts(rig, service) == 2)
    await rig.stop()
  }

  @Test("a stop without the standby tells who waits that it may be lost; the record is there after the start")
  func stops() async throws {
    let rig = try await rig()
    let standby = Standby(rig)
    let service = try await rig.startChat(user: "u1")
    standby.go()
    async let sent: EngineError? = {
      do throws(EngineError) {
        _ = try await rig.engine.chats.send(service, text: "one", by: .house)
        return nil
      } catch { return error }
    }()
    try await standby.isAwaited(by: 1)
    await rig.stop(grace: .zero)
    #expect(await sent == .unavailable)
    let again = try await self.rig(waits: false)
    #expect(try await texts(again, service) == 1)
    await again.stop()
  }

  @Test("what was there before a start is told once a standby has it")
  func restarted() async throws {
    let before = try await rig(waits: false)
    let service = try await before.startChat(user: "u1")
    _ = try await before.engine.chats.send(service, text: "one", by: .house)
    await before.stop()
    let rig = try await rig()
    async let read = texts(rig, service)
    let hold = try #require(rig.engine.partition.log.hold)
    while !Task.isCancelled, hold.count < 1 { await Task.yield() }
    let standby = Standby(rig)
    #expect(try await read == 1)
    standby.come()
    await rig.stop()
  }

  @Test("a standby that says it has more than it was sent releases no more than is on this disk")
  func boastful() async throws {
    let rig = try await rig()
    rig.engine.partition.wasAcknowledged(.max)
    let hold = try #require(rig.engine.partition.log.hold)
    async let service = rig.engine.chats.create(service: "request-chat", data: [])
    while !Task.isCancelled, hold.count < 1 { await Task.yield() }
    _ = Standby(rig)
    _ = try await service
    await rig.stop()
  }

  @Test("without the option nobody is waited for, and there is nothing to wait at")
  func off() async throws {
    let rig = try await rig(waits: false)
    #expect(rig.engine.partition.log.hold == nil && !rig.engine.partition.waitsForStandby)
    #expect(try await texts(rig, rig.startChat(user: "u1")) == 0)
    await rig.stop()
  }
}
