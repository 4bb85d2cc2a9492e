import Journal
import JournalFormat

extension StoreCheck {
  static let starting = [
    StoreCheck("what was durable is there after a crash, and the writer of before is not in the way") { rig in
      let journal = try OpenedJournal(rig.store)
      for round in 0..<8 {
        try journal.write(records(40, from: round * 40), unit: 8)
        let crashed = try rig.crashed()
        let again = try OpenedJournal(crashed.store)
        try expect(again.replayed == records((round + 1) * 40), "round \(round): all is there")
        try expect(again.writer.durablePoint.position == journal.writer.durablePoint.position, "up to the same point")
        try again.write(records(3, from: (round + 1) * 40))
        try again.writer.close()
        try expect(try OpenedJournal.replay(crashed.store).count == (round + 1) * 40 + 3, "and writing goes on")
      }
      try journal.writer.close()
    },
    StoreCheck("a roll makes durable what waits, ends the segment there, and does it once") { rig in
      let (journal, released) = (try OpenedJournal(rig.store), Recorder<Int>())
      try journal.writer.append(records(3), waiter: NumberedWaiter(0, released), lazy: true)
      let seal = try journal.writer.roll()
      try expect(released.all == [0], "who waited is released")
      try expect(seal.position == 3 && seal.segmentNumber == 1, "the seal is behind the last record")
      try expect(try journal.writer.roll() == seal, "a segment without records is not sealed")
      try journal.write(records(2, from: 3))
      try expect(journal.writer.durablePoint.segmentNumber == 2, "the next record begins the next segment")
      try expect(journal.writer.durablePoint.position == 5, "and is at its end")
      let vault = rig.store.sealed(.first)
      try expect(try vault.list().map(\.number) == [1, 2], "the vault knows both")
      try expect(try vault.header(of: 2).firstPosition == 4, "and where one ends and the other begins")
      try journal.writer.close()
      try expect(try OpenedJournal.replay(rig.store) == records(5), "nothing is lost in between")
    },
    StoreCheck("a full segment is sealed by itself, and each is behind the one before") { rig in
      let journal = try OpenedJournal(rig.store)
      try journal.write(records(500), unit: 9)
      let vault = rig.store.sealed(.first)
      let segments = try vault.list()
      try expect(segments.count > 2, "500 records take several segments")
      try expect(segments.map(\.number) == Array(1...UInt64(segments.count)), "they are counted from 1, oldest first")
      var image = SegmentImage()
      var position: UInt64 = 0
      for segment in segments.dropLast() {
        let outline = try vault.get(segment, &image) { record in
          if record.position == position + 1 { position += 1 }
        }
        try expect(outline.isSealed && outline.endPosition == position + 1, "\(segment.number) has its records")
        try expect(
          try vault.header(of: segment.number + 1).previousHash == outline.headHash, "and the next one is linked to it")
      }
      try journal.writer.close()
    },
    StoreCheck("only what stands behind the starting point is replayed, and another journal's point is refused") {
      rig in
      let journal = try OpenedJournal(rig.store)
      var points: [JournalPoint] = []
      for round in 0..<6 {
        try journal.write(records(60, from: round * 60), unit: 6)
        points.append(journal.writer.durablePoint)
      }
      try journal.writer.close()
      for point in points {
        let found = try OpenedJournal.replay(rig.store, from: point)
        try expect(found == Array(records(360)[Int(point.position)...]), "from \(point)")
      }
      guard var foreign = points.first, var beyond = points.last else { throw StoreBreach("there are points") }
      foreign.segmentID = SegmentID(high: 1, low: 2)
      beyond.position += 1
      for point in [foreign, beyond] {
        try expect(OpenedJournal.refusal(rig.store, from: point)?.failure == .damaged, "\(point) is none of it")
      }
    },
    StoreCheck("one writer at a time, until it has closed") { rig in
      let journal = try OpenedJournal(rig.store)
      try journal.write(records(2))
      try expect(OpenedJournal.refusal(rig.store)?.failure == .unavailable, "a second one is refused")
      try journal.write(records(2, from: 2))
      try journal.writer.close()
      try expect(try OpenedJournal.replay(rig.store) == records(4), "and the first was not disturbed")
    },
    StoreCheck("whoever was relieved does not write, and nothing of the journal changes") { rig in
      let journal = try OpenedJournal(rig.store)
      try journal.write(records(10))
      let epoch = journal.writer.epoch
      try journal.writer.close()
      let before = try contents(of: rig.store.sealed(.first))
      try rig.relieve(.first, by: epoch + 4)
      for _ in 0..<2 {
        try expect(OpenedJournal.refusal(rig.store)?.failure == .fenced(epoch: epoch + 4), "the higher epoch fences it")
      }
      try expect(try contents(of: rig.store.sealed(.first)) == before, "nothing has changed")
    },
    StoreCheck("whoever takes over writes in a higher epoch, behind all that was there") { rig in
      let journal = try OpenedJournal(rig.store)
      try journal.write(records(10))
      let (epoch, point) = (journal.writer.epoch, journal.writer.durablePoint)
      try journal.writer.close()
      let taken = try rig.takeOver(.first)
      try expect(taken > epoch, "the epoch rises")
      let heir = try OpenedJournal(rig.store)
      try expect(heir.writer.epoch == taken && heir.replayed == records(10), "all is there")
      try heir.write(records(5, from: 10))
      try expect(heir.writer.durablePoint.segmentNumber > point.segmentNumber, "an epoch has segments of its own")
      try expect(heir.writer.durableExtent.epoch == taken, "which say so")
      try heir.writer.close()
      try expect(try OpenedJournal.replay(rig.store) == records(15), "and later starts take both")
    },
  ]

  /// All records of all segments, by the segment.
  static func contents(of vault: any SegmentVault) throws(JournalError) -> [UInt64: [PendingRecord]] {
    var found: [UInt64: [PendingRecord]] = [:]
    var image = SegmentImage()
    for segment in try vault.list() {
      var records: [PendingRecord] = []
      _ = try vault.get(segment, &image) { records.append(PendingRecord($0)) }
      found[segment.number] = records
    }
    return found
  }
}
