/// Messages that each of many listeners is to hear once: which of them have, and how long it took.
package struct HearingLedger {
  /// A message of a chat, by its number there.
  package struct Message: Hashable, Sendable {
    package let chatID: String
    package let number: Int

    package init(chatID: String, number: Int) {
      (self.chatID, self.number) = (chatID, number)
    }
  }

  private struct Account {
    let due: Int64
    /// By listener.
    var heard: [Bool]
    var missing: Int
  }

  package let listeners: Int
  private var accounts: [Message: Account] = [:]
  /// Of messages that all have heard nothing is kept but this.
  private var complete: Set<Message> = []
  private var violations: [String] = []

  package init(listeners: Int) { self.listeners = listeners }

  /// A message goes out.
  /// - Parameter due: when it was due, in nanoseconds of the clock that `heard` is told of.
  package mutating func posted(_ message: Message, due: Int64) {
    accounts[message] = Account(due: due, heard: Array(repeating: false, count: listeners), missing: listeners)
  }

  /// - Returns: the nanoseconds from when it was due; nil if it is nobody's message here, or came once more.
  package mutating func heard(_ message: Message, by listener: Int, at now: Int64) -> Int64? {
    guard let index = accounts.index(forKey: message) else {
      if complete.contains(message) { again(message, listener) }
      return nil
    }
    guard !accounts.values[index].heard[listener] else {
      again(message, listener)
      return nil
    }
    let due = accounts.values[index].due
    accounts.values[index].heard[listener] = true
    accounts.values[index].missing -= 1
    if accounts.values[index].missing == 0 {
      accounts.remove(at: index)
      complete.insert(message)
    }
    return now - due
  }

  private mutating func again(_ message: Message, _ listener: Int) {
    violations.append("listener \(listener) heard message \(message.number) of \(message.chatID) twice")
  }

  /// Whether every message has come to every listener.
  package var isComplete: Bool { accounts.isEmpty }

  /// What came twice, and what has not come.
  package func verdict() -> [String] {
    let missing = accounts.map { message, account in
      "message \(message.number) of \(message.chatID) has not come to \(account.missing) of \(listeners) listeners"
    }
    return violations + missing.sorted()
  }
}
