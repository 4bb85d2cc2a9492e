import Conservation
import Testing

@Suite("What many listeners hear")
struct HearingLedgerTests {
  private let first = HearingLedger.Message(chatID: "a", number: 1)
  private let second = HearingLedger.Message(chatID: "a", number: 2)

  @Test("is timed for each of them from when it was due")
  func times() {
    var ledger = HearingLedger(listeners: 2)
    ledger.posted(first, due: 100)
    ledger.posted(second, due: 200)
    #expect(ledger.heard(first, by: 1, at: 130) == 30)
    #expect(ledger.heard(second, by: 1, at: 205) == 5)
    #expect(!ledger.isComplete)
    #expect(ledger.heard(first, by: 0, at: 190) == 90)
    #expect(ledger.heard(second, by: 0, at: 201) == 1)
    #expect(ledger.isComplete)
    #expect(ledger.verdict() == [])
  }

  @Test("is missed where it does not come")
  func missing() {
    var ledger = HearingLedger(listeners: 3)
    ledger.posted(second, due: 0)
    ledger.posted(first, due: 0)
    #expect(ledger.heard(first, by: 2, at: 1) == 1)
    #expect(
      ledger.verdict() == [
        "message 1 of a has not come to 2 of 3 listeners", "message 2 of a has not come to 3 of 3 listeners",
      ])
  }

  @Test("is told if it comes twice, before all have it and after")
  func twice() {
    var ledger = HearingLedger(listeners: 2)
    ledger.posted(first, due: 0)
    #expect(ledger.heard(first, by: 0, at: 1) == 1)
    #expect(ledger.heard(first, by: 0, at: 2) == nil)
    #expect(ledger.heard(first, by: 1, at: 3) == 3)
    #expect(ledger.heard(first, by: 1, at: 4) == nil)
    #expect(ledger.isComplete)
    #expect(ledger.verdict() == ["listener 0 heard message 1 of a twice", "listener 1 heard message 1 of a twice"])
  }

  @Test("is nothing of ours if nobody posted it here")
  func others() {
    var ledger = HearingLedger(listeners: 1)
    #expect(ledger.heard(first, by: 0, at: 1) == nil)
    #expect(ledger.isComplete)
    #expect(ledger.verdict() == [])
  }
}
