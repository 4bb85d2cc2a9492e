import Journal
import JournalFormat

extension StoreCheck {
  static let snapshots = [
    StoreCheck("a snapshot is there once it is finished, the newest first, and says what it was told") { rig in
      let (vault, points) = try filled(rig, snapshots: 3)
      let unfinished = try vault.begin(at: points[0], createdMilliseconds: 9)
      try unfinished.add(kind: 1, key: "unfinished", sequence: 1, brief: [], state: [1])
      try expect(try vault.all().map(\.position) == points.map(\.position).reversed(), "those that are finished")
      unfinished.abandon()
      for (round, file) in try vault.all().reversed().enumerated() {
        let snapshot = try vault.open(file)
        try expect(snapshot.info.point == points[round], "it knows where it begins")
        try expect(snapshot.info.createdMilliseconds == Int64(round), "and when it was made")
        var states: [String: [UInt8]] = [:]
        try snapshot.forEachState { states[$0.key] = $1 }
        try expect(states == ["a": [UInt8(round)], "b": [UInt8](repeating: 7, count: 5_000)], "and all states")
        try expect(vault.file(at: file.position) == file, "a position has one name")
      }
      let newest = try vault.open(try vault.all()[0])
      try expect(try OpenedJournal.replay(rig.store, from: newest.info.point).isEmpty, "a start goes on from it")
    },
    StoreCheck("pruning leaves the newest two, and what is open stays readable") { rig in
      let (vault, points) = try filled(rig, snapshots: 4)
      let oldest = try vault.open(vault.file(at: points[0].position))
      try vault.prune()
      try expect(try vault.all().map(\.position) == [points[3].position, points[2].position], "two are left")
      try oldest.verifyContents()
      try vault.removeAll(except: vault.file(at: points[2].position))
      try expect(try vault.all().map(\.position) == [points[2].position], "that one is left")
      try vault.removeAll(except: nil)
      try expect(try vault.all().isEmpty, "none is left")
    },
    StoreCheck("a snapshot is there after a crash") { rig in
      let (vault, points) = try filled(rig, snapshots: 2)
      let unfinished = try vault.begin(at: points[0], createdMilliseconds: 9)
      let crashed = try rig.crashed().store.snapshots(.first)
      unfinished.abandon()
      try expect(try crashed.all().map(\.position) == points.map(\.position).reversed(), "both are, no half one is")
      for file in try crashed.all() { try crashed.open(file).verifyContents() }
    },
    StoreCheck("a damaged snapshot is not opened, and those beside it are") { rig in
      let (vault, points) = try filled(rig, snapshots: 2)
      let newest = vault.file(at: points[1].position)
      try rig.damage(newest)
      var failure: SnapshotError?
      do throws(SnapshotError) { _ = try vault.open(newest) } catch { failure = error }
      try expect(failure?.failure == .damaged, "it is damaged, not \(String(describing: failure))")
      try vault.open(vault.file(at: points[0].position)).verifyContents()
    },
  ]

  /// A closed journal with some snapshots, a few records between one and the next; the last stands at its end.
  private static func filled(
    _ rig: any StoreRig, snapshots count: Int
  ) throws -> (vault: any SnapshotVault, points: [JournalPoint]) {
    let (journal, vault) = (try OpenedJournal(rig.store), rig.store.snapshots(.first))
    try expect(try vault.all().isEmpty, "a new journal has no snapshots")
    var points: [JournalPoint] = []
    for round in 0..<count {
      try journal.write(records(20, from: round * 20))
      let writer = try vault.begin(at: journal.writer.durablePoint, createdMilliseconds: Int64(round))
      try writer.add(kind: 1, key: "a", sequence: UInt64(round), brief: [], state: [UInt8(round)])
      try writer.add(kind: 2, key: "b", sequence: 1, brief: [2], state: [UInt8](repeating: 7, count: 5_000))
      points.append(try writer.finish().point)
    }
    try journal.writer.close()
    return (vault, points)
  }
}
