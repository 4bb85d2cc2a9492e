import ChatDomain
import EntityRuntime
import EventSourcing
import Foundation
import Journal
import PushDomain
import ScriptedClients
import SimulatedDisk
import Synchronization
import SystemPackage
import Testing

@testable import Engine
@testable import EngineRigs
@testable import PushEngine

@Suite("Registry of devices", .timeLimit(.minutes(1)))
struct DeviceRegistryTests {
  // MARK: Registration

  @Test("a first registration is new, a repetition is not and moves the time")
  func repeated() async throws {
    let rig = try await DeviceRig()
    let registration = DeviceRig.registration("token-of-alice", owner: "alice", app: "shop", platform: "ios")
    let (first, isNew) = try await rig.devices.register(registration)
    #expect(isNew)
    #expect(first.registration == registration)
    #expect(first.registeredAt == DeviceRig.start && first.ending == nil)
    #expect(first.id == rig.key("token-of-alice"))

    try await rig.advance(by: .seconds(60))
    let (second, isNewAgain) = try await rig.devices.register(registration)
    #expect(!isNewAgain)
    #expect(second.registration == registration)
    #expect(second.registeredAt == rig.time.now && second.firstRegisteredAt == DeviceRig.start)
    #expect(try rig.events(.device, as: DeviceEvent.self).map(\.tag) == [1, 6])
    try await rig.stop()
  }

  @Test("what a later registration leaves open stays; blanks and brackets of a token make no other device")
  func completed() async throws {
    let rig = try await DeviceRig()
    let full = DeviceRig.registration("9f1c", owner: "alice", app: "shop", platform: "ios", language: "de")
    let (first, _) = try await rig.devices.register(full)
    let (second, isNew) = try await rig.devices.register(DeviceRig.registration("<9f 1c>"))
    #expect(!isNew)
    #expect(second == first)
    try await rig.stop()
  }

  @Test(
    "an identifier that names no device is refused",
    arguments: ["", " <> ", "a\tb", String(repeating: "a", count: 4_097)])
  func unusable(token: String) async throws {
    let rig = try await DeviceRig()
    let error = await #expect(throws: EngineError.self) { try await rig.register(token, owner: "alice") }
    guard case .invalid(field: "identifier", _) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(try await rig.devices.list(DeviceFilter()).isEmpty)
    try await rig.stop()
  }

  @Test("an owner has so many devices, and no more; also not by taking over another's")
  func limitByOwner() async throws {
    let rig = try await DeviceRig { $0.limits.devicesByOwnerMaximum = 2 }
    try await rig.register("a1", owner: "alice")
    try await rig.register("a2", owner: "alice")
    await #expect(throws: EngineError.limitReached("devices_by_owner")) { try await rig.register("a3", owner: "alice") }
    try await rig.register("b1", owner: "bob")
    await #expect(throws: EngineError.limitReached("devices_by_owner")) { try await rig.register("b1", owner: "alice") }
    // What is known may be repeated.
    try await rig.register("a1", owner: "alice")
    #expect(try await rig.devices.list(DeviceFilter(owner: "alice")).count == 2)
    #expect(try await rig.devices.list(DeviceFilter(owner: "bob")).count == 1)
    try await rig.stop()
  }

  @Test("the registry has so many devices, and no more")
  func limit() async throws {
    let rig = try await DeviceRig { $0.limits.devicesMaximum = 1 }
    try await rig.register("a1", owner: "alice")
    await #expect(throws: EngineError.limitReached("devices")) { try await rig.register("b1", owner: "bob") }
    try await rig.register("a1", owner: "alice")
    try await rig.stop()
  }

