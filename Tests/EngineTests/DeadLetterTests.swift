import EntityRuntime
import EventSourcing
import PushDomain
import Testing

@testable import Engine

@Suite("Dead letters in the house", .timeLimit(.minutes(1)))
struct DeadLetterTests {
  /// Two letters for `a`, one for `b`.
  private func populate(_ rig: DeviceRig) async throws {
    rig.provider.answer { _ in .refused(reason: "413 PayloadTooLarge") }
    try await rig.push(1, to: "a")
    try await rig.advance(by: .seconds(10))
    try await rig.push(2, to: "a")
    rig.provider.answer { _ in .retryable(reason: "503 busy") }
    try await rig.push(1, of: "other", to: "b", attempts: 1)
    rig.provider.answer { _ in .delivered() }
  }

  @Test("what is refused and what has failed for good is kept, with what an operator must know and no text or token")
  func list() async throws {
    let rig = try await DeviceRig()
    try await populate(rig)
    let letters = await rig.couriers.deadLetters()
    #expect(letters.count == 3)
    let letter = try #require(letters.first { $0.id == PushID(producer: "producer", number: 1) })
    #expect(letter.device == rig.key("a"))
    #expect(letter.uuid == PushUUID.text(of: letter.id) && letter.uuid == rig.provider.deliveries.first?.id)
    #expect(letter.type == "test" && letter.tag == "shop.offer")
    #expect(letter.outcome == .refused(reason: "413 PayloadTooLarge") && letter.attempts == 1)
    #expect(letter.acceptedAt == DeviceRig.start && letter.endedAt == DeviceRig.start)
    #expect(letters.first { $0.id.producer == "other" }?.outcome == .failed(reason: "503 busy"))
    #expect(rig.couriers.dispatcher.deadLetters.total == 3)
    #expect(letters.map(\.device) == letters.map(\.device).sorted())
    try await rig.stop()
  }

  @Test("what was delivered, has expired or is for a device that is gone is not kept")
  func notKept() async throws {
    let rig = try await DeviceRig()
    try await rig.push(1, to: "a")
    rig.provider.answer(.retryable(reason: "503 busy"))
    try await rig.push(2, to: "a", expiry: rig.time.now.advanced(by: .milliseconds(400)))
    try await rig.advance(by: .seconds(5))
    rig.provider.answer(.unregistered(reason: "410 Unregistered"))
    try await rig.push(3, to: "a")
    #expect(try rig.ends() == [.delivered, .expired, .unregistered(reason: "410 Unregistered")])
    #expect(await rig.couriers.deadLetters().isEmpty)
    #expect(rig.couriers.dispatcher.deadLetters.total == 0)
    try await rig.stop()
  }

