import Conservation
import Testing

@Suite("What was asked for and what became of it")
struct PushLedgerTests {
  @Test("agree if each was taken over once and has one end, asked for by a chat or not")
  func agree() {
    var ledger = PushLedger<Int>()
    for id in 1...3 {
      if id > 1 { ledger.owed(id) }
      ledger.taken(id)
      ledger.ended(id, id == 2 ? "failed" : "delivered")
    }
    #expect(ledger.verdict() == [])
    #expect(ledger.outcomes == ["delivered": 2, "failed": 1])
    #expect(ledger.count == 3)
  }

  @Test("do not if one was never taken over, or has no end, or several")
  func disagree() {
    var ledger = PushLedger<Int>()
    ledger.owed(1)
    ledger.taken(2)
    ledger.taken(3)
    ledger.ended(3, "failed")
    ledger.ended(3, "delivered")
    ledger.taken(4)
    ledger.taken(4)
    ledger.ended(4, "delivered")
    ledger.ended(5, "delivered")
    #expect(
      ledger.verdict() == [
        "1 was asked for, and no queue has it", "2 has no end", "3 has several ends: failed, delivered",
        "4 was taken over 2 times", "5 has ended and was never taken over",
      ])
  }

  @Test("are not asked for what was erased")
  func erased() {
    var ledger = PushLedger<Int>()
    ledger.taken(1)
    ledger.ended(2, "erased")
    ledger.taken(3)
    #expect(ledger.verdict { $0 < 3 } == ["3 has no end"])
  }
}
