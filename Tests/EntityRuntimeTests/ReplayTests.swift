import EntityRuntime
import EventSourcing
import TestSupport
import Testing

@Suite("Replay")
struct ReplayTests {
  private func apply(
    _ event: Counter.Event, to key: String, sequence: UInt64, in table: inout ReplayTable<Counter>
  ) throws {
    let stored = StoredEvent(event)
    var failure: ReplayError?
    Array(key.utf8).withUnsafeBytes { keyBytes in
      stored.payload.withUnsafeBytes { payload in
        do throws(ReplayError) {
          try table.apply(
            ReplayRecord(
              position: 1, kind: .chatSession, key: keyBytes, sequence: sequence, time: .epoch, tag: stored.tag,
              payload: payload))
        } catch { failure = error }
      }
    }
    if let failure { throw failure }
  }

  @Test("thousands of interleaved entities come back, each with its own events (fixed seed)")
  func interleaved() throws {
    var table = ReplayTable<Counter>(kind: .chatSession)
    var random = SeededGenerator(seed: 42)
    var model: [String: (total: Int, sequence: UInt64)] = [:]
    for _ in 0..<20_000 {
      let key = "entity-\(Int.random(in: 0..<3_000, using: &random))"
      model[key, default: (0, 0)].total += 1
      model[key]!.sequence += 1
      try apply(.added(1), to: key, sequence: model[key]!.sequence, in: &table)
    }
    let recovered = table.finish()
    #expect(recovered.count == model.count)
    for entity in recovered {
      #expect(entity.state.total == model[entity.key]?.total)
      #expect(entity.sequence == model[entity.key]?.sequence)
    }
  }

  @Test("a finished entity is let go")
  func finished() throws {
    var table = ReplayTable<Counter>(kind: .chatSession)
    try apply(.added(1), to: "a", sequence: 1, in: &table)
    try apply(.finished, to: "a", sequence: 2, in: &table)
    try apply(.added(1), to: "b", sequence: 1, in: &table)
    #expect(table.finish().map(\.key) == ["b"])
  }

  @Test("a record behind the end of its entity changes nothing, whatever its number", arguments: [2, 3, 9] as [UInt64])
  func behindTheEnd(sequence: UInt64) throws {
    var table = ReplayTable<Counter>(kind: .chatSession)
    try apply(.finished, to: "a", sequence: 1, in: &table)
    try apply(.added(1), to: "a", sequence: sequence, in: &table)
    try apply(.added(1), to: "b", sequence: 1, in: &table)
    #expect(table.finish().map(\.key) == ["b"])
  }

  @Test("a missing or repeated record is refused by name", arguments: [1, 3] as [UInt64])
  func gap(sequence: UInt64) throws {
    var table = ReplayTable<Counter>(kind: .chatSession)
    try apply(.added(1), to: "a", sequence: 1, in: &table)
    #expect(throws: ReplayError.self) { try apply(.added(1), to: "a", sequence: sequence, in: &table) }
  }

  @Test("a payload that cannot be read is refused with its reason")
  func undecodable() throws {
    var table = ReplayTable<Counter>(kind: .chatSession)
    let key = Array("a".utf8)
    let failure = key.withUnsafeBytes { key -> ReplayError? in
      do throws(ReplayError) {
        try table.apply(
          ReplayRecord(
            position: 7, kind: .chatSession, key: key, sequence: 1, time: .epoch, tag: 99,
            payload: UnsafeRawBufferPointer(start: nil, count: 0)))
        return nil
      } catch { return error }
    }
    guard case .undecodable(position: 7, _, tag: 99, reason: .unknownTag(99)) = failure else {
      Issue.record("\(String(describing: failure))")
      return
    }
  }
}
