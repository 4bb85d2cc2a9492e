import EntityRuntime
import EventSourcing
import JSONEnvelope
import PushDomain
import Testing

@testable import Engine
@testable import EngineRigs
@testable import PushEngine

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

  @Test(
    "what has expired is kept, with the reason of its last attempt; what was delivered or is for a device that is gone is not"
  )
  func notKept() async throws {
    let rig = try await DeviceRig()
    try await rig.push(1, to: "a")
    rig.provider.answer(.retryable(reason: "503 busy"))
    try await rig.push(2, to: "a", expiry: rig.time.now.advanced(by: .milliseconds(400)))
    try await rig.advance(by: .seconds(5))
    rig.provider.answer(.unregistered(reason: "410 Unregistered"))
    try await rig.push(3, to: "a")
    #expect(try rig.ends() == [.delivered, .expired, .unregistered(reason: "410 Unregistered")])
    let letters = await rig.couriers.deadLetters()
    #expect(letters.map(\.id.number) == [2] && letters.first?.outcome == .expired)
    #expect(letters.first?.reason == "503 busy" && letters.first?.history.map(\.reason) == ["503 busy"])
    #expect(rig.couriers.dispatcher.deadLetters.total == 1)
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

  @Test("pages follow the devices, and within a device its letters")
  func pages() async throws {
    let rig = try await DeviceRig()
    rig.provider.answer { _ in .refused(reason: "400") }
    for device in 0..<5 {
      for number in 1...2 { try await rig.push(number, of: "p\(device)", to: "device \(device)") }
    }
    var pages: [[DeadLetterView]] = []
    while pages.last?.isEmpty != true {
      pages.append(await rig.couriers.deadLetters(after: pages.last?.last?.cursor ?? "", limit: 3))
    }
    #expect(pages.map(\.count) == [3, 3, 3, 1, 0])
    #expect(Set(pages.flatMap(\.self).map(\.uuid)).count == 10)
    try await rig.stop()
  }

  @Test("the oldest makes room, and two weeks later all are gone")
  func bounds() async throws {
    let rig = try await DeviceRig(sections: ["push": ["push.queue_messages": "16"]])
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

  @Test("many go out again at their pace, those that were counted; a stop leaves the rest where they are")
  func replay() async throws {
    let rig = try await DeviceRig()
    rig.provider.answer { _ in .refused(reason: "400") }
    for number in 1...5 { try await rig.push(number, of: "shop/\(number)", to: "device \(number)") }
    var filter = DeadLetterFilter()
    filter.outcome = "refused"
    #expect(await rig.couriers.countDeadLetters(filter).count == 5)
    filter.type = "fcm"
    #expect(await rig.couriers.countDeadLetters(filter).count == 0)
    rig.provider.answer { _ in .delivered() }
    let begun = await rig.couriers.replayDeadLetters(DeadLetterFilter(), perSecond: 1)
    #expect(begun?.replay.count == 5 && begun?.hasMore == false)
    #expect(await rig.couriers.replayDeadLetters(DeadLetterFilter(), perSecond: 1) == nil)
    var waited = 0
    while (rig.couriers.deadLetterReplay?.retried ?? 0) < 2 {
      rig.time.advance(by: .seconds(1))
      rig.engine.tick()
      // The clock must not run away from the disk: what is put back would expire.
      try await Task.sleep(for: .milliseconds(1))
      waited += 1
      try #require(waited < 50_000)
    }
    rig.couriers.stopDeadLetterReplay()
    #expect(rig.couriers.deadLetterReplay?.isRunning == false)
    // What sleeps between two letters finds that it is to go no further.
    while rig.engine.pushesUnderWay > 0 {
      rig.time.advance(by: .seconds(1))
      rig.engine.tick()
      try await Task.sleep(for: .milliseconds(1))
    }
    try await rig.settle()
    let left = await rig.couriers.deadLetters()
    // The clock may have gone on by a letter more before the stop.
    let retried = try #require(rig.couriers.deadLetterReplay?.retried)
    #expect(retried < 5 && left.count == 5 - retried, "\(retried) went out, \(left.count) are left")
    try await rig.stop()
  }
}

@Suite("What waits, in the house", .timeLimit(.minutes(1)))
struct WaitingTests {
  @Test("what pauses before its next attempt is counted, with its age, and over a restart and a sleep, too")
  func pausing() async throws {
    let rig = try await DeviceRig()
    rig.provider.answer { _ in .retryable(reason: "503 busy", after: .seconds(80_000)) }
    try await rig.push(1, to: "a")
    try await rig.push(1, to: "b", priority: .normal)
    try await rig.advance(by: .seconds(60))
    let lane = try #require(rig.couriers.lanes().first { $0.label == "test" })
    #expect(lane.waiting == 2 && lane.urgent == 1 && lane.normal == 1 && lane.running == 0)
    #expect(lane.oldestAge == .seconds(60) && lane.nextAttempt == DeviceRig.start.advanced(by: .seconds(80_000)))
    let backlog = rig.couriers.dispatcher.backlogs()["test"]
    #expect(backlog?.urgent == 1 && backlog?.normal == 1 && backlog?.since == DeviceRig.start)
    try await rig.engine.snapshotNow()
    await rig.kill()
    let after = try await rig.restarted()
    let again = try #require(after.couriers.lanes().first { $0.label == "test" })
    #expect(again.waiting == 2 && again.oldestAge == .seconds(60))
    after.provider.answer { _ in .delivered() }
    try await after.advance(by: .seconds(80_000))
    // The alarm wakes them, then their own timers, which are due already, fire.
    try await after.advance(by: .seconds(1))
    #expect(after.couriers.lanes().allSatisfy { $0.waiting == 0 && $0.oldestAge == .zero })
    #expect(after.couriers.dispatcher.backlogs().isEmpty)
    try await after.stop()
  }

  @Test("an answer is kept with its attempt, the first kilobyte of it")
  func answers() async throws {
    let rig = try await DeviceRig()
    rig.provider.answer { delivery in
      delivery.noteAnswer(Array(repeating: UInt8(ascii: "x"), count: 5_000))
      return .refused(reason: "400")
    }
    try await rig.push(1, to: "a")
    #expect(await rig.couriers.deadLetters().first?.lastAnswer == String(repeating: "x", count: 1_024))
    try await rig.stop()
  }

  @Test("the bound of a queue is the operator's; what goes over it is a dead letter")
  func bound() async throws {
    let rig = try await DeviceRig(sections: ["push": ["push.queue_messages": "16"]])
    rig.provider.hold()
    for number in 1...18 { try await rig.push(number, to: "a") }
    #expect(await rig.queued("a") == 16)
    let letters = await rig.couriers.deadLetters()
    #expect(letters.map(\.id.number) == [2, 3] && letters.allSatisfy { $0.outcome == .overflowed })
    try await rig.stop()
  }

  @Test("an address that is refused as such is a dead letter with the reason, and no attempt is made elsewhere")
  func goneEndpoint() async throws {
    let rig = try await DeviceRig(
      provider: PatientProvider { target, _ in
        CourierLane(id: "e", label: "webhook:test", isEndpoint: true, endpoint: "https://hooks.example.com/…")
      })
    rig.provider.answer { _ in .endpointGone(reason: "410 Gone") }
    for number in 1...3 { try await rig.push(1, of: "p\(number)", to: "device \(number)") }
    #expect(rig.provider.deliveries.count == 1 && rig.couriers.lanes().map(\.off) == [1])
    let reasons = Set(await rig.couriers.deadLetters().map(\.reason))
    #expect(reasons == ["410 Gone: the endpoint is switched off", "the endpoint is switched off"])
    try await rig.stop()
  }
}

@Suite("What operators are told", .timeLimit(.minutes(1)))
struct OperatorEventsTests {
  private func events(_ rig: DeviceRig) -> [JSONValue] {
    rig.provider.deliveries.filter { $0.message.target.type == OperatorEvents.type }
      .compactMap { try? JSONValue(parsing: $0.message.content) }
  }

  @Test("an endpoint that is switched off, a device that ends, a push that reached nobody; without texts and tokens")
  func told() async throws {
    let rig = try await DeviceRig(
      sections: ["push": ["push.events_url": "https://ops.example.com/events"]],
      provider: PatientProvider { target, _ in
        CourierLane(
          id: target.type, label: "webhook:\(target.type)", isEndpoint: true, endpoint: "https://hooks.example.com/…")
      })
    try await rig.register("a", owner: "alice")
    rig.provider.answer { delivery in
      switch delivery.message.target.type {
      case OperatorEvents.type: .delivered()
      case "httpcb": .endpointGone(reason: "410 Gone")
      default: .unregistered(reason: "410 Unregistered")
      }
    }
    try await rig.push(1, to: "https://hooks.example.com/x", type: "httpcb")
    try await rig.advance(by: .seconds(1))
    try await rig.push(2, to: "a")
    let told = events(rig)
    #expect(Set(told.compactMap { $0["type"]?.string }) == Set(OperatorEventName.allCases.map(\.rawValue)))
    let disabled = told.first { $0["type"] == "endpoint.disabled" }?["data"]
    #expect(disabled?["endpoint"] == "https://hooks.example.com/…" && disabled?["reason"] == "410 Gone")
    let exhausted = told.first { $0["type"] == "message.exhausted" }?["data"]
    #expect(exhausted?["id"]?.string == PushUUID.text(of: PushID(producer: "producer", number: 1)))
    #expect(exhausted?["outcome"] == "refused" && exhausted?["attempts"] == 1)
    let ended = told.first { $0["type"] == "device.ended" }?["data"]
    #expect(ended?["device"]?.string == rig.key("a") && ended?["reason"] == "410 Unregistered")
    for event in told {
      let text = "\(event)"
      #expect(!text.contains("alice") && !text.contains("offer 1") && !text.contains("offer 2"), "\(text)")
    }
    try await rig.stop()
  }

  @Test("an event that nobody takes is a dead letter itself, and tells of nothing more; without a URL nobody is told")
  func failing() async throws {
    let rig = try await DeviceRig(sections: ["push": ["push.events_url": "https://ops.example.com/events"]])
    rig.provider.answer { _ in .refused(reason: "400") }
    try await rig.push(1, to: "a")
    #expect(events(rig).count == 1)
    #expect(Set(await rig.couriers.deadLetters().map(\.type)) == ["test", OperatorEvents.type])
    try await rig.stop()
    let silent = try await DeviceRig()
    silent.provider.answer { _ in .refused(reason: "400") }
    try await silent.push(1, to: "a")
    #expect(events(silent).isEmpty)
    try await silent.stop()
  }
}
