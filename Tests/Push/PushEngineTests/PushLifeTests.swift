import ChatDomain
import EntityRuntime
import EventSourcing
import PushDomain
import SimulatedDisk
import Synchronization
import SystemPackage
import Testing

@testable import Engine
@testable import EngineRigs

@Suite("The life of a push", .timeLimit(.minutes(1)))
struct PushLifeTests {
  // MARK: The operator's

  @Test("the operator's push waits for its end, and names it as the provider knows it")
  func operatorsPush() async throws {
    let rig = try await DeviceRig()
    let device = try await rig.register("phone", owner: "alice")
    rig.provider.answer(.delivered(id: "m-1"))
    var order = CourierService.Order()
    order.display.body = "Hello"
    order.data = Array(#"{"a":1}"#.utf8)
    let (id, end) = try await rig.couriers.push(order, to: device.id, waitingFor: .seconds(5))
    #expect(end?.outcome == .delivered && end?.attempts == 1)
    let delivery = try #require(rig.provider.deliveries.first)
    #expect(delivery.id == id && delivery.attempt == 1)
    #expect(delivery.message.display?.body == "Hello" && delivery.message.form == .members)
    #expect(delivery.message.content == Array(#"{"a":1}"#.utf8))
    #expect(delivery.message.owner == "alice" && delivery.message.registeredAt == DeviceRig.start)

    rig.provider.answer(.refused(reason: "400 BadTopic"))
    let (other, refusal) = try await rig.couriers.push(order, to: device.id, waitingFor: .seconds(5))
    #expect(other != id)
    #expect(refusal?.outcome == .refused(reason: "400 BadTopic"))
    try await rig.stop()
  }

  @Test("how long a chat's push is worth sending comes from its provider's section")
  func lifetimeOfProvider() async throws {
    let rig = try await DeviceRig(sections: [
      "service.request-chat": ["_provider_name": "shop", "_client_timeout_notification": "0"],
      "push.provider.shop": ["push.time_to_live": "60"],
    ])
    rig.provider.hold()
    let chat = try await rig.backgroundChat(user: "alice", device: "phone")
    try await rig.say("Hello?", in: chat)
    await rig.provider.reaches(1)
    let message = try #require(rig.provider.deliveries.first?.message)
    #expect(message.expiry == rig.time.now.advanced(by: .seconds(60)))
    rig.provider.releaseAll()
    try await rig.stop()
  }

  @Test("it gives up waiting, by the clock of the house, while the push goes on")
  func operatorsPushTimesOut() async throws {
    let rig = try await DeviceRig()
    let device = try await rig.register("phone", owner: "alice")
    rig.provider.hold()
    let couriers = rig.couriers
    async let answer = couriers.push(CourierService.Order(), to: device.id, waitingFor: .seconds(5))
    await rig.provider.reaches(1)
    try await rig.advance(by: .seconds(6))
    let (id, end) = try await answer
    #expect(end == nil)
    rig.provider.release()
    try await rig.settle()
    #expect(try rig.ends() == [.delivered])
    #expect(rig.provider.deliveries.map(\.id) == [id])
    try await rig.stop()
  }

  @Test("what stands in its way is said at once, and nothing is queued")
  func obstacle() async throws {
    let rig = try await DeviceRig()
    let device = try await rig.register("phone", owner: "alice")
    rig.provider.obstruct("not set: apple.topic")
    await #expect(throws: EngineError.invalid(field: "device", reason: "not set: apple.topic")) {
      try await rig.couriers.push(CourierService.Order(), to: device.id, waitingFor: .seconds(5))
    }
    await #expect(throws: EngineError.unknownDevice) {
      try await rig.couriers.push(CourierService.Order(), to: "0123", waitingFor: .seconds(5))
    }
    var order = CourierService.Order()
    order.data = Array(repeating: 32, count: 16_385)
    rig.provider.obstruct(nil)
    await #expect(throws: EngineError.self) {
      try await rig.couriers.push(order, to: device.id, waitingFor: .seconds(5))
    }
    let other = try await rig.devices.register(DeviceRig.registration("phone", type: "smoke-signal")).0
    await #expect(throws: EngineError.invalid(field: "device", reason: "type is not in pushEnabled")) {
      try await rig.couriers.push(CourierService.Order(), to: other.id, waitingFor: .seconds(5))
    }
    #expect(try rig.events(.pushQueue, as: PushEvent.self).isEmpty)
    try await rig.stop()
  }

  @Test("a chat whose provider cannot be used goes on without pushes")
  func obstacleOfChat() async throws {
    let rig = try await DeviceRig()
    rig.provider.obstruct("not set: apple.topic")
    let chat = try await rig.backgroundChat(user: "alice", device: "phone")
    #expect(rig.provider.deliveries.isEmpty)
    #expect(await rig.owed(chat) == 0)
    rig.provider.obstruct(nil)
    try await rig.say("now it can", in: chat)
    #expect(rig.provider.deliveries.count == 1)
    try await rig.stop()
  }

  @Test("if there is no room for another queue, the operator is told at once")
  func noQueue() async throws {
    let rig = try await DeviceRig { $0.limits.pushQueuesMaximum = 1 }
    let first = try await rig.register("phone", owner: "alice")
    let second = try await rig.register("other", owner: "bob")
    _ = try await rig.couriers.push(CourierService.Order(), to: first.id, waitingFor: .seconds(5))
    await #expect(throws: EngineError.limitReached("push_queues")) {
      try await rig.couriers.push(CourierService.Order(), to: second.id, waitingFor: .seconds(5))
    }
    try await rig.stop()
  }

  // MARK: Attempts

  @Test("each attempt has its number, and all have one UUID; the third failure is the last")
  func attempts() async throws {
    let rig = try await DeviceRig()
    rig.provider.answer { _ in .retryable(reason: "503 busy") }
    try await rig.push(to: "phone")
    #expect(rig.provider.deliveries.count == 1)
    try await rig.advance(by: .seconds(2))
    try await rig.advance(by: .seconds(10))
    try await rig.advance(by: .seconds(600))
    #expect(rig.provider.deliveries.map(\.attempt) == [1, 2, 3])
    #expect(Set(rig.provider.deliveries.map(\.id)) == [PushUUID.text(of: PushID(producer: "producer", number: 1))])
    #expect(try rig.ends() == [.failed(reason: "503 busy")])
    try await rig.stop()
  }

  @Test("an operator's schedule takes the place of the pauses")
  func schedule() async throws {
    let rig = try await DeviceRig(sections: ["push": ["push.retry_schedule": "5,50"]])
    rig.provider.answer { _ in .retryable(reason: "503 busy") }
    try await rig.push(to: "phone", attempts: 9)
    // A fifth more or less: 4 to 6 seconds, then 40 to 60.
    try await rig.advance(by: .seconds(3))
    #expect(rig.provider.deliveries.count == 1)
    try await rig.advance(by: .seconds(4))
    #expect(rig.provider.deliveries.count == 2)
    try await rig.advance(by: .seconds(38))
    #expect(rig.provider.deliveries.count == 2)
    try await rig.advance(by: .seconds(23))
    #expect(rig.provider.deliveries.count == 3)
    #expect(try rig.ends() == [.failed(reason: "503 busy")])
    try await rig.stop()
  }

  @Test("a schedule that is none is not followed", arguments: ["inf", "nan", "-5", "1e300", "soon", ",,"])
  func badSchedule(text: String) async throws {
    let rig = try await DeviceRig(sections: ["push": ["push.retry_schedule": text]])
    rig.provider.answer(.retryable(reason: "503 busy"))
    try await rig.push(to: "phone")
    try await rig.advance(by: .seconds(2))
    #expect(rig.provider.deliveries.map(\.attempt) == [1, 2])
    try await rig.stop()
  }

  @Test("an attempt is in the journal before it is made")
  func recordedFirst() async throws {
    let disk = MemoryDisk()
    let rig = try await DeviceRig(directory: "/data", storage: disk)
    let seen = Mutex<[Int]>([])
    rig.provider.answer { [rig] _ in
      let began = try? rig.events(.pushQueue, as: PushEvent.self, storage: disk).count {
        if case .attemptBegan = $0 { true } else { false }
      }
      seen.withLock { $0.append(began ?? -1) }
      return .delivered()
    }
    for number in 1...5 { try await rig.push(number, to: "phone") }
    #expect(seen.withLock { $0 } == [1, 2, 3, 4, 5])
    try await rig.stop()
  }

  // MARK: Restarts

  @Test("what was in flight goes again after a restart: the same attempt, the same name; what waits comes after it")
  func restart() async throws {
    let rig = try await DeviceRig()
    rig.provider.answer(.retryable(reason: "503 busy"))
    try await rig.push(1, to: "phone")
    rig.provider.hold()
    try await rig.advance(by: .seconds(5))
    for number in 2...4 { try await rig.push(number, to: "phone") }
    #expect(rig.provider.deliveries.map(\.attempt) == [1, 2])
    await rig.kill()

    let after = try await rig.restarted()
    #expect(after.provider.deliveries.map(\.message.number) == [1, 2, 3, 4])
    #expect(after.provider.deliveries.map(\.attempt) == [2, 1, 1, 1])
    #expect(after.provider.deliveries.first?.id == rig.provider.deliveries.first?.id)
    #expect(try after.ends() == [.delivered, .delivered, .delivered, .delivered])
    try await after.stop()
    // What was delivered is not sent again.
    let third = try await rig.restarted()
    #expect(third.provider.deliveries.isEmpty)
    try await third.stop()
  }

  @Test("a pause goes on over a restart, asleep in a snapshot")
  func pauseOverRestart() async throws {
    let rig = try await DeviceRig()
    rig.provider.answer(.retryable(reason: "503 busy", after: .seconds(100)))
    try await rig.push(to: "phone")
    _ = await rig.engine.putIdleToSleep(unusedFor: 0)
    try await rig.engine.snapshotNow()
    await rig.kill()
    let after = try await rig.restarted()
    #expect(after.rig.summary.records == 0)
    try await after.advance(by: .seconds(90))
    #expect(after.provider.deliveries.isEmpty)
    // It wakes up, and then its own timer fires.
    try await after.advance(by: .seconds(20))
    try await after.advance(by: .seconds(1))
    #expect(after.provider.deliveries.map(\.attempt) == [2])
    try await after.stop()
  }

  @Test("a push that the queue knows is not queued again")
  func repetition() async throws {
    let rig = try await DeviceRig()
    try await rig.push(1, to: "phone")
    try await rig.push(1, to: "phone")
    #expect(rig.provider.deliveries.count == 1)
    try await rig.stop()
  }

  // MARK: Disk

  @Test("a full disk while a push is to begin loses neither the push nor its turn")
  func diskFull() async throws {
    let disk = MemoryDisk()
    let rig = try await DeviceRig(
      directory: "/data", storage: disk, segmentByteCount: 64 * 1024,
      provider: PatientProvider { target, _ in CourierLane(id: "one", label: "one", inFlightMaximum: 1) })
    rig.provider.hold()
    try await rig.push(1, to: "first")
    try await rig.push(1, of: "second", to: "second")
    try await rig.push(1, of: "third", to: "third")
    #expect(rig.provider.deliveries.count == 1)
    // No further segment fits: what is written now fills the last one.
    disk.capacity = disk.usedByteCount
    try await rig.fillDisk()

    // The turn of the second has come, and there is no room to say so.
    rig.provider.release()
    try await rig.settle()
    #expect(rig.provider.deliveries.count == 1)
    try await rig.advance(by: .seconds(3))
    #expect(rig.provider.deliveries.count == 1)
    disk.capacity = .max
    try await roomAgain(rig)
    while rig.provider.deliveries.count < 2 { try await rig.advance(by: .seconds(1)) }
    rig.provider.release()
    try await rig.settle()
    while rig.provider.deliveries.count < 3 { try await rig.advance(by: .seconds(1)) }
    rig.provider.release()
    try await rig.settle()
    #expect(rig.provider.deliveries.map(\.message.producer) == ["producer", "second", "third"])
    #expect(await rig.queued("second") == 0)
    #expect(rig.couriers.lanes().allSatisfy { $0.running == 0 && $0.waiting == 0 })
    try await rig.stop()
  }

  private func roomAgain(_ rig: DeviceRig) async throws {
    while true {
      do throws(EngineError) {
        _ = try await rig.register("room again")
        return
      } catch {
        #expect(error == .storageFull)
        await Task.yield()
      }
    }
  }
}
