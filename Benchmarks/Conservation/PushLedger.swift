/// Whether everything that was owed was taken over, and what was taken over came to exactly one end.
package struct PushLedger<ID: Hashable & Sendable>: Sendable {
  private struct Account {
    var isOwed = false
    var taken = 0
    var ends: [String] = []
  }

  private var accounts: [ID: Account] = [:]
  /// How often each end came, by its name.
  package private(set) var outcomes: [String: Int] = [:]
  package var count: Int { accounts.count }

  package init() {}

  /// Somebody has asked for it.
  package mutating func owed(_ id: ID) { accounts[id, default: Account()].isOwed = true }

  /// A queue has it.
  package mutating func taken(_ id: ID) { accounts[id, default: Account()].taken += 1 }

  package mutating func ended(_ id: ID, _ outcome: String) {
    accounts[id, default: Account()].ends.append(outcome)
    outcomes[outcome, default: 0] += 1
  }

  /// - Parameter isErased: of whose pushes the rest may be gone.
  package func verdict(isErased: (ID) -> Bool = { _ in false }) -> [String] {
    var wrong: [String] = []
    for (id, account) in accounts where !isErased(id) {
      if account.isOwed, account.taken == 0 { wrong.append("\(id) was asked for, and no queue has it") }
      if account.taken > 1 { wrong.append("\(id) was taken over \(account.taken) times") }
      if account.taken == 0, !account.ends.isEmpty { wrong.append("\(id) has ended and was never taken over") }
      if account.taken > 0, account.ends.count != 1 {
        let ends = account.ends.isEmpty ? "no end" : "several ends: " + account.ends.joined(separator: ", ")
        wrong.append("\(id) has \(ends)")
      }
    }
    return wrong.sorted()
  }
}
