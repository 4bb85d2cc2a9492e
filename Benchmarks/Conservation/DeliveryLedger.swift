package import JSONEnvelope
import Synchronization

/// What the outside world knows of one chat while the server dies again and again.
package final class DeliveryLedger: Sendable {
  package struct State: Sendable {
    /// Texts whose request was answered with 200, by the position that the answer named.
    package fileprivate(set) var acknowledged: [Int: String] = [:]
    /// Texts whose answer named a position at or after their own.
    package fileprivate(set) var acknowledgedBefore: [String: Int] = [:]
    /// Texts whose request ended without an answer: they may be in the transcript or not.
    package fileprivate(set) var uncertain: Set<String> = []
    /// What the customer has received: the tuple at each position from 1.
    package fileprivate(set) var received: [JSONValue] = []
    package fileprivate(set) var violations: [String] = []
  }

  /// What one notification has brought.
  package struct Receipt: Sendable {
    /// The texts of the events that came for the first time.
    package fileprivate(set) var texts: [String] = []
    /// Events that came once more after a loss, as they may.
    package fileprivate(set) var repeats = 0
  }

  package let serviceID: String
  package let chatID: String
  /// Whose the chat is.
  package let user: String
  private let state = Mutex(State())

  package init(serviceID: String, chatID: String, user: String) {
    self.serviceID = serviceID
    self.chatID = chatID
    self.user = user
  }

  package var snapshot: State { state.withLock { $0 } }
  package var position: Int { state.withLock { $0.received.count } }

  /// True once everything has come whose place an answer has named.
  package var isComplete: Bool {
    state.withLock { state in
      state.received.count >= max(state.acknowledged.keys.max() ?? 0, state.acknowledgedBefore.values.max() ?? 0)
    }
  }

  package func acknowledge(_ text: String, at position: Int) {
    state.withLock { state in
      if let other = state.acknowledged.updateValue(text, forKey: position) {
        state.violations.append("position \(position) was given to “\(other)” and to “\(text)”")
      }
    }
  }

  package func acknowledge(_ text: String, notAfter position: Int) {
    state.withLock { $0.acknowledgedBefore[text] = position }
  }

  package func doubt(_ text: String) { state.withLock { _ = $0.uncertain.insert(text) } }

  package func violate(_ sentence: String) { state.withLock { $0.violations.append(sentence) } }

  /// Takes a notification's events.
  /// - Parameter mayRepeat: something may have been lost since the customer's last answer: the server was killed, a
  ///   connection was cut, or the customer has said anew what they have.
  @discardableResult
  package func receive(_ message: JSONValue, mayRepeat: Bool) -> Receipt {
    state.withLock { state in
      guard let last = message["transcriptPosition"]?.lenientInteger, let tuples = message["transcriptToShow"]?.array,
        message["chatSessionId"] == .string(chatID)
      else {
        state.violations.append("not a notification of this chat: \(String(decoding: message.text, as: UTF8.self))")
        return Receipt()
      }
      var receipt = Receipt()
      for (index, tuple) in tuples.enumerated() {
        let position = last - tuples.count + 1 + index
        if position <= state.received.count {
          if state.received[position - 1] != tuple { state.violations.append("event \(position) has changed") }
          if mayRepeat {
            receipt.repeats += 1
          } else {
            state.violations.append("event \(position) came twice though nothing was lost")
          }
        } else if position == state.received.count + 1 {
          state.received.append(tuple)
          if let text = tuple[2]?.string { receipt.texts.append(text) }
        } else {
          state.violations.append("event \(position) came after \(state.received.count)")
        }
      }
      return receipt
    }
  }

  // MARK: The end

  /// What is wrong once nothing is under way any more: what was acknowledged and has not come where its answer said,
  /// what came that nobody wrote, what came twice; and what was wrong on the way.
  package func verdict() -> [String] {
    let state = snapshot
    var wrong = state.violations
    let texts = state.received.map { $0[2]?.string ?? "" }
    for (position, text) in state.acknowledged.sorted(by: { $0.key < $1.key })
    where position > texts.count || texts[position - 1] != text {
      wrong.append("acknowledged at \(position) of \(texts.count) and lost: \(text.prefix(30))")
    }
    for (text, position) in state.acknowledgedBefore where !texts.prefix(position).contains(text) {
      wrong.append("acknowledged and lost: \(text.prefix(30))")
    }
    let known = state.uncertain.union(state.acknowledged.values).union(state.acknowledgedBefore.keys)
    var seen: Set<String> = []
    for (tuple, text) in zip(state.received, texts) where tuple[0] == "Message.Text" {
      if !known.contains(text) { wrong.append("nobody wrote \(text.prefix(30))") }
      if !seen.insert(text).inserted { wrong.append("in the transcript twice: \(text.prefix(30))") }
    }
    return wrong
  }
}
