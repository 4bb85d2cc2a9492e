import EntityRuntime
import EventSourcing
import Journal
import JournalFormat
import PushDomain
import PushEngine
import SimulatedDisk
import SupportDomain
import Synchronization
import SystemPackage
import Testing

@testable import Engine
@testable import EngineRigs
@testable import SupportEngine

/// From what is said to the bytes at the provider: what has to be on the disk before, frame by frame.
@Suite("What the way of a push waits for", .timeLimit(.minutes(1)))
struct JournalTurnTests {
  /// What nobody waits for: written positions, and that a queue has what was owed. It may ride on a frame, or have one.
  private static let lazy: Set<String> = ["comet 4", "chat 24", "request 8"]

  /// The records that the journal on a disk has, of each frame that has any but those: kinds and tags.
  private static func frames(of disk: MemoryDisk) throws -> [[String]] {
    var frames: [[String]] = []
    try JournalReader(directory: "/data/journal", storage: disk).walk(
      frame: { _ in frames.append([]) },
      record: { record in
        let name = "\(EntityKind(rawValue: record.kind).name ?? "?") \(record.tag)"
        if !lazy.contains(name) { frames[frames.count - 1].append(name) }
      })
    return frames.filter { !$0.isEmpty }
  }

  /// What is there at the first call of the provider, beyond what was there before.
  private static func frames(
    _ provider: PatientProvider, on disk: MemoryDisk, during body: () async throws -> Void
  ) async throws -> ArraySlice<[String]> {
    let before = try frames(of: disk).count
    let called = provider.deliveries.count
    let seen = Mutex<[[String]]?>(nil)
    provider.answer { _ in
      seen.withLock { $0 = $0 ?? (try? frames(of: disk)) }
      return .delivered()
    }
    try await body()
    #expect(provider.deliveries.count == called + 1)
    return try #require(seen.withLock { $0 })[before...]
  }

  private static let push = ["push 1", "push 10"]

  @Test("an agent's message to a customer who is away: the chat's turn, and one of the queue's")
  func chat() async throws {
    let disk = MemoryDisk()
    let rig = try await DeviceRig(directory: "/data", storage: disk)
    let chat = try await rig.backgroundChat(user: "alice", device: "phone")
    let frames = try await Self.frames(rig.provider, on: disk) { try await rig.say("Hello?", in: chat) }
    #expect(frames.count == 2 && frames.last == Self.push)
    #expect(frames.first?.allSatisfy { $0.hasPrefix("chat ") } == true)
    try await rig.stop()
  }

  @Test("an agent's comment on a support request: the request's turn, and one of the queue's")
  func comment() async throws {
    let disk = MemoryDisk()
    let rig = try await SupportRig(directory: "/data", storage: disk)
    let ann = try await rig.user()
    try await rig.register("abcd", by: ann)
    let number = try await rig.request(by: ann)
    let ben = try await rig.agent()
    let frames = try await Self.frames(rig.provider, on: disk) { try await rig.comment("Yes?", on: number, by: ben) }
    #expect(frames.count == 2 && frames.last == Self.push)
    #expect(frames.first?.allSatisfy { $0.hasPrefix("request ") } == true)
    // What the queue has the request owes no longer.
    #expect(await rig.support.requests[String(number)]?.peek { $0.duties.isEmpty } == true)
    try await rig.stop()
  }

  @Test("where the lane has no place, its queue waits for its turn, and that is a record of its own")
  func laneIsFull() async throws {
    let disk = MemoryDisk()
    let rig = try await DeviceRig(
      directory: "/data", storage: disk,
      provider: PatientProvider { _, _ in CourierLane(id: "one", label: "one", inFlightMaximum: 1) })
    rig.provider.hold()
    try await rig.push(to: "first")
    let frames = try await Self.frames(rig.provider, on: disk) {
      try await rig.push(of: "second", to: "second")
      rig.provider.release()
      try await rig.settle()
    }
    #expect(frames.first == ["push 1"] && frames.last?.last == "push 10")
    try await rig.stop()
  }

