import EntityRuntime
import Testing

@Suite("Lanes and the task pool")
struct LaneTests {
  @Test("jobs of a lane run in order, also when many threads put them there", .timeLimit(.minutes(1)))
  func order() async {
    let lane = Lane()
    let diary = Diary()
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await lane.run() }
      await withTaskGroup(of: Void.self) { producers in
        for producer in 0..<8 {
          producers.addTask {
            for number in 0..<200 { lane.enqueue { diary.note("\(producer) \(number)") } }
          }
        }
      }
      lane.finish()
    }
    #expect(diary.lines.count == 1_600)
    for producer in 0..<8 {
      let own = diary.lines.filter { $0.hasPrefix("\(producer) ") }
      #expect(own == (0..<200).map { "\(producer) \($0)" })
    }
  }

  @Test("a lane that is finished runs what waits, and takes no more", .timeLimit(.minutes(1)))
  func finish() async {
    let lane = Lane()
    let diary = Diary()
    lane.enqueue { diary.note("before") }
    lane.finish()
    lane.enqueue { diary.note("after") }
    await lane.run()
    #expect(diary.lines == ["before"])
  }

  @Test("a full pool refuses; a finished pool awaits what runs", .timeLimit(.minutes(1)))
  func pool() async {
    let pool = TaskPool(limit: 2)
    let diary = Diary()
    let (gate, open) = AsyncStream.makeStream(of: Void.self)
    #expect(
      pool.spawn {
        for await _ in gate {}
        diary.note("first")
      })
    #expect(pool.spawn { diary.note("second") })
    #expect(!pool.spawn { diary.note("third") })
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await pool.run() }
      open.finish()
      pool.finish()
    }
    #expect(Set(diary.lines) == ["first", "second"])
    #expect(!pool.spawn { diary.note("late") })
    #expect(pool.count == 0)
  }

  @Test("a place that is kept counts, until its job is done or it is given back", .timeLimit(.minutes(1)))
  func places() async {
    let pool = TaskPool(limit: 2)
    let diary = Diary()
    #expect(pool.reserve() && pool.reserve() && !pool.reserve())
    #expect(!pool.spawn { diary.note("no room") })
    pool.giveBack()
    #expect(pool.start { diary.note("kept") })
    #expect(pool.spawn { diary.note("given back") })
    #expect(pool.count == 2)
    pool.finish()
    await pool.run()
    #expect(Set(diary.lines) == ["kept", "given back"] && pool.count == 0)
    #expect(pool.reserve() && !pool.start { diary.note("late") })
    #expect(pool.count == 0)
  }
}
