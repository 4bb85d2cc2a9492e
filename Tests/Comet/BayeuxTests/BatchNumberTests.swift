import Testing

@testable import Bayeux

@Suite("Numbers of batches")
struct BatchNumberTests {
  private func close(_ numbers: inout BatchNumbers, _ marks: (String, Int)?...) -> Int {
    numbers.close(
      over: marks.map { mark in
        QueuedEvent(
          message: QueuedMessage(bytes: [], mark: mark.map { DeliveryMark(source: $0.0, position: $0.1) }), serial: 0)
      })
  }

  @Test("tell the sum of the positions sent, rise with each batch, and are repeated by empty replies")
  func sums() {
    var numbers = BatchNumbers()
    #expect(numbers.ofEmptyReply() == 1)
    #expect(close(&numbers, ("a", 2), ("a", 3)) == 3 << 13)
    #expect(numbers.ofEmptyReply() == 3 << 13)
    #expect(close(&numbers, nil) == 3 << 13 + 1)
    #expect(close(&numbers, ("a", 3)) == 3 << 13 + 2)
    #expect(close(&numbers, ("b", 4)) == 7 << 13)
  }

  @Test("become plain where the pattern does not hold, and stay so")
  func plain() {
    var numbers = BatchNumbers()
    for _ in 0..<(1 << 13) - 1 { _ = close(&numbers, nil) }
    #expect(numbers.last == 1 << 13 - 1)
    #expect(close(&numbers, nil) == BatchNumbers.plainFirst)
    #expect(close(&numbers, ("a", 9)) == BatchNumbers.plainFirst + 1)
    var far = BatchNumbers()
    #expect(close(&far, ("a", 200_000)) == BatchNumbers.plainFirst)
    #expect(close(&far, ("a", 200_001)) == BatchNumbers.plainFirst + 1)
  }

  @Test("what a client names is read against what is known of it", arguments: [-1, 0, 1, 8, Int.max, Int.min])
  func strange(number: Int) {
    var numbers = BatchNumbers(delivered: ["a": 5])
    #expect(numbers.learn(number, waiting: ["a"]) == nil)
    #expect(close(&numbers, ("a", 6)) > numbers.last - 1)
  }

  @Test("learns of one chat that waits, never of several")
  func learns() {
    var one = BatchNumbers(delivered: ["a": 5, "b": 2])
    #expect(one.learn(9 << 13 + 3, waiting: ["b"]) == DeliveryMark(source: "b", position: 4))
    #expect(close(&one, ("b", 5)) == 10 << 13)
    var several = BatchNumbers(delivered: ["a": 5])
    #expect(several.learn(9 << 13, waiting: ["a", "b"]) == nil)
  }
}
