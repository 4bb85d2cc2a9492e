import Conservation
import JSONEnvelope
import Synchronization

/// One chat between the customer who has it and the agent who posts to it.
final class SoakChat: Sendable {
  private struct State {
    var random: SplitMix64
    var sent = 0
    /// When each message was due that has not come, while its customer is there.
    var due: [String: ContinuousClock.Instant] = [:]
    var isCustomerThere = false
    /// Of the planted loss.
    var dropsNext = false
  }

  let ledger: DeliveryLedger
  private let mark: String
  private let state: Mutex<State>

  init(_ ledger: DeliveryLedger, of person: SoakPerson, random: SplitMix64) {
    self.ledger = ledger
    mark = person.mark
    state = Mutex(State(random: random))
  }

  /// The next text to post: no two are the same.
  func nextText(due: ContinuousClock.Instant) -> String {
    state.withLock { state in
      state.sent += 1
      let words = MessageText.make(&state.random).prefix(MessageText.length - MessageText.prefixLength - mark.count - 2)
      let text = String(decoding: MessageText.prefix(state.sent), as: UTF8.self) + " \(mark) \(words)"
      if state.isCustomerThere { state.due[text] = due }
      return text
    }
  }

  /// What was on its way while the customer was away says nothing about how fast the server is.
  func customer(isThere: Bool) {
    state.withLock { state in
      state.isCustomerThere = isThere
      state.due = [:]
    }
  }

  func plantLoss() { state.withLock { $0.dropsNext = true } }

  /// - Parameter event: as it stands in a Comet answer.
  func receive(_ event: JSONValue, mayRepeat: Bool, _ tally: SoakTally) {
    let message = event["data"]?["message"] ?? event
    // A former chat of the same person has been judged.
    guard message["chatSessionId"] == .string(ledger.chatID) else { return }
    let isDropped = state.withLock { state in
      defer { state.dropsNext = false }
      return state.dropsNext
    }
    if isDropped { return }
    let receipt = ledger.receive(message, mayRepeat: mayRepeat)
    let now = ContinuousClock.now
    let texts = receipt.texts.filter { $0.hasPrefix("#") }
    let latencies = state.withLock { state in
      texts.compactMap { state.due.removeValue(forKey: $0) }.map { (now - $0).wholeNanoseconds }
    }
    tally.delivered(texts.count, repeats: receipt.repeats, latencies: latencies)
  }
}
