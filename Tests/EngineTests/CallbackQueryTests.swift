import CallbackDomain
import EventSourcing
import Testing

@testable import Engine

@Suite("Queries for callbacks")
struct CallbackQueryTests {
  private func find(
    _ rig: CallbackRig, _ conditions: [(String, String, Bool)], or: Bool = false, service: String? = nil
  ) async throws -> Set<String> {
    var query = CallbackQuery(
      service: service,
      conditions: conditions.map { CallbackQuery.Condition(name: $0.0, value: $0.1, isNegated: $0.2) })
    query.needsOneOnly = or
    return Set(try await rig.callbacks.find(query).map(\.id))
  }

  @Test("combine conditions by AND and OR, and negate")
  func conditions() async throws {
    let rig = try await CallbackRig(
      options: ["_customer_lookup_keys": "_customer_number,_mail"],
      sections: ["service.other": ["_service": "callback"]])
    let a = try await rig.order(["_mail": "a@x.example", "colour": "red"])
    let b = try await rig.order(["_customer_number": "777", "colour": "red"])
    let c = try await rig.order(["_customer_number": "777"], service: "other")
    _ = try await rig.callbacks.cancel(b, note: "")
    #expect(try await find(rig, [("_customer_number", "777", false)]) == [b, c])
    #expect(try await find(rig, [("_customer_number", "777", false)], service: "other") == [c])
    #expect(
      try await find(rig, [("_customer_number", "777", false), ("_callback_state", "COMPLETED", true)]) == [c])
    #expect(try await find(rig, [("_mail", "a@x.example", false), ("_customer_number", "777", false)]) == [])
    #expect(
      try await find(rig, [("_mail", "a@x.example", false), ("_customer_number", "777", false)], or: true)
        == [a, b, c])
    #expect(try await find(rig, [("colour", "red", false)]) == [a, b])
    #expect(try await find(rig, [("colour", "red", true)]) == [c])
    #expect(try await find(rig, [("_id", a, false)]) == [a])
    #expect(try await find(rig, [("_callback_reason", "CANCELLED", false)]) == [b])
    #expect(try await find(rig, []) == [a, b, c])
    try await rig.stop()
  }

  @Test("that would look into too many are refused")
  func tooMany() async throws {
    let rig = try await CallbackRig { $0.limits.callbacksLookedInto = 2 }
    for _ in 0..<3 { try await rig.order(["colour": "red"]) }
    await #expect(throws: EngineError.self) { try await find(rig, [("colour", "red", false)]) }
    #expect(try await find(rig, [("_customer_number", "5551234", false)]).count == 3)
    try await rig.stop()
  }

  @Test("of operators show a window of each service's queue")
  func queues() async throws {
    let rig = try await CallbackRig(sections: ["service.other": ["_service": "callback"]])
    let soon = try await rig.order(["_desired_time": rig.now.advanced(by: .seconds(3_600)).iso8601])
    let now = try await rig.order()
    let other = try await rig.order(service: "other")
    _ = try await rig.order(["_desired_time": rig.now.advanced(by: .seconds(90_000)).iso8601])
    var filter = CallbackQueueFilter(
      service: nil, from: rig.now.advanced(by: .seconds(-900)), to: rig.now.advanced(by: .seconds(86_400)))
    var queues = try await rig.callbacks.queues(filter)
    #expect(queues.map(\.service) == [CallbackRig.service, "other"])
    #expect(queues.map { $0.callbacks.map(\.id) } == [[now, soon], [other]])
    filter.statuses = [.scheduled]
    queues = try await rig.callbacks.queues(filter)
    #expect(queues.flatMap { $0.callbacks.map(\.id) } == [soon])
    let results = await rig.callbacks.cancel([soon, "unknown", soon], reason: "closed")
    #expect(results.map(\.failure) == [nil, .callback(.unknown), .callback(.finished)])
    #expect(try await rig.callbacks.view(soon).note == "closed")
    try await rig.stop()
  }
}
