import Dispatch
import Journal
import JournalFormat
import Synchronization

extension StoreCheck {
  static let writing = [
    StoreCheck("what was appended is replayed after close and open, and writing goes on") { rig in
      let first = try OpenedJournal(rig.store)
      try expect(first.replayed.isEmpty && first.writer.durablePosition == 0, "a new journal is empty")
      try first.write(records(600), unit: 7)
      try first.writer.close()
      let second = try OpenedJournal(rig.store)
      try expect(second.replayed == records(600), "all is replayed, in order")
      try expect(second.report.records == 600 && second.report.lastPosition == 600, "the report says so")
      try expect(second.writer.lastPosition == 600 && second.writer.durablePosition == 600, "it goes on behind it")
      try second.write(records(10, from: 600))
      try second.writer.close()
      try expect(try OpenedJournal.replay(rig.store) == records(610), "what came later too")
    },
    StoreCheck("positions, releases and replay have the same order, whoever appends") { rig in
      let journal = try OpenedJournal(rig.store)
      let appended = Mutex<[Int]>([])
      let released = Recorder<Int>()
      DispatchQueue.concurrentPerform(iterations: 4) { thread in
        for number in (thread * 100)..<(thread * 100 + 100) {
          // The lock makes the order of the appends known.
          appended.withLock { appended in
            let position = try? journal.writer.append(
              records(1, from: number), waiter: NumberedWaiter(number, released))
            if position == UInt64(appended.count + 1) { appended.append(number) }
          }
        }
      }
      try journal.writer.close()
      let order = appended.withLock { $0 }
      try expect(order.count == 400, "positions are counted without gaps")
      try expect(released.all == order, "releases come in the order of the positions")
      try expect(try OpenedJournal.replay(rig.store).map { Int($0.sequence) } == order, "and so does the replay")
    },
    StoreCheck("what one append brings is there as a whole, or nothing of it") { rig in
      let journal = try OpenedJournal(rig.store)
      try journal.write(records(3))
      var large = records(2, from: 3)
      large[1].payload = [UInt8](repeating: 7, count: OpenedJournal.segmentByteCount)
      var refusal: JournalError?
      do throws(JournalError) { try journal.writer.append(large) } catch { refusal = error }
      guard case .tooLarge = refusal else { throw StoreBreach("what is too large is refused") }
      try expect(refusal?.failure == nil, "and the store is not to blame")
      try expect(journal.writer.lastPosition == 3, "nothing of it was appended")
      try journal.write(records(4, from: 3), unit: 4)
      let crashed = try rig.crashed()
      try journal.writer.close()
      try expect(try OpenedJournal.replay(crashed.store) == records(7), "the others are there")
    },
    StoreCheck(
      "before it is durable nobody is released, and what comes meanwhile becomes durable together",
      faults: { rig, faults in
        let (journal, released) = (try OpenedJournal(rig.store), Recorder<Int>())
        let (awaitWrite, letGo) = faults.hold()
        try journal.writer.append(records(1), waiter: NumberedWaiter(0, released))
        awaitWrite()
        for number in 1...50 {
          try journal.writer.append(records(1, from: number), waiter: NumberedWaiter(number, released))
        }
        let (early, durable, before) = (released.all, journal.writer.durablePosition, journal.writer.commitFigures)
        letGo()
        try journal.writer.waitUntilDurable(51)
        try expect(early.isEmpty && durable == 0, "nobody is told of what is not durable")
        let commits = journal.writer.commitFigures.since(before).count
        try expect(commits == 2, "one append and fifty are two groups, not \(commits)")
        try journal.writer.close()
        try expect(released.all == Array(0...50), "all are released, in order")
        try expect(try OpenedJournal.replay(rig.store) == records(51), "all is there")
      }),
    StoreCheck("closing twice is closing, and nothing is appended behind it") { rig in
      let (journal, released) = (try OpenedJournal(rig.store), Recorder<Int>())
      try journal.writer.append(records(1), waiter: NumberedWaiter(0, released), lazy: true)
      try journal.writer.close()
      try journal.writer.close()
      try expect(released.all == [0], "closing makes durable what waits")
      var refusal: JournalError?
      do throws(JournalError) { try journal.writer.append(records(1, from: 1)) } catch { refusal = error }
      try expect(refusal == .closed && refusal?.failure == .unavailable, "a closed journal takes nothing")
      try expect(journal.losses.all.isEmpty, "closing is no loss")
      for _ in 0..<2 { try expect(try OpenedJournal.replay(rig.store) == records(1), "opening changes nothing") }
    },
    StoreCheck("partitions have nothing to do with each other") { rig in
      let second = PartitionID(rawValue: 1)
      let (one, other) = (try OpenedJournal(rig.store), try OpenedJournal(rig.store, second))
      try one.write(records(20))
      try other.write(records(30, from: 100))
      try one.writer.close()
      try other.write(records(5, from: 130))
      try other.writer.close()
      try expect(try OpenedJournal.replay(rig.store) == records(20), "the first has its own")
      try expect(try OpenedJournal.replay(rig.store, second) == records(35, from: 100), "and so has the second")
    },
  ]
}
