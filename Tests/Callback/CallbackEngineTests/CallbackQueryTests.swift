import CallbackDomain
import EventSourcing
import Testing

@testable import Engine
@testable import EngineRigs

@Suite("Queries for callbacks")
struct CallbackQueryTests {
  private func find(
    _ rig: CallbackRig, _ conditions: [(String, String, Bool)], or: Bool = false, service: String? = nil,
    for seeker: CallbackSeeker = .operator
  ) async throws -> Set<String> {
    var query = CallbackQuery(
      service: service,
      conditions: conditions.map { CallbackQuery.Condition(name: $0.0, value: $0.1, isNegated: $0.2) })
    query.needsOneOnly = or
    return Set(try await rig.callbacks.find(query, for: seeker).elements.map(\.id))
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

  @Test("of customers name a key with its value: all else is the operator's")
  func keys() async throws {
    let rig = try await CallbackRig(options: [
      "_customer_lookup_keys": "_customer_number,_mail", "_provide_code": "true",
    ])
    let id = try await rig.order(["_mail": "a@x.example", "colour": "red"])
    let code = try #require(try await rig.callbacks.view(id).request.accessCode)
    let customer = CallbackSeeker.customer(userKey: nil)
    let number = ("_customer_number", "5551234", false)
    for query in [
      [], [("colour", "red", false)], [("_callback_state", "QUEUED", false)], [("_customer_number", "1", true)],
      [("_customer_number", "", false)], [("_access_code", code, false)],
      [("_service_name", CallbackRig.service, false)],
    ] as [[(String, String, Bool)]] {
      await #expect(throws: EngineError.self, "\(query)") { try await find(rig, query, for: customer) }
      // Beside a key they may narrow it down, but widen it they must not.
      if !query.isEmpty {
        await #expect(throws: EngineError.self) { try await find(rig, query + [number], or: true, for: customer) }
      }
    }
    for query in [
      [number], [("_id", id, false)], [number, ("colour", "red", false)], [number, ("_access_code", code, false)],
    ] as [[(String, String, Bool)]] {
      #expect(try await find(rig, query, for: customer) == [id], "\(query)")
    }
    #expect(
      try await find(rig, [("_mail", "a@x.example", false), ("_id", "x", false)], or: true, for: customer) == [id])
    #expect(try await find(rig, [("_access_code", code, false)]) == [id])
    try await rig.stop()
  }

  @Test("of customers find what is theirs or nobody's, and with the option off nothing of nobody's")
  func owners() async throws {
    for isOpen in [true, false] {
      let rig = try await CallbackRig(options: isOpen ? [:] : ["_query_open": "false"])
      let (anns, bens) = (try await rig.order(user: "ann"), try await rig.order(user: "ben"))
      let nobodys = try await rig.order()
      let number = [("_customer_number", "5551234", false)]
      let open: Set<String> = isOpen ? [nobodys] : []
      #expect(try await find(rig, number, for: .customer(userKey: nil)) == open)
      #expect(try await find(rig, number, for: .customer(userKey: "ann")) == open.union([anns]))
      #expect(try await find(rig, number, for: .customer(userKey: "carl")) == open)
      #expect(try await find(rig, [("_id", bens, false)], for: .customer(userKey: "ann")) == [])
      #expect(try await find(rig, number, for: .operator) == [anns, bens, nobodys])
      let made = try await rig.callbacks.view(nobodys).request.userKey
      #expect(try await find(rig, number, for: .customer(userKey: made)) == open)
      try await rig.stop()
    }
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
    let queued = try await rig.callbacks.queues(filter).elements
    #expect(Set(queued.prefix(2).map(\.id)) == [now, other])
    #expect(queued.dropFirst(2).map(\.id) == [soon])
    filter.statuses = [.scheduled]
    #expect(try await rig.callbacks.queues(filter).elements.map(\.id) == [soon])
    let results = await rig.callbacks.cancel([soon, "unknown", soon], reason: "closed")
    #expect(results.map(\.failure) == [nil, .callback(.unknown), .callback(.finished)])
    #expect(try await rig.callbacks.view(soon).note == "closed")
    try await rig.stop()
  }

  @Test("say where they go on: page by page everything comes once, also what shares its moment with others")
  func pages() async throws {
    let rig = try await CallbackRig()
    var made: [String] = []
    for hour in [1, 2, 2, 2, 3] {
      made.append(
        try await rig.order(["_desired_time": rig.now.advanced(by: .seconds(3_600 * hour)).iso8601, "colour": "red"]))
    }
    var filter = CallbackQueueFilter(service: nil, from: rig.now, to: rig.now.advanced(by: .seconds(86_400)))
    filter.limit = 2
    var query = CallbackQuery(service: nil, conditions: [.init(name: "colour", value: "red")])
    query.limit = 2
    func all(_ next: (String?) async throws -> ListPage<CallbackView>) async throws -> [[String]] {
      var pages = [try await next(nil)]
      while let after = pages.last?.next, pages.count < 9 { pages.append(try await next(after)) }
      return pages.map { $0.elements.map(\.id) }
    }
    for pages in [
      try await all {
        filter.after = $0
        return try await rig.callbacks.queues(filter)
      },
      try await all {
        query.after = $0
        return try await rig.callbacks.find(query, for: .operator)
      },
    ] {
      #expect(pages.map(\.count) == [2, 2, 1])
      #expect(Set(pages.joined()) == Set(made))
      #expect(pages.first?.first == made.first && pages.last == [made[4]])
    }
    query.after = "nonsense"
    await #expect(throws: EngineError.invalid(field: "_after", reason: ListPage<CallbackView>.noCursor)) {
      _ = try await rig.callbacks.find(query, for: .operator)
    }
    try await rig.stop()
  }
}
