import EntityRuntime
import EventSourcing
import Logging
import PushDomain
import Synchronization
import Testing

@testable import Engine
@testable import EngineRigs
@testable import PushEngine

@Suite("Courier lanes", .timeLimit(.minutes(1)))
struct CourierLaneTests {
  private static func provider(inFlight: Int = 64, isEndpoint: Bool = false) -> PatientProvider {
    PatientProvider { target, _ in
      CourierLane(id: "lane of \(target.type)", label: target.type, inFlightMaximum: inFlight, isEndpoint: isEndpoint)
    }
  }

  private func fill(_ rig: DeviceRig, _ devices: Range<Int>) async throws {
    for device in devices {
      try await rig.push(1, of: "p\(device)", to: "device-\(device)")
      // Each is a little younger than the one before.
      try await rig.advance(by: .milliseconds(1))
    }
  }

  @Test("a lane has so many attempts under way, and the rest waits in the order in which it came")
  func bound() async throws {
    let rig = try await DeviceRig(provider: Self.provider(inFlight: 3))
    rig.provider.hold()
    try await fill(rig, 0..<10)
    #expect(rig.provider.heldCount == 3)
    #expect(rig.couriers.lanes().map { [$0.lanes, $0.running, $0.waiting, $0.open] } == [[1, 3, 7, 0]])
    try await rig.advance(by: .seconds(5))
    #expect(rig.couriers.lanes().first?.oldestAge == .milliseconds(5_007))
    while rig.provider.heldCount > 0 {
      rig.provider.release()
      try await rig.settle()
    }
    #expect(rig.provider.deliveries.map(\.message.producer) == (0..<10).map { "p\($0)" })
    #expect(rig.provider.inHandsMaximum == 3)
    #expect(rig.couriers.lanes().allSatisfy { $0.running == 0 && $0.waiting == 0 && $0.oldestAge == .zero })
    try await rig.stop()
  }

  @Test("one lane that hangs holds up no other")
  func independent() async throws {
    let rig = try await DeviceRig(provider: Self.provider(inFlight: 1))
    rig.provider.answer { $0.message.target.type == "test" ? nil : .delivered() }
    try await fill(rig, 0..<3)
    for number in 0..<3 {
      try await rig.push(1, of: "h\(number)", to: "https://example.org/\(number)", type: "httpcb")
    }
    #expect(rig.provider.deliveries.count == 4)
    #expect(rig.couriers.lanes().map(\.label) == ["httpcb", "test"])
    try await rig.stop()
  }

  @Test("among those that wait the urgent go first, of one device, too")
  func priority() async throws {
    let rig = try await DeviceRig(provider: Self.provider(inFlight: 1))
    rig.provider.hold()
    try await rig.push(1, of: "first", to: "first")
    try await rig.push(1, of: "slow", to: "one", priority: .normal)
    try await rig.push(2, of: "slow", to: "two", priority: .normal)
    try await rig.push(1, of: "urgent", to: "two", priority: .high)
    for _ in 0..<4 {
      rig.provider.release()
      try await rig.settle()
    }
    let sent = rig.provider.deliveries.map { "\($0.message.producer) \($0.message.number)" }
    #expect(sent == ["first 1", "urgent 1", "slow 1", "slow 2"])
    try await rig.stop()
  }

  @Test("20 transport failures open the breaker; then nothing counts, nothing is lost, and a probe opens the way again")
  func breaker() async throws {
    let rig = try await DeviceRig(provider: Self.provider(inFlight: 1))
    rig.provider.answer { _ in .unprocessed(reason: "connection refused", isTransport: true) }
    try await fill(rig, 0..<20)
    #expect(rig.couriers.lanes().map(\.open) == [1])
    #expect(rig.provider.deliveries.count == 20)
    // From here on they wait: not one attempt more before the probe.
    try await fill(rig, 20..<40)
    #expect(rig.provider.deliveries.count == 20)

    // Each probe that fails is one attempt, and costs nobody one.
    var probes = 0
    for _ in 0..<30 {
      let before = rig.provider.deliveries.count
      try await rig.advance(by: .seconds(60))
      probes += rig.provider.deliveries.count - before
    }
    #expect(probes >= 20 && probes <= 60)
    #expect(rig.couriers.lanes().map(\.open) == [1])
    #expect(try rig.ends() == [])

    rig.provider.hold()
    try await rig.advance(by: .seconds(61))
    // One probe, whatever waits.
    #expect(rig.provider.heldCount == 1)
    let before = rig.provider.deliveries.count - 1
    rig.provider.answer { _ in .delivered() }
    rig.provider.release()
    try await rig.settle()
    // Those whose own pause after the first failure goes on come a little later.
    try await rig.advance(by: .seconds(10))
    #expect(rig.couriers.lanes().map { [$0.open, $0.waiting, $0.running] } == [[0, 0, 0]])
    #expect(try rig.ends() == Array(repeating: .delivered, count: 40))
    let drained = rig.provider.deliveries.dropFirst(before)
    #expect(drained.count == 40)
    // Attempts: those of before the breaker opened count, the others do not.
    #expect(drained.filter { $0.attempt == 2 }.count == 20)
    #expect(drained.filter { $0.attempt == 1 }.count == 20)
    #expect(drained.map(\.message.producer) == (0..<40).map { "p\($0)" })
    try await rig.stop()
  }