  @Test("a registration that the disk had no room for is new when it comes again")
  func diskFull() async throws {
    let disk = MemoryDisk()
    disk.capacity = 2 * 64 * 1024 + 16_384
    let rig = try await DeviceRig(directory: "/data", storage: disk, segmentByteCount: 64 * 1024)
    var number = 0
    var refusal: EngineError?
    while refusal == nil, number < 100_000 {
      number += 1
      do throws(EngineError) { _ = try await rig.devices.register(Self.large(number)) } catch { refusal = error }
    }
    #expect(refusal == .storageFull)
    #expect(try await rig.devices.list(DeviceFilter(), limit: 500).count == min(number - 1, 500))
    disk.capacity = .max
    var isNew: Bool?
    while isNew == nil {
      do throws(EngineError) { isNew = try await rig.devices.register(Self.large(number)).isNew } catch {
        #expect(error == .storageFull)
        await Task.yield()
      }
    }
    #expect(isNew == true)
    try await rig.stop()
  }

  /// 2 KiB that do not shrink.
  private static func large(_ number: Int) -> DeviceRegistration {
    var state = UInt64(number) &* 0x9E37_79B9_7F4A_7C15 | 1
    let token = (0..<2_000).map { _ -> UInt8 in
      state ^= state << 13
      state ^= state >> 7
      state ^= state << 17
      return UInt8(65 + state % 57)
    }
    return DeviceRig.registration("\(number)-" + String(decoding: token, as: UTF8.self))
  }

  // MARK: Another owner

  @Test("a token that moves to another owner takes nothing along of what waits for the former one")
  func moved() async throws {
    let rig = try await DeviceRig()
    try await rig.register("phone", owner: "alice")
    rig.provider.answer(.retryable(reason: "503 busy"))
    try await rig.push(1, of: "for-alice", to: "phone", owner: "alice")
    try await rig.push(1, of: "for-all", to: "phone", expiry: rig.time.now.advanced(by: .seconds(3_600)))
    #expect(await rig.queued("phone") == 1)

    rig.provider.answer(.retryable(reason: "503 busy"), .retryable(reason: "503 busy"))
    try await rig.push(2, of: "for-alice", to: "phone", owner: "alice")
    try await rig.push(2, of: "for-all", to: "phone")
    #expect(await rig.queued("phone") == 3)
    let (view, isNew) = try await rig.devices.register(DeviceRig.registration("phone", owner: "bob"))
    #expect(!isNew && view.registration.owner == "bob")
    try await rig.settle()
    #expect(await rig.queued("phone") == 1)
    let refused = FinalPushOutcome.refused(reason: "the device has another owner now")
    #expect(try rig.ends() == [.delivered, refused, refused])
    #expect(try await rig.devices.list(DeviceFilter(owner: "alice")).isEmpty)
    #expect(try await rig.devices.list(DeviceFilter(owner: "bob")).map(\.id) == [view.id])

    for _ in 0..<3 { try await rig.advance(by: .seconds(60)) }
    #expect(rig.provider.deliveries.filter { $0.message.owner == "alice" }.count == 1)
    #expect(try rig.ends().count == 4)
    try await rig.stop()
  }

  @Test("a push in flight ends as well; a dead letter of the former owner is gone")
  func movedInFlight() async throws {
    let rig = try await DeviceRig()
    try await rig.register("phone", owner: "alice")
    rig.provider.answer(.refused(reason: "413 PayloadTooLarge"))
    try await rig.push(1, to: "phone", owner: "alice")
    #expect(await rig.couriers.deadLetters().count == 1)
    rig.provider.hold()
    try await rig.push(2, to: "phone", owner: "alice")
    #expect(rig.provider.heldCount == 1)
    try await rig.register("phone", owner: "bob")
    try await rig.settle()
    #expect(await rig.couriers.deadLetters().isEmpty)
    #expect(await rig.queued("phone") == 0)
    // The answer that still comes finds nothing.
    rig.provider.release(.retryable(reason: "503"))
    try await rig.settle()
    try await rig.advance(by: .seconds(3_600))
    #expect(rig.provider.deliveries.count == 2)
    try await rig.stop()
  }

