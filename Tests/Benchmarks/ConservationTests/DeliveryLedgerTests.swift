import Conservation
import JSONEnvelope
import Testing

@Suite("What an agent was told and what the customer has")
struct DeliveryLedgerTests {
  private let ledger = DeliveryLedger(serviceID: "412-1", chatID: "chat", user: "mia")

  private func notification(_ texts: [String], upTo position: Int, chat: String = "chat") -> JSONValue {
    let tuples = texts.map { JSONValue.array(["Message.Text", "Agent", .string($0), 1, "AGENT"]) }
    return [
      "chatSessionId": .string(chat), "transcriptPosition": .string(String(position)),
      "transcriptToShow": .array(tuples),
    ]
  }

  @Test("agree if everything came once, in order, in however many pieces")
  func agree() {
    for (position, text) in [(1, "a"), (2, "b"), (3, "c")] { ledger.acknowledge(text, at: position) }
    #expect(!ledger.isComplete)
    #expect(ledger.receive(notification(["a"], upTo: 1), mayRepeat: false).texts == ["a"])
    #expect(ledger.receive(notification(["b", "c"], upTo: 3), mayRepeat: false).texts == ["b", "c"])
    #expect(ledger.isComplete)
    #expect(ledger.verdict() == [])
  }

  @Test("do not if one is missing at the end")
  func lost() {
    ledger.acknowledge("a", at: 1)
    ledger.acknowledge("b", at: 2)
    ledger.receive(notification(["a"], upTo: 1), mayRepeat: false)
    #expect(!ledger.isComplete)
    #expect(ledger.verdict() == ["acknowledged at 2 of 1 and lost: b"])
  }

  @Test("do not if one is missing in between")
  func gap() {
    ledger.acknowledge("a", at: 1)
    ledger.receive(notification(["b"], upTo: 2), mayRepeat: true)
    #expect(ledger.verdict() == ["event 2 came after 0", "acknowledged at 1 of 0 and lost: a"])
  }

  @Test("allow a repetition after a loss and at no other time")
  func repetition() {
    ledger.acknowledge("a", at: 1)
    ledger.receive(notification(["a"], upTo: 1), mayRepeat: false)
    let receipt = ledger.receive(notification(["a"], upTo: 1), mayRepeat: true)
    #expect(receipt.texts == [] && receipt.repeats == 1)
    #expect(ledger.verdict() == [])
    ledger.receive(notification(["a"], upTo: 1), mayRepeat: false)
    #expect(ledger.verdict() == ["event 1 came twice though nothing was lost"])
  }

  @Test("allow no repetition that is another event, and no text at two places")
  func changed() {
    ledger.acknowledge("a", at: 1)
    ledger.doubt("b")
    ledger.receive(notification(["a"], upTo: 1), mayRepeat: false)
    ledger.receive(notification(["b"], upTo: 1), mayRepeat: true)
    #expect(ledger.verdict() == ["event 1 has changed"])
    ledger.receive(notification(["a"], upTo: 2), mayRepeat: false)
    #expect(ledger.verdict() == ["event 1 has changed", "in the transcript twice: a"])
  }

  @Test("may disagree about what was never answered, and about nothing else")
  func doubted() {
    ledger.doubt("perhaps")
    #expect(ledger.isComplete)
    #expect(ledger.verdict() == [])
    ledger.receive(notification(["perhaps"], upTo: 1), mayRepeat: false)
    #expect(ledger.verdict() == [])
    ledger.receive(notification(["from nowhere"], upTo: 2), mayRepeat: false)
    #expect(ledger.verdict() == ["nobody wrote from nowhere"])
  }

  @Test("do not if an answer named another's place, or the place of a later one")
  func places() {
    ledger.acknowledge("a", at: 1)
    ledger.acknowledge("b", at: 1)
    ledger.acknowledge("c", notAfter: 1)
    ledger.receive(notification(["b", "c"], upTo: 2), mayRepeat: false)
    #expect(ledger.verdict() == ["position 1 was given to “a” and to “b”", "acknowledged and lost: c"])
  }

  @Test("know a notification that is not theirs")
  func foreign() {
    ledger.receive(notification(["a"], upTo: 1, chat: "other"), mayRepeat: false)
    #expect(ledger.verdict().first?.hasPrefix("not a notification of this chat") == true)
  }
}