  @Test("a provider that wants a pause of the lane gets it, and no attempt counts")
  func paused() async throws {
    let rig = try await DeviceRig(provider: Self.provider(inFlight: 1))
    rig.provider.answer(.lanePaused(reason: "429 TooManyProviderTokenUpdates", for: .seconds(60)))
    try await fill(rig, 0..<3)
    #expect(rig.provider.deliveries.count == 1)
    try await rig.advance(by: .seconds(59))
    #expect(rig.provider.deliveries.count == 1)
    try await rig.advance(by: .seconds(2))
    #expect(rig.provider.deliveries.map(\.attempt) == [1, 1, 1, 1])
    #expect(rig.provider.deliveries.map(\.message.producer) == ["p0", "p0", "p1", "p2"])
    #expect(try rig.ends() == [.delivered, .delivered, .delivered])
    try await rig.stop()
  }

  @Test("a broken lane keeps everything until it is reset, and then sends it at once")
  func brokenThenReset() async throws {
    let rig = try await DeviceRig(provider: Self.provider(inFlight: 1))
    rig.provider.answer { _ in .laneBroken(reason: "403 InvalidProviderToken") }
    try await fill(rig, 0..<5)
    #expect(rig.provider.deliveries.count == 1)
    #expect(rig.couriers.lanes().map { [$0.open, $0.waiting, $0.running] } == [[1, 5, 0]])
    rig.provider.answer { _ in .delivered() }
    rig.couriers.resetLanes()
    try await rig.settle()
    #expect(rig.provider.deliveries.map(\.message.producer) == ["p0", "p0", "p1", "p2", "p3", "p4"])
    #expect(rig.provider.deliveries.allSatisfy { $0.attempt == 1 })
    #expect(rig.couriers.lanes().map { [$0.open, $0.waiting] } == [[0, 0]])
    try await rig.stop()
  }

