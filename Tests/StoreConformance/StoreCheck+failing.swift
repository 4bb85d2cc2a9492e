import Journal
import JournalFormat

extension StoreCheck {
  static let failing = [
    StoreCheck(
      "a failure tells all who wait that they are lost, says so once, and takes nothing more",
      faults: { rig, faults in
        let journal = try OpenedJournal(rig.store)
        try journal.write(records(3))
        let (released, lost) = (Recorder<Int>(), Recorder<Int>())
        faults.breakDown()
        for number in 0..<5 {
          try journal.writer.append(
            records(1, from: 3 + number), waiter: NumberedWaiter(number, released, lost: lost), lazy: true)
        }
        var failure: JournalError?
        do throws(JournalError) { try journal.writer.waitUntilDurable(8) } catch { failure = error }
        try expect(failure == .failed, "who waits by thread hears of it")
        do throws(JournalError) { try journal.writer.append(records(1, from: 8)) } catch { failure = error }
        try expect(failure == .failed && failure?.failure == .unavailable, "nothing more is taken")
        failure = nil
        do throws(JournalError) { try journal.writer.close() } catch { failure = error }
        try expect(failure == .failed, "closing says that not all is durable")
        try expect(released.all.isEmpty && lost.all == [0, 1, 2, 3, 4], "all are lost, in order")
        try expect(journal.losses.all.count == 1, "the owner is told once")
        try expect(journal.writer.durablePosition == 3, "what was durable stays so")
        let found = try OpenedJournal.replay(try rig.crashed().store)
        try expect(found.starts(with: records(3)), "also for the next process")
      }),
    StoreCheck(
      "without room appends are refused before anything is lost, and taken again when there is some",
      faults: { rig, faults in
        // For its first segment, and no second one.
        faults.setRoom(90 * 1024)
        let journal = try OpenedJournal(rig.store, segmentByteCount: 64 * 1024)
        try journal.write(records(5))
        var (count, refusal) = (5, JournalError?.none)
        while refusal == nil, count < 5_000 {
          do throws(JournalError) {
            try journal.writer.waitUntilDurable(try journal.writer.append(records(5, from: count), lazy: true))
            count += 5
          } catch {
            refusal = error
          }
        }
        try expect(refusal?.failure == .full, "the refusal says why, not \(String(describing: refusal))")
        try expect(journal.writer.isStorageFull && journal.losses.all.isEmpty, "and the journal goes on")
        faults.setRoom(nil)
        while (try? journal.writer.append(records(1, from: count))) == nil {}
        try journal.writer.close()
        try expect(try OpenedJournal.replay(rig.store) == records(count + 1), "all that was taken is there")
      }),
    StoreCheck(
      "a journal for which there is no room is not begun, and is once there is",
      faults: { rig, faults in
        faults.setRoom(1_000)
        try expect(OpenedJournal.refusal(rig.store)?.failure == .full, "that is said at the start")
        faults.setRoom(nil)
        try expect(try OpenedJournal.replay(rig.store).isEmpty, "nothing is in the way then")
      }),
    StoreCheck("a damaged segment is found, by a start and by whoever reads it, and the others are not touched") {
      rig in
      let journal = try OpenedJournal(rig.store)
      try journal.write(records(400), unit: 8)
      let point = journal.writer.durablePoint
      try journal.writer.close()
      let vault = rig.store.sealed(.first)
      let segments = try vault.list()
      try rig.damage(segments[1])
      try expect(OpenedJournal.refusal(rig.store)?.failure == .damaged, "a start refuses it")
      var image = SegmentImage()
      var failure: JournalError?
      do throws(JournalError) { _ = try vault.get(segments[1], &image) { _ in } } catch { failure = error }
      try expect(failure?.failure == .damaged, "a reader too")
      try expect(try vault.get(segments[0], &image) { _ in }.isSealed, "the one before is whole")
      try expect(try vault.list() == segments, "all are where they were")
      try expect(try OpenedJournal.replay(rig.store, from: point).isEmpty, "a start that does not read it goes on")
    },
  ]
}
