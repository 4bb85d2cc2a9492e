import Testing

@testable import StandbyEngine

@Suite("For how long something waits for a standby")
struct DurableHistoryTests {
  @Test("since the oldest record that is not acknowledged became durable")
  func oldest() {
    var history = DurableHistory()
    for (position, milliseconds) in [(10, 100), (20, 200), (30, 300)] as [(UInt64, Int64)] {
      history.note(position, at: milliseconds)
    }
    #expect(history.waiting(behind: 0, at: 1_000) == 900)
    #expect(history.waiting(behind: 9, at: 1_000) == 900)
    #expect(history.waiting(behind: 10, at: 1_000) == 800)
    #expect(history.waiting(behind: 29, at: 1_000) == 700)
    #expect(history.waiting(behind: 30, at: 1_000) == 0)
  }

  @Test("moments near each other are one, which began with the first")
  func near() {
    var history = DurableHistory()
    history.note(1, at: 100)
    history.note(5, at: 100 + DurableHistory.intervalMilliseconds - 1)
    history.note(5, at: 500)
    #expect(history.waiting(behind: 4, at: 600) == 500)
    #expect(history.waiting(behind: 5, at: 600) == 0)
  }

  @Test("however long it goes on, it is bounded, says never too little, and of what is new it is exact")
  func bounded() {
    var history = DurableHistory()
    let count = UInt64(DurableHistory.countMaximum * 20)
    for position in 1...count { history.note(position, at: Int64(position) * 100) }
    let now = Int64(count) * 100
    #expect(history.waiting(behind: count - 1, at: now) == 0)
    #expect(history.waiting(behind: count - 100, at: now) == 99 * 100)
    for behind in stride(from: 0, to: count, by: 997) {
      #expect(history.waiting(behind: behind, at: now) >= Int64(count - behind - 1) * 100, "\(behind)")
    }
    #expect(history.momentCount <= DurableHistory.countMaximum)
  }
}
