import Journal
import JournalFormat

extension StoreCheck {
  static let segments = [
    StoreCheck("a packed segment takes the plain one's place and says the same") { rig in
      let vault = try sealedJournal(rig)
      let before = try contents(of: vault)
      let report = try SegmentPacker(vault).pack(countMaximum: 2)
      try expect(report.failure == nil && report.segments == [1, 2], "two are packed: \(report)")
      try expect(report.byteCountAfter < report.byteCountBefore, "which saves room")
      try expect(try vault.list().map(\.isPacked).prefix(3) == [true, true, false], "the vault says so")
      try expect(try contents(of: vault) == before, "every record is there")
      try expect(try OpenedJournal.replay(rig.store) == records(400), "and is replayed")
    },
    StoreCheck("bytes that are not the segment's are not kept, and it stays as it was") { rig in
      let vault = try sealedJournal(rig)
      let before = try contents(of: vault)
      let segments = try vault.list()
      var failure: JournalError?
      try vault.maintain { () throws(JournalError) in
        var image = SegmentImage()
        var other = SegmentImage()
        let outline = try vault.get(segments[0], &image) { _ in }
        _ = try vault.get(segments[1], &other) { _ in }
        do throws(JournalError) {
          try vault.replace(segments[0], by: other.bytes, outline, { _ in }, isWanted: { _ in true })
        } catch {
          failure = error
        }
      }
      try expect(failure?.failure == .damaged, "they are read back, and refused")
      try expect(try contents(of: vault) == before, "nothing has changed")
      try expect(try OpenedJournal.replay(rig.store) == records(400), "and all is replayed")
    },
    StoreCheck("an erasure replaces segments in each form, and nothing else of them changes") { rig in
      let vault = try sealedJournal(rig)
      _ = try SegmentPacker(vault).pack(countMaximum: 1)
      let last = UInt64(try vault.list().count)
      let head = try vault.header(of: last).previousHash
      let due = Set(stride(from: UInt64(3), through: 390, by: 11))
      let report = try SegmentRedaction(vault).redact(upTo: 390) { due.contains($0.position) }
      try expect(report.records == UInt64(due.count), "\(due.count) records go, not \(report.records)")
      var image = SegmentImage()
      var found: Set<UInt64> = []
      for segment in try vault.list() {
        _ = try vault.get(segment, &image) { if $0.isRedacted { found.insert($0.position) } }
      }
      try expect(found == due, "exactly those")
      try expect(try vault.header(of: last).previousHash == head, "the chain is the same")
      try expect(try SegmentRedaction(vault).redact(upTo: 390) { due.contains($0.position) }.records == 0, "once")
      try expect(try OpenedJournal.replay(rig.store).count == 400, "and their places are replayed")
    },
    StoreCheck("what is archived is found as before") { rig in
      let vault = try sealedJournal(rig)
      let before = try contents(of: vault)
      let rule = RetentionRule(.archive, ageMillisecondsMaximum: 0, neverBeyond: nil)
      let report = try SegmentRetention(vault).apply(rule, nowMilliseconds: .max)
      try expect(report.failure == nil && report.segments.count == before.count - 1, "all sealed ones go: \(report)")
      try expect(try vault.list().dropLast().allSatisfy(\.isArchived), "the vault says so")
      try expect(try contents(of: vault) == before, "every record is there")
      try expect(try OpenedJournal.replay(rig.store) == records(400), "and is replayed")
    },
    StoreCheck("what is removed is gone, the oldest first, and a start that needs it says so") { rig in
      let vault = try sealedJournal(rig)
      let segments = try vault.list()
      let kept = try vault.header(of: segments[2].number).firstPosition
      let journal = try OpenedJournal(rig.store)
      let point = journal.writer.durablePoint
      try journal.writer.close()
      var limit = point
      limit.position = kept - 1
      let rule = RetentionRule(.delete, ageMillisecondsMaximum: 0, neverBeyond: limit)
      try expect(try SegmentRetention(vault).apply(rule, nowMilliseconds: .max).segments == [1, 2], "two go")
      try expect(try vault.list().map(\.number) == segments.dropFirst(2).map(\.number), "the vault says so")
      try expect(OpenedJournal.refusal(rig.store)?.failure == .damaged, "all from the first record are wanted")
      try expect(try OpenedJournal.replay(rig.store, from: point).isEmpty, "not by who has a snapshot")
    },
    StoreCheck("one at a time works on segments") { rig in
      let vault = try sealedJournal(rig)
      var failure: JournalError?
      try vault.maintain { () throws(JournalError) in
        do throws(JournalError) { _ = try SegmentPacker(vault).pack() } catch { failure = error }
      }
      try expect(failure?.failure == .unavailable, "a second one is refused")
      try expect(try SegmentPacker(vault).pack().segments.isEmpty == false, "and not when the first is done")
    },
  ]

  /// The vault of a closed journal of 400 records in several segments, all but the last of them sealed.
  private static func sealedJournal(_ rig: any StoreRig) throws -> any SegmentVault {
    let journal = try OpenedJournal(rig.store)
    try journal.write(records(400), unit: 3)
    _ = try journal.writer.roll()
    try journal.writer.close()
    let vault = rig.store.sealed(.first)
    try expect(try vault.list().count > 3, "400 records take several segments")
    return vault
  }
}