  @Test("an endpoint that has failed for days is switched off: what comes is a dead letter; a reset opens it again")
  func off() async throws {
    let rig = try await DeviceRig(provider: Self.provider(isEndpoint: true))
    rig.provider.answer { _ in .unprocessed(reason: "connection refused", isTransport: true) }
    try await fill(rig, 0..<20)
    for _ in 0..<30 {
      try await rig.advance(by: .seconds(6 * 3_600))
      try await fill(rig, 0..<1)
    }
    #expect(rig.couriers.lanes().map(\.off) == [1])
    // One an hour is tried, in vain.
    try await rig.push(1, of: "probe", to: "probe")
    let sent = rig.provider.deliveries.count
    try await rig.push(1, of: "late", to: "late")
    #expect(
      await rig.couriers.deadLetters().contains { $0.outcome == .refused(reason: "the endpoint is switched off") })
    #expect(await rig.queued("late") == 0)
    #expect(rig.provider.deliveries.count == sent)
    rig.provider.answer { _ in .delivered() }
    rig.couriers.resetLanes()
    try await rig.push(2, of: "late", to: "late")
    #expect(rig.provider.deliveries.last?.message.number == 2)
    try await rig.stop()
  }

  @Test("pushes that wait for a lane wait for it after a restart, too, and go in their order")
  func restart() async throws {
    let rig = try await DeviceRig(provider: Self.provider(inFlight: 1))
    rig.provider.hold()
    try await fill(rig, 0..<6)
    #expect(rig.provider.deliveries.count == 1)
    await rig.kill()
    let after = try await rig.restarted(provider: Self.provider(inFlight: 1))
    #expect(after.provider.deliveries.count == 6)
    #expect(after.provider.deliveries.first?.id == rig.provider.deliveries.first?.id)
    #expect(after.provider.deliveries.allSatisfy { $0.attempt == 1 })
    #expect(Set(after.provider.deliveries.map(\.message.producer)).count == 6)
    #expect(try after.ends().count == 6)
    try await after.stop()
  }

  @Test("with room for few attempts at once in the whole house, turns are not lost", arguments: [false, true])
  func fewTasks(isOff: Bool) async throws {
    let rig = try await DeviceRig(provider: Self.provider(isEndpoint: isOff)) { $0.limits.pushTasksMaximum = 1 }
    if isOff {
      rig.provider.answer { _ in .unprocessed(reason: "connection refused", isTransport: true) }
      for device in 100..<120 {
        try await rig.push(1, of: "p\(device)", to: "device-\(device)")
        try await rig.advance(by: .seconds(1))
      }
      for _ in 0..<30 { try await rig.advance(by: .seconds(6 * 3_600)) }
      #expect(rig.couriers.lanes().map(\.off) == [1])
    } else {
      rig.provider.hold()
    }
    try await fill(rig, 0..<8)
    for _ in 0..<60 {
      rig.provider.releaseAll()
      try await rig.advance(by: .milliseconds(200))
    }
    #expect(try rig.ends().count == (isOff ? 28 : 8))
    #expect(rig.provider.inHandsMaximum <= 1)
    #expect(rig.couriers.lanes().allSatisfy { $0.waiting == 0 && $0.running == 0 })
    try await rig.stop()
  }

  @Test("lanes that have nothing to remember are let go when there are many")
  func forgotten() async throws {
    let provider = PatientProvider { target, _ in
      CourierLane(id: target.deviceID, label: target.type, isEndpoint: true)
    }
    let rig = try await DeviceRig(provider: provider) { $0.limits.lanesKeptMaximum = 4 }
    for round in 0..<5 {
      for number in 0..<20 {
        let url = "https://\(round)-\(number).example.org/"
        try await rig.push(1, of: "p\(round)-\(number)", to: url, type: "httpcb")
      }
      try await rig.advance(by: .seconds(3_600))
    }
    #expect(rig.provider.deliveries.count == 100)
    #expect(rig.couriers.lanes().map(\.lanes).reduce(0, +) <= 24)
    try await rig.stop()
  }

  @Test("a queue whose messages take two lanes has one attempt under way all the same")
  func twoLanes() async throws {
    let isMoved = Mutex(false)
    let provider = PatientProvider { target, _ in
      let name = isMoved.withLock { $0 } ? "new" : "old"
      return CourierLane(id: name, label: name, inFlightMaximum: 1)
    }
    let rig = try await DeviceRig(provider: provider)
    rig.provider.hold()
    try await rig.push(1, of: "other", to: "other")
    try await rig.push(1, to: "phone", priority: .normal)
    // The credential is another one from here on, and with it the lane.
    isMoved.withLock { $0 = true }
    try await rig.push(2, to: "phone", priority: .high)
    #expect(rig.provider.deliveries.map(\.message.number) == [1, 2])
    // The old lane has room: the phone's turn there has come, too.
    rig.provider.release()
    try await rig.settle()
    #expect(rig.provider.deliveries.count == 2)
    rig.provider.releaseAll()
    try await rig.settle()
    rig.provider.releaseAll()
    try await rig.settle()
    let sent = rig.provider.deliveries.filter { $0.message.producer == "producer" }.map(\.message.number)
    #expect(sent == [2, 1])
    #expect(rig.couriers.lanes().allSatisfy { $0.waiting == 0 && $0.running == 0 })
    try await rig.stop()
  }

  @Test("a turn that comes while the last attempt of its queue is still on is made up for")
  func turnedAway() async throws {
    let rig = try await DeviceRig()
    rig.provider.hold()
    try await rig.push(1, to: "phone")
    try await rig.push(2, to: "phone")
    let keys = rig.couriers.dispatcher.underWay
    // As if the first attempt's task had not come to its last line yet.
    #expect(!keys.enter(rig.key("phone")))
    rig.provider.release()
    try await rig.settle()
    #expect(rig.provider.deliveries.map(\.message.number) == [1, 2])
    rig.provider.release()
    try await rig.settle()
    #expect(try rig.ends() == [.delivered, .delivered])

    // Many pushes of one device, each of which begins as the one before ends: none is left behind.
    rig.provider.answer { _ in .delivered() }
    for number in 3...120 {
      let message = PushMessage(
        producer: "producer", number: number, tag: "shop.offer", alert: "", content: [], service: "shop",
        target: PushAddress(type: "test", deviceID: "phone"))
      _ = await rig.couriers.dispatcher.enqueue(message)
    }
    try await rig.settle()
    #expect(rig.provider.deliveries.map(\.message.number) == Array(1...120))
    #expect(await rig.queued("phone") == 0)
    try await rig.stop()
  }
}
