import JSONEnvelope
import Synchronization

/// What the outside world knows of one chat while the server dies again and again.
final class KillLedger: Sendable {
  struct State {
    /// Texts whose request was answered with 200, by the position that the answer named.
    var acknowledged: [Int: String] = [:]
    /// Texts whose answer named a position at or after their own.
    var acknowledgedBefore: [String: Int] = [:]
    /// Texts whose request ended without an answer: they may be in the transcript or not.
    var uncertain: Set<String> = []
    /// What the customer has received: the tuple at each position from 1.
    var received: [JSONValue] = []
    var violations: [String] = []
  }

  let serviceID: String
  let chatID: String
  /// Whose the chat is.
  let user: String
  private let state = Mutex(State())

  init(serviceID: String, chatID: String, user: String) {
    self.serviceID = serviceID
    self.chatID = chatID
    self.user = user
  }

  var snapshot: State { state.withLock { $0 } }
  var position: Int { state.withLock { $0.received.count } }

  func acknowledge(_ text: String, at position: Int) {
    state.withLock { state in
      if let other = state.acknowledged.updateValue(text, forKey: position) {
        state.violations.append("position \(position) was given to “\(other)” and to “\(text)”")
      }
    }
  }

  func acknowledge(_ text: String, notAfter position: Int) {
    state.withLock { $0.acknowledgedBefore[text] = position }
  }

  func doubt(_ text: String) { state.withLock { _ = $0.uncertain.insert(text) } }

  func violate(_ sentence: String) { state.withLock { $0.violations.append(sentence) } }

  /// Takes a notification's events.
  /// - Parameter mayRepeat: the server has been killed since the customer's last answer.
  func receive(_ message: JSONValue, mayRepeat: Bool) {
    state.withLock { state in
      guard let last = message["transcriptPosition"]?.lenientInteger, let tuples = message["transcriptToShow"]?.array,
        message["chatSessionId"] == .string(chatID)
      else {
        return state.violations.append(
          "not a notification of this chat: \(String(decoding: message.text, as: UTF8.self))")
      }
      for (index, tuple) in tuples.enumerated() {
        let position = last - tuples.count + 1 + index
        if position <= state.received.count {
          if state.received[position - 1] != tuple { state.violations.append("event \(position) has changed") }
          if !mayRepeat { state.violations.append("event \(position) came twice without a kill") }
        } else if position == state.received.count + 1 {
          state.received.append(tuple)
        } else {
          state.violations.append("event \(position) came after \(state.received.count)")
        }
      }
    }
  }
}