  enum Unsent: CaseIterable {
    case expired, tooLarge, repeated, addressGone
  }

  @Test("a place that a message does not use is the next one's", arguments: Unsent.allCases)
  func givenBack(_ unsent: Unsent) async throws {
    let rig = try await DeviceRig(
      provider: PatientProvider { _, _ in CourierLane(id: "one", label: "one", inFlightMaximum: 1) })
    var sent = 0
    switch unsent {
    case .expired: try await rig.push(to: "phone", expiry: rig.time.now)
    case .tooLarge: try await rig.push(to: String(repeating: "x", count: PushLimits().contentBytesMaximum))
    case .repeated:
      try await rig.push(to: "phone")
      try await rig.push(to: "phone")
      sent = 1
    case .addressGone:
      rig.provider.answer(.unregistered(reason: "410"))
      try await rig.push(to: "phone")
      try await rig.push(2, to: "phone")
      sent = 1
    }
    #expect(rig.provider.deliveries.count == sent)
    #expect(rig.couriers.lanes().allSatisfy { $0.running == 0 && $0.waiting == 0 })
    #expect(rig.engine.pushesUnderWay == 0)
    try await rig.push(1, of: "other", to: "other")
    #expect(rig.provider.deliveries.count == sent + 1 && rig.provider.deliveries.last?.message.producer == "other")
    try await rig.stop()
  }

  @Test("a full disk takes no place: the push comes with room, and its lane is free for it")
  func diskFull() async throws {
    let disk = MemoryDisk()
    let rig = try await DeviceRig(
      directory: "/data", storage: disk, segmentByteCount: 64 * 1024,
      provider: PatientProvider { _, _ in CourierLane(id: "one", label: "one", inFlightMaximum: 1) })
    disk.capacity = disk.usedByteCount
    try await rig.fillDisk()
    try await rig.push(to: "phone")
    #expect(rig.provider.deliveries.isEmpty && rig.engine.pushesUnderWay == 0)
    #expect(rig.couriers.lanes().allSatisfy { $0.running == 0 && $0.waiting == 0 })
    disk.capacity = .max
    while rig.provider.deliveries.isEmpty { try await rig.advance(by: .seconds(1)) }
    try await rig.settle()
    #expect(rig.provider.deliveries.map(\.attempt) == [1])
    #expect(rig.couriers.lanes().allSatisfy { $0.running == 0 && $0.waiting == 0 })
    try await rig.stop()
  }

  @Test("a kill before its answer repeats the attempt, under the same name, and says so")
  func killed() async throws {
    let rig = try await DeviceRig()
    rig.provider.hold()
    try await rig.push(to: "phone")
    await rig.kill()
    let after = try await rig.restarted()
    #expect(after.provider.deliveries.map(\.attempt) == [1])
    #expect(after.provider.deliveries.map(\.id) == rig.provider.deliveries.map(\.id))
    let began = try after.events(.pushQueue, as: PushEvent.self).compactMap { event in
      if case .attemptBegan(_, _, let isRepetition) = event { isRepetition } else { nil }
    }
    #expect(began == [false, true])
    try await after.stop()
  }

  @Test("those who wait for the lane are not overtaken by whoever comes with a queue of its own")
  func order() async throws {
    let rig = try await DeviceRig(
      provider: PatientProvider { _, _ in CourierLane(id: "one", label: "one", inFlightMaximum: 2) })
    rig.provider.hold()
    for number in 0..<4 { try await rig.push(of: "p\(number)", to: "device-\(number)") }
    rig.provider.release()
    try await rig.settle()
    try await rig.push(of: "late", to: "late", priority: .normal)
    rig.provider.answer { _ in .delivered() }
    rig.provider.releaseAll()
    try await rig.settle()
    #expect(rig.provider.deliveries.map(\.message.producer) == ["p0", "p1", "p2", "p3", "late"])
    try await rig.stop()
  }
}
