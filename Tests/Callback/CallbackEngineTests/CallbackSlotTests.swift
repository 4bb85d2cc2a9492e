import CallbackDomain
import EventSourcing
import TestSupport
import Testing

@testable import CallbackEngine
@testable import Engine
@testable import EngineRigs

@Suite("Time slots of callbacks")
struct CallbackSlotTests {
  @Test("never hold more than their capacity, and no less, however many come at once", arguments: 1...8)
  func capacity(seed: UInt64) async throws {
    let rig = try await CallbackRig(options: ["_max_request_by_time_bucket": "3"])
    var random = SeededGenerator(seed: seed)
    let base = rig.now.advanced(by: .seconds(3_600))
    // 64 creators, 8 orders each, for 40 slots' 120 places.
    let wishes = (0..<64).map { _ in (0..<8).map { _ in Int64.random(in: 0..<12_000, using: &random) } }
    let taken = await withTaskGroup(of: [String].self) { group in
      for times in wishes {
        group.addTask {
          var ids: [String] = []
          for seconds in times {
            let time = base.advanced(by: .seconds(seconds)).iso8601
            if let id = try? await rig.order(["_desired_time": time]) { ids.append(id) }
          }
          return ids
        }
      }
      return await group.reduce(into: []) { $0 += $1 }
    }
    var counts: [Timestamp: Int] = [:]
    for id in taken {
      let slot = try #require(try await rig.callbacks.view(id).request.slot)
      counts[slot, default: 0] += 1
    }
    var wanted: [Timestamp: Int] = [:]
    let grid = rig.callbacks.grids[CallbackRig.service]
    for seconds in wishes.joined() { wanted[grid.bucket(of: base.advanced(by: .seconds(seconds))), default: 0] += 1 }
    #expect(counts == wanted.mapValues { min($0, 3) })
    // What availability says is what is left.
    let free = try await rig.callbacks.availability(
      service: CallbackRig.service, from: base, to: base.advanced(by: .seconds(12_000)), days: nil, slotsMaximum: nil)
    for slot in free { #expect(slot.free == 3 - (counts[slot.start] ?? 0)) }
    try await rig.stop()
  }

  @Test("are free again when a callback moves away, is cancelled, or could not be made")
  func freed() async throws {
    let rig = try await CallbackRig(options: ["_max_request_by_time_bucket": "1"])
    let (first, second) = (rig.now.advanced(by: .seconds(7_200)), rig.now.advanced(by: .seconds(10_800)))
    let id = try await rig.order(["_desired_time": first.iso8601])
    let refusal = await #expect(throws: EngineError.self) { try await rig.order(["_desired_time": first.iso8601]) }
    guard case .refused(let noSlot as NoSlot)? = refusal else {
      Issue.record("\(String(describing: refusal))")
      return
    }
    #expect(noSlot.alternatives.first?.start == first.advanced(by: .seconds(300)) && noSlot.alternatives.count == 12)
    _ = try await rig.callbacks.update(id, fields: [NameValuePair("_new_desired_time", second.iso8601)])
    let other = try await rig.order(["_desired_time": first.iso8601])
    await #expect(throws: EngineError.self) {
      try await rig.callbacks.update(id, fields: [NameValuePair("_new_desired_time", first.iso8601)])
    }
    #expect(try await rig.callbacks.view(id).request.desiredTime == second)
    _ = try await rig.callbacks.cancel(other, note: "")
    _ = try await rig.callbacks.update(id, fields: [NameValuePair("_new_desired_time", first.iso8601)])
    await #expect(throws: EngineError.callback(.tooLong(field: "x", limit: 8_192))) {
      try await rig.order(["_desired_time": second.iso8601, "x": String(repeating: "x", count: 9_000)])
    }
    try await rig.order(["_desired_time": second.iso8601])
    try await rig.stop()
  }

  @Test("exist only in the office hours, and not too far ahead")
  func office() async throws {
    // Wednesday 2026-02-11, 08:30 in UTC, 09:30 in Berlin.
    let rig = try await CallbackRig(
      options: ["_business_hours_service": "office", "_request_time_bucket": "60", "callback.max_days_ahead": "10"],
      sections: [
        "service.office": [
          "_timezone": "Europe/Berlin", "bh_regular1": "Mon-Fri 09:00-12:00", "bh_holiday1": "2026-02-12",
        ]
      ])
    let slots = try await rig.callbacks.availability(
      service: CallbackRig.service, from: nil, to: nil, days: 3, slotsMaximum: nil)
    #expect(
      slots.map(\.start.iso8601) == [
        "2026-02-11T09:00:00Z", "2026-02-11T10:00:00Z", "2026-02-13T08:00:00Z", "2026-02-13T09:00:00Z",
        "2026-02-13T10:00:00Z",
      ])
    for time in ["2026-02-12T09:30:00Z", "2026-02-11T11:00:00Z", "2026-03-02T09:30:00Z"] {
      await #expect(throws: EngineError.self) { try await rig.order(["_desired_time": time]) }
    }
    try await rig.order()
    try await rig.advance(by: .seconds(3 * 3_600))
    let closed = await #expect(throws: EngineError.self) { try await rig.order() }
    guard case .refused(let noSlot as NoSlot)? = closed else {
      Issue.record("\(String(describing: closed))")
      return
    }
    #expect(noSlot.alternatives.first?.start.iso8601 == "2026-02-13T08:00:00Z")
    try await rig.stop()
  }

  @Test("and the bound of open callbacks belong to each service")
  func open() async throws {
    let rig = try await CallbackRig(
      options: ["_max_queued_callbacks_per_service": "2"], sections: ["service.other": ["_service": "callback"]])
    let ids = [try await rig.order(), try await rig.order()]
    await #expect(throws: EngineError.limitReached("callbacks of this service")) { try await rig.order() }
    try await rig.order(service: "other")
    _ = try await rig.callbacks.cancel(ids[0], note: "")
    try await rig.order()
    try await rig.stop()
  }
}