  @Test("a URL may be many people's: nothing of it ends with another registration")
  func sharedAddress() async throws {
    let rig = try await DeviceRig()
    try await rig.register("https://example.org/a", owner: "alice", type: "httpcb")
    rig.provider.answer(.retryable(reason: "503 busy"))
    try await rig.push(to: "https://example.org/a", owner: "alice", type: "httpcb")
    try await rig.register("https://example.org/a", owner: "bob", type: "httpcb")
    try await rig.advance(by: .seconds(60))
    #expect(try rig.ends() == [.delivered])
    #expect(rig.provider.deliveries.count == 2)
    try await rig.stop()
  }

  @Test("a token of another owner gets no push of a chat, and the chat owes it no longer")
  func chatOfAnother() async throws {
    let rig = try await DeviceRig()
    let chat = try await rig.backgroundChat(user: "alice", device: "phone")
    #expect(rig.provider.deliveries.count == 1)
    try await rig.register("phone", owner: "bob")
    try await rig.say("for alice alone", in: chat)
    #expect(rig.provider.deliveries.count == 1)
    #expect(await rig.owed(chat) == 0)
    #expect(try rig.ends() == [.delivered, .refused(reason: "the device has another owner now")])
    // It is hers again, by a chat that she starts there.
    _ = try await rig.rig.startChat(user: "alice", pushTo: "phone")
    try await rig.say("again", in: chat)
    #expect(rig.provider.deliveries.count == 2)
    try await rig.stop()
  }

  @Test("a chat that was not told before a crash is told after it, though the token is another's by then")
  func chatOfAnotherAfterCrash() async throws {
    let disk = MemoryDisk()
    let before = try await DeviceRig(directory: "/data", storage: disk)
    let chat = try await before.backgroundChat(user: "alice", device: "phone")
    try await before.register("phone", owner: "bob")
    // Every state that a kill could leave between the request of the push and the chat's knowing of its end.
    let states = Mutex<[MemoryDisk]>([])
    disk.set { call, moment in
      guard moment == .after, call.operation.rawValue.contains("write") else { return }
      let left = disk.crash()
      states.withLock { $0.append(left) }
    }
    try await before.say("for alice alone", in: chat)
    disk.set(hook: nil)
    try await before.stop()

    let left = states.withLock { $0 }
    #expect(!left.isEmpty)
    for disk in left {
      let after = try await DeviceRig(directory: "/data", storage: disk)
      #expect(await after.owed(chat) == 0)
      #expect(after.provider.deliveries.isEmpty)
      try await after.stop()
    }
  }

  @Test("whenever a kill comes while a token moves: what waits for the former owner is never sent to the new one")
  func movedBeforeCrash() async throws {
    let disk = MemoryDisk()
    let before = try await DeviceRig(directory: "/data", storage: disk)
    try await before.register("phone", owner: "alice")
    before.provider.answer { _ in .retryable(reason: "503 busy") }
    try await before.push(to: "phone", owner: "alice", attempts: 50)
    let states = Mutex<[MemoryDisk]>([])
    disk.set { call, moment in
      guard moment == .after, call.operation.rawValue.contains("write") else { return }
      let left = disk.crash()
      states.withLock { $0.append(left) }
    }
    try await before.register("phone", owner: "bob")
    try await before.settle()
    disk.set(hook: nil)
    await before.kill()

    let left = states.withLock { $0 }
    #expect(left.count > 1)
    var moved = 0
    for disk in left {
      let after = try await DeviceRig(directory: "/data", storage: disk)
      let owner = try await after.devices.device(after.key("phone")).registration.owner
      try await after.advance(by: .seconds(60))
      if owner == "bob" {
        moved += 1
        #expect(after.provider.deliveries.isEmpty)
        #expect(await after.queued("phone") == 0)
      } else {
        #expect(after.provider.deliveries.count == 1)
      }
      try await after.stop()
    }
    #expect(moved > 0)
  }

