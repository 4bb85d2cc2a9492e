import EntityRuntime
import EventSourcing
import TestSupport
import Testing

@Suite("The timer wheel")
struct TimerWheelTests {
  private let time = ManualTime(start: .epoch)

  @Test(
    "fires at the tick after its delay, never before", arguments: [0, 1, 19, 20, 21, 5_000, 81_920, 200_000] as [Int64])
  func delay(milliseconds: Int64) {
    let wheel = TimerWheel(time: time)
    let diary = Diary()
    _ = wheel.schedule(afterMilliseconds: milliseconds) { diary.note("fired") }
    if milliseconds > 20 {
      time.advance(by: .milliseconds(milliseconds - 1))
      wheel.fireDue()
      #expect(diary.lines.isEmpty)
      time.advance(by: .milliseconds(1))
    } else {
      time.advance(by: .milliseconds(milliseconds))
    }
    time.advance(by: .milliseconds(20))
    wheel.fireDue()
    #expect(diary.lines == ["fired"])
    #expect(wheel.count == 0)
  }

  @Test("a cancelled timer does not fire, and a stale handle does nothing")
  func cancel() {
    let wheel = TimerWheel(time: time)
    let diary = Diary()
    let first = wheel.schedule(afterMilliseconds: 10) { diary.note("first") }
    #expect(wheel.cancel(first))
    #expect(!wheel.cancel(first))
    let second = wheel.schedule(afterMilliseconds: 10) { diary.note("second") }
    #expect(!wheel.cancel(first))
    time.advance(by: .milliseconds(40))
    wheel.fireDue()
    #expect(diary.lines == ["second"])
    #expect(!wheel.cancel(second))
  }

  @Test("overdue timers fire first, in the order of their deadlines")
  func overdue() {
    let wheel = TimerWheel(time: time)
    let diary = Diary()
    _ = wheel.schedule(afterMilliseconds: 15) { diary.note("now") }
    _ = wheel.schedule(afterMilliseconds: -1_000) { diary.note("second") }
    _ = wheel.schedule(afterMilliseconds: -60_000) { diary.note("first") }
    time.advance(by: .milliseconds(40))
    wheel.fireDue()
    #expect(diary.lines == ["first", "second", "now"])
  }

  @Test("a random schedule fires exactly what is due (fixed seed)")
  func random() {
    let wheel = TimerWheel(time: time, tickMilliseconds: 10, slotCount: 16)
    var random = SeededGenerator(seed: 0xC0FFEE)
    var expected: [Int: Int64] = [:]
    var handles: [Int: TimerWheel.Handle] = [:]
    let diary = Diary()
    for id in 0..<2_000 {
      switch Int.random(in: 0..<10, using: &random) {
      case 0..<6:
        let delay = Int64.random(in: 1...3_000, using: &random)
        expected[id] = time.monotonicMilliseconds + delay
        handles[id] = wheel.schedule(afterMilliseconds: delay) { diary.note("\(id)") }
      case 6..<8:
        if let victim = handles.keys.sorted().first {
          if wheel.cancel(handles[victim]!) { expected[victim] = nil }
          handles[victim] = nil
        }
      default:
        time.advance(by: .milliseconds(Int64.random(in: 1...400, using: &random)))
        wheel.fireDue()
        let fired = Set(diary.lines.compactMap { Int($0) })
        let now = time.monotonicMilliseconds
        for (id, deadline) in expected {
          if deadline + 10 <= now { #expect(fired.contains(id)) }
          if deadline > now { #expect(!fired.contains(id)) }
        }
      }
    }
    time.advance(by: .seconds(10))
    wheel.fireDue()
    #expect(diary.lines.count == Set(diary.lines).count)
    #expect(Set(diary.lines.compactMap { Int($0) }).isSuperset(of: expected.keys))
    #expect(wheel.count == 0)
  }

  @Test("an absolute deadline that has passed fires at the next tick; one that is moved fires once")
  func keyed() {
    let wheel = TimerWheel(time: time)
    let timers = KeyedTimers<String>(wheel: wheel, time: time)
    let diary = Diary()
    time.advance(by: .seconds(100))
    timers.start("push", of: "a", at: Timestamp(milliseconds: 5_000)) { diary.note("overdue") }
    timers.start("push", of: "b", at: Timestamp(milliseconds: 101_000)) { diary.note("early") }
    timers.start("push", of: "b", at: Timestamp(milliseconds: 102_000)) { diary.note("late") }
    timers.start("ttl", of: "b", at: Timestamp(milliseconds: 101_000)) { diary.note("never") }
    timers.cancel("ttl", of: "b")
    time.advance(by: .milliseconds(40))
    wheel.fireDue()
    #expect(diary.lines == ["overdue"])
    time.advance(by: .seconds(10))
    wheel.fireDue()
    #expect(diary.lines == ["overdue", "late"])
  }
}