  @Test("a retry sends it under its old name, with all its attempts before it")
  func retry() async throws {
    let rig = try await DeviceRig()
    try await populate(rig)
    let id = PushID(producer: "other", number: 1)
    rig.provider.answer(.delivered(id: "m-9"))
    try await rig.couriers.retryDeadLetter(id, of: rig.key("b"))
    try await rig.settle()
    let deliveries = rig.provider.deliveries.filter { $0.message.producer == "other" }
    #expect(deliveries.map(\.attempt) == [1, 1])
    #expect(Set(deliveries.map(\.id)) == [PushUUID.text(of: id)])
    #expect(await rig.couriers.deadLetters().map(\.id.producer) == ["producer", "producer"])
    #expect(rig.couriers.dispatcher.deadLetters.total == 2)
    await #expect(throws: EngineError.unknownDeadLetter) {
      try await rig.couriers.retryDeadLetter(id, of: rig.key("b"))
    }
    try await rig.stop()
  }

  @Test("a retry that is refused again is a dead letter again")
  func retryInVain() async throws {
    let rig = try await DeviceRig()
    try await populate(rig)
    let id = PushID(producer: "producer", number: 1)
    rig.provider.answer(.refused(reason: "400 again"))
    try await rig.couriers.retryDeadLetter(id, of: rig.key("a"))
    try await rig.settle()
    #expect(await rig.couriers.deadLetters().first { $0.id == id }?.outcome == .refused(reason: "400 again"))
    #expect(rig.couriers.dispatcher.deadLetters.total == 3)
    try await rig.stop()
  }

  @Test("a dropped one is gone for good, over a restart, too")
  func drop() async throws {
    let rig = try await DeviceRig()
    try await populate(rig)
    let id = PushID(producer: "producer", number: 2)
    try await rig.couriers.dropDeadLetter(id, of: rig.key("a"))
    await #expect(throws: EngineError.unknownDeadLetter) { try await rig.couriers.dropDeadLetter(id, of: rig.key("a")) }
    await #expect(throws: EngineError.unknownDeadLetter) {
      try await rig.couriers.retryDeadLetter(id, of: rig.key("a"))
    }
    await #expect(throws: EngineError.unknownDeadLetter) { try await rig.couriers.dropDeadLetter(id, of: "0123") }
    let left = await rig.couriers.deadLetters()
    #expect(left.count == 2)
    try await rig.stop()
    let after = try await rig.restarted()
    #expect(await after.couriers.deadLetters() == left)
    #expect(after.couriers.dispatcher.deadLetters.total == 2)
    try await after.stop()
  }

  @Test("a device that has ended takes none back, but lets them go")
  func endedDevice() async throws {
    let rig = try await DeviceRig()
    try await rig.register("a", owner: "alice")
    try await populate(rig)
    try await rig.devices.end(rig.key("a"), reason: "ended by the operator")
    try await rig.settle()
    let id = PushID(producer: "producer", number: 1)
    await #expect(throws: EngineError.invalid(field: "device", reason: "has ended")) {
      try await rig.couriers.retryDeadLetter(id, of: rig.key("a"))
    }
    #expect(await rig.couriers.deadLetters().count == 3)
    try await rig.couriers.dropDeadLetter(id, of: rig.key("a"))
    #expect(await rig.couriers.deadLetters().count == 2)
    try await rig.stop()
  }

  @Test("pages follow the devices; those of one device come together")
  func pages() async throws {
    let rig = try await DeviceRig()
    rig.provider.answer { _ in .refused(reason: "400") }
    for device in 0..<5 {
      for number in 1...2 { try await rig.push(number, of: "p\(device)", to: "device \(device)") }
    }
    var pages: [[DeadLetterView]] = []
    while pages.last?.isEmpty != true {
      pages.append(await rig.couriers.deadLetters(after: pages.last?.last?.device ?? "", limit: 3))
    }
    #expect(pages.map(\.count) == [4, 4, 2, 0])
    #expect(Set(pages.flatMap(\.self).map(\.uuid)).count == 10)
    try await rig.stop()
  }

  @Test("the oldest makes room, and two weeks later all are gone")
  func bounds() async throws {
    let rig = try await DeviceRig()
    rig.provider.answer { _ in .refused(reason: "400") }
    for number in 1...20 { try await rig.push(number, to: "a") }
    #expect(await rig.couriers.deadLetters().map(\.id.number) == Array(5...20))
    #expect(rig.couriers.dispatcher.deadLetters.total == 16)
    try await rig.advance(by: .seconds(14 * 86_400 - 60))
    #expect(await rig.couriers.deadLetters().count == 16)
    try await rig.advance(by: .seconds(120))
    #expect(await rig.couriers.deadLetters().isEmpty)
    #expect(rig.couriers.dispatcher.deadLetters.total == 0)
    try await rig.stop()
  }

  @Test("the index is right after every kind of start: replay, snapshot and sleep")
  func index() async throws {
    let rig = try await DeviceRig()
    try await populate(rig)
    let letters = await rig.couriers.deadLetters()
    try await rig.stop()
    let replayed = try await rig.restarted()
    #expect(replayed.couriers.dispatcher.deadLetters.total == 3)
    try await replayed.engine.snapshotNow()
    // Behind the snapshot: one goes.
    try await replayed.couriers.dropDeadLetter(PushID(producer: "producer", number: 2), of: rig.key("a"))
    try await replayed.stop()
    let restored = try await rig.restarted()
    #expect(restored.rig.summary.records == 1)
    #expect(restored.couriers.dispatcher.deadLetters.total == 2)
    #expect(
      await restored.couriers.deadLetters() == letters.filter { $0.id != PushID(producer: "producer", number: 2) })
    try await restored.stop()
  }
}