  // MARK: End and revival

  @Test("its owner ends a device: what waits is not sent; somebody else cannot")
  func endedByOwner() async throws {
    let rig = try await DeviceRig()
    let device = try await rig.register("phone", owner: "alice")
    rig.provider.answer(.retryable(reason: "503 busy"))
    try await rig.push(1, to: "phone", owner: "alice")
    await #expect(throws: EngineError.unknownDevice) {
      try await rig.devices.end(device.id, reason: "unregistered by its owner", owner: "bob")
    }
    #expect(await rig.queued("phone") == 1)
    try await rig.devices.end(device.id, reason: "unregistered by its owner", owner: "alice")
    try await rig.settle()
    #expect(await rig.queued("phone") == 0)
    try await rig.push(2, to: "phone", owner: "alice")
    try await rig.advance(by: .seconds(600))
    #expect(rig.provider.deliveries.count == 1)
    let gone = FinalPushOutcome.unregistered(reason: "unregistered by its owner")
    #expect(try rig.ends() == [gone, gone])
    let ending = try await rig.devices.device(device.id).ending
    #expect(ending?.reason == "unregistered by its owner" && ending?.at == DeviceRig.start)
    // Once more changes nothing.
    try await rig.devices.end(device.id, reason: "again")
    #expect(try await rig.devices.device(device.id).ending == ending)
    try await rig.stop()
  }

  @Test("a device that ended before anything was pushed to it gets nothing: no push of a chat, none of an operator")
  func endedBeforeFirstPush() async throws {
    let rig = try await DeviceRig()
    let service = try await rig.rig.startChat(user: "alice", pushTo: "phone")
    try await rig.settle()
    try await rig.devices.end(rig.key("phone"), reason: "ended by the operator")
    let client = ScriptedClient(rig.rig, user: "alice")
    _ = try await client.comeOnline()
    _ = try await client.disconnect(position: 1)
    let chatID = try await rig.rig.chatID(service)
    _ = try await rig.engine.agents.join(chatID, agentID: "k", nickname: "K", role: .agent)
    try await rig.settle()
    #expect(rig.provider.deliveries.isEmpty)
    #expect(await rig.owed(DeviceRig.BackgroundChat(service: service, chatID: chatID)) == 0)
    let (_, end) = try await rig.couriers.push(CourierService.Order(), to: rig.key("phone"), waitingFor: .seconds(5))
    #expect(end?.outcome == .unregistered(reason: "ended by the operator") && end?.attempts == 0)
    #expect(rig.provider.deliveries.isEmpty)
    try await rig.stop()
  }

  @Test("the operator ends a device, a provider too; a registration gives it back its life")
  func revived() async throws {
    let rig = try await DeviceRig()
    let device = try await rig.register("phone", owner: "alice")
    try await rig.devices.end(device.id, reason: "ended by the operator")
    #expect(try await rig.devices.device(device.id).ending?.reason == "ended by the operator")
    let (again, isNew) = try await rig.devices.register(DeviceRig.registration("phone", owner: "alice"))
    #expect(!isNew && again.ending == nil)
    try await rig.push(1, to: "phone", owner: "alice")
    #expect(try rig.ends() == [.delivered])

    rig.provider.answer(.unregistered(reason: "410 Unregistered"))
    try await rig.push(2, to: "phone", owner: "alice")
    #expect(try await rig.devices.device(device.id).ending?.reason == "410 Unregistered")
    try await rig.push(3, to: "phone", owner: "alice")
    #expect(rig.provider.deliveries.count == 2)
    try await rig.advance(by: .seconds(1))
    try await rig.register("phone", owner: "alice")
    try await rig.push(4, to: "phone", owner: "alice")
    let gone = FinalPushOutcome.unregistered(reason: "410 Unregistered")
    #expect(try rig.ends() == [.delivered, gone, gone, .delivered])
    try await rig.stop()
  }

  @Test("a chat that starts on it gives an ended device back its life, too")
  func revivedByChat() async throws {
    let rig = try await DeviceRig()
    let chat = try await rig.backgroundChat(user: "alice", device: "phone")
    try await rig.devices.end(rig.key("phone"), reason: "unregistered by its owner", owner: "alice")
    try await rig.say("nobody sees it", in: chat)
    #expect(rig.provider.deliveries.count == 1)
    #expect(await rig.owed(chat) == 0)
    _ = try await rig.rig.startChat(user: "alice", pushTo: "phone")
    try await rig.say("she does", in: chat)
    #expect(rig.provider.deliveries.count == 2)
    #expect(try await rig.devices.device(rig.key("phone")).ending == nil)
    try await rig.stop()
  }

  @Test("the start of a chat registers its device, with the service as its app")
  func implicit() async throws {
    let rig = try await DeviceRig()
    _ = try await rig.rig.startChat(user: "alice", pushTo: "<ph one>")
    _ = try await rig.rig.startChat(user: "bob")
    try await rig.settle()
    let views = try await rig.devices.list(DeviceFilter())
    #expect(views.map(\.registration) == [DeviceRig.registration("phone", owner: "alice", app: "request-chat")])
    try await rig.stop()
  }

  // MARK: Another address

  @Test("a provider names another address: the next push of the chat goes there, in the same language")
  func replaced() async throws {
    let rig = try await DeviceRig()
    let chat = try await rig.backgroundChat(user: "alice", device: "old-token")
    rig.provider.answer(.delivered(id: "m-1", replacement: "new-token"))
    try await rig.say("one", in: chat)
    try await rig.say("two", in: chat)
    #expect(rig.provider.deliveries.map(\.message.target.deviceID) == ["old-token", "old-token", "new-token"])
    let old = try await rig.devices.device(rig.key("old-token"))
    #expect(old.ending?.reason == "replaced by the provider")
    let new = try await rig.devices.device(rig.key("new-token"))
    #expect(new.registration == DeviceRig.registration("new-token", owner: "alice", app: "request-chat"))
    #expect(new.ending == nil)

    // The one after that, after a restart, too; and a second change is followed.
    let after = try await restart(rig)
    after.provider.answer(.delivered(replacement: "newer-token"))
    try await after.say("three", in: chat)
    try await after.say("four", in: chat)
    #expect(after.provider.deliveries.map(\.message.target.deviceID) == ["new-token", "newer-token"])
    try await after.stop()
  }

  private func restart(_ rig: DeviceRig) async throws -> DeviceRig {
    try await rig.stop()
    return try await rig.restarted()
  }

  // MARK: Lists

  @Test("devices are found by owner, type and life, page by page, in the order of their ids")
  func lists() async throws {
    let rig = try await DeviceRig()
    for number in 0..<7 { try await rig.register("a\(number)", owner: "alice") }
    for number in 0..<3 { try await rig.register("https://example.org/\(number)", owner: "alice", type: "httpcb") }
    for number in 0..<5 { try await rig.register("b\(number)", owner: "bob") }
    try await rig.register("nobody")
    try await rig.devices.end(rig.key("a0"), reason: "gone")
    try await rig.devices.end(rig.key("b0"), reason: "gone")
    func count(_ filter: DeviceFilter) async throws -> Int { try await rig.devices.list(filter).count }
    #expect(try await count(DeviceFilter()) == 16)
    #expect(try await count(DeviceFilter(owner: "alice")) == 10)
    #expect(try await count(DeviceFilter(owner: "nobody")) == 0)
    #expect(try await count(DeviceFilter(type: "httpcb")) == 3)
    #expect(try await count(DeviceFilter(owner: "alice", type: "test", isLive: true)) == 6)
    #expect(try await count(DeviceFilter(isLive: false)) == 2)
    let counts = rig.devices.counts().map { "\($0.type) \($0.isLive) \($0.count)" }
    #expect(counts == ["httpcb true 3", "test true 11", "test false 2"])

    var pages: [[String]] = []
    while pages.last?.count != 0 {
      pages.append(
        try await rig.devices.list(DeviceFilter(owner: "alice"), after: pages.last?.last ?? "", limit: 4).map(\.id))
    }
    #expect(pages.map(\.count) == [4, 4, 2, 0])
    let all = pages.flatMap(\.self)
    #expect(all == all.sorted() && Set(all).count == 10)

    // To others, another's device is as unknown as none.
    await #expect(throws: EngineError.unknownDevice) { try await rig.devices.device(rig.key("a1"), owner: "bob") }
    await #expect(throws: EngineError.unknownDevice) { try await rig.devices.device("0123") }
    #expect(try await rig.devices.device(rig.key("a1"), owner: "alice").registration.owner == "alice")
    try await rig.stop()
  }

  @Test("the list of one page is bounded, whatever is asked for")
  func pageBound() async throws {
    let rig = try await DeviceRig { $0.limits.listMaximum = 3 }
    for number in 0..<5 { try await rig.register("a\(number)", owner: "alice") }
    #expect(try await rig.devices.list(DeviceFilter(), limit: 1_000).count == 3)
    #expect(try await rig.devices.list(DeviceFilter(), limit: -1).count == 1)
    try await rig.stop()
  }

  // MARK: Restarts

  @Test("registry, lists and counts survive a restart, by replay and by snapshot, asleep or awake")
  func restarts() async throws {
    let rig = try await DeviceRig()
    for number in 0..<6 { try await rig.register("a\(number)", owner: number < 4 ? "alice" : "bob") }
    try await rig.devices.end(rig.key("a0"), reason: "gone")
    rig.provider.answer(.refused(reason: "400 BadTopic"), .refused(reason: "400 BadTopic"))
    try await rig.push(1, to: "a1", owner: "alice")
    try await rig.push(1, to: "a2", owner: "alice")
    let before = try await Overview(rig)
    #expect(before.letters.count == 2)
    try await rig.stop()

    let replayed = try await rig.restarted()
    #expect(replayed.rig.summary.snapshotPosition == nil)
    #expect(try await Overview(replayed) == before)
    _ = await replayed.engine.putIdleToSleep(unusedFor: 0)
    try await replayed.engine.snapshotNow()
    #expect(try await Overview(replayed) == before)
    try await replayed.stop()

    let restored = try await rig.restarted()
    #expect(restored.rig.summary.snapshotPosition != nil && restored.rig.summary.records == 0)
    #expect(restored.engine.devices.directory.awakeCount == 0 && restored.engine.queues.awakeCount == 0)
    #expect(restored.couriers.dispatcher.deadLetters.total == 2)
    #expect(restored.devices.counts().map(\.count) == replayed.devices.counts().map(\.count))
    #expect(try await Overview(restored) == before)
    // What sleeps goes on where it was.
    try await restored.couriers.retryDeadLetter(before.letters[0].id, of: before.letters[0].device)
    try await restored.settle()
    #expect(restored.provider.deliveries.map(\.id) == [before.letters[0].uuid])
    #expect(restored.couriers.dispatcher.deadLetters.total == 1)
    try await restored.stop()
  }

  private struct Overview: Equatable {
    let devices: [DeviceView]
    let alice: [String]
    let live: [String]
    let counts: [String]
    let letters: [DeadLetterView]

    init(_ rig: DeviceRig) async throws {
      devices = try await rig.devices.list(DeviceFilter())
      alice = try await rig.devices.list(DeviceFilter(owner: "alice")).map(\.id)
      live = try await rig.devices.list(DeviceFilter(isLive: true)).map(\.id)
      counts = rig.devices.counts().map { "\($0.type) \($0.isLive) \($0.count)" }
      letters = await rig.couriers.deadLetters()
    }
  }
}
