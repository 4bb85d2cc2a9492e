import EntityRuntime
import EventSourcing
import TestSupport
import Testing

@Suite("Replay")
struct ReplayTests {
  private func apply(
    _ event: Counter.Event, to key: String, sequence: UInt64, position: UInt64 = 1,
    in table: inout ReplayTable<Counter>
  ) throws {
    let stored = StoredEvent(event)
    try Array(key.utf8).withUnsafeBytes { keyBytes in
      try stored.payload.withUnsafeBytes { payload in
        try table.apply(
          ReplayRecord(
            position: position, kind: .chatSession, key: keyBytes, sequence: sequence, time: .epoch, tag: stored.tag,
            payload: payload))
      }
    }
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
    let recovered = try table.finish().entities
    #expect(recovered.count == model.count)
    for entity in recovered {
      #expect(entity.state.total == model[entity.key]?.total)
      #expect(entity.sequence == model[entity.key]?.sequence)
    }
  }

  @Test("shares put together are what one replay finds, in the same order (fixed seed)", arguments: 1...5)
  func shares(count: Int) throws {
    var whole = ReplayTable<Counter>(kind: .chatSession)
    var shares = ReplayShare.each(of: count).map { ReplayTable<Counter>(kind: .chatSession, share: $0) }
    var random = SeededGenerator(seed: 7)
    var sequences: [String: UInt64] = [:]
    for position in UInt64(1)...6_000 {
      let key = "entity-\(Int.random(in: 0..<1_500, using: &random))"
      let sequence = sequences[key, default: 0] + 1
      sequences[key] = sequence
      let event = Int.random(in: 0..<20, using: &random) == 0 ? Counter.Event.finished : .added(Int(position))
      try apply(event, to: key, sequence: sequence, position: position, in: &whole)
      for share in shares.indices {
        try apply(event, to: key, sequence: sequence, position: position, in: &shares[share])
      }
    }
    let expected = try whole.finish()
    let parts = try shares.map { try $0.finish() }
    let found = try ReplayTable.finish(shares)
    #expect(found.entities.map(\.key) == expected.entities.map(\.key))
    #expect(found.entities.map(\.state.total) == expected.entities.map(\.state.total))
    #expect(found.entities.map(\.sequence) == expected.entities.map(\.sequence))
    #expect(found.finished == expected.finished)
    #expect(!expected.finished.isEmpty)
    // Nobody does it all, and nothing is done twice.
    #expect(parts.allSatisfy { count == 1 || $0.entities.count < expected.entities.count * 3 / 4 })
    #expect(parts.reduce(0) { $0 + $1.entities.count } == expected.entities.count)
  }

  @Test("of the gaps in several shares that of the entity that began first is told")
  func gapsInShares() throws {
    for first in 0..<8 {
      var shares = ReplayShare.each(of: 3).map { ReplayTable<Counter>(kind: .chatSession, share: $0) }
      for share in shares.indices { shares[share].erasedRecords = 1 }
      for place in 0..<8 {
        let key = "entity-\((first + place) % 8)"
        for share in shares.indices {
          try apply(.added(1), to: key, sequence: 3, position: UInt64(place + 1), in: &shares[share])
        }
      }
      let failure = #expect(throws: ReplayError.self) { try ReplayTable.finish(shares) }
      guard case .sequenceGap(position: 1, let entity, expected: 1, found: 3) = failure else {
        Issue.record("\(String(describing: failure))")
        return
      }
      #expect(entity.key == "entity-\(first)")
    }
  }

  @Test("a finished entity is let go")
  func finished() throws {
    var table = ReplayTable<Counter>(kind: .chatSession)
    try apply(.added(1), to: "a", sequence: 1, in: &table)
    try apply(.finished, to: "a", sequence: 2, in: &table)
    try apply(.added(1), to: "b", sequence: 1, in: &table)
    #expect(try table.finish().entities.map(\.key) == ["b"])
  }

  @Test("a record behind the end of its entity changes nothing, whatever its number", arguments: [2, 3, 9] as [UInt64])
  func behindTheEnd(sequence: UInt64) throws {
    var table = ReplayTable<Counter>(kind: .chatSession)
    try apply(.finished, to: "a", sequence: 1, in: &table)
    try apply(.added(1), to: "a", sequence: sequence, in: &table)
    try apply(.added(1), to: "b", sequence: 1, in: &table)
    #expect(try table.finish().entities.map(\.key) == ["b"])
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
      do {
        try table.apply(
          ReplayRecord(
            position: 7, kind: .chatSession, key: key, sequence: 1, time: .epoch, tag: 99,
            payload: UnsafeRawBufferPointer(start: nil, count: 0)))
        return nil
      } catch { return error as? ReplayError }
    }
    guard case .undecodable(position: 7, _, tag: 99, reason: .unknownTag(99)) = failure else {
      Issue.record("\(String(describing: failure))")
      return
    }
  }

  @Test("a replay goes on from a snapshot: what it has is not applied again, what it lacks is")
  func base() throws {
    var asked: [String] = []
    var table = ReplayTable<Counter>(kind: .chatSession) { key in
      asked.append(key)
      switch key {
      case "known":
        var state = Counter()
        state.evolve(.added(5), at: .epoch)
        return .state(state, sequence: 5)
      case "over": return .finished
      default: return nil
      }
    }
    try apply(.added(1), to: "known", sequence: 4, in: &table)
    try apply(.added(1), to: "known", sequence: 5, in: &table)
    try apply(.added(1), to: "known", sequence: 6, in: &table)
    try apply(.added(1), to: "over", sequence: 9, in: &table)
    try apply(.added(2), to: "new", sequence: 1, in: &table)
    #expect(throws: ReplayError.self) { try apply(.added(1), to: "known", sequence: 8, in: &table) }
    let (entities, finished) = try table.finish()
    #expect(asked == ["known", "over", "new"])
    #expect(finished == ["over"])
    #expect(entities.map(\.key) == ["known", "new"])
    #expect(entities.map(\.state.total) == [6, 2])
    #expect(entities.map(\.sequence) == [6, 1])
  }

  @Test("where records were erased a gap must be made good by a restatement")
  func erased() throws {
    var refused = ReplayTable<Counter>(kind: .chatSession)
    refused.erasedRecords = 2
    try apply(.added(1), to: "a", sequence: 3, in: &refused)
    #expect(throws: ReplayError.self) { try refused.finish() }

    var over = ReplayTable<Counter>(kind: .chatSession)
    over.erasedRecords = 2
    try apply(.added(1), to: "a", sequence: 3, in: &over)
    try apply(.finished, to: "a", sequence: 4, in: &over)
    #expect(try over.finish().finished == ["a"])

    var healed = ReplayTable<Counter>(kind: .chatSession)
    healed.erasedRecords = 2
    try apply(.added(1), to: "a", sequence: 3, in: &healed)
    try apply(.restated(total: 6), to: "a", sequence: 4, in: &healed)
    try apply(.added(1), to: "a", sequence: 5, in: &healed)
    let entities = try healed.finish().entities
    #expect(entities.map(\.state.total) == [7])
    #expect(entities.map(\.sequence) == [5])
  }
}
