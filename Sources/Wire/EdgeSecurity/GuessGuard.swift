public import EngineKit
public import NetworkAddress

/// Hears of each credential that opened nothing, at whatever port it was shown.
public struct GuessGuard: Sendable {
  private let log: SecurityLog
  private let budgets: StrangerBudgets

  public init(_ log: SecurityLog, _ budgets: StrangerBudgets) {
    self.log = log
    self.budgets = budgets
  }

  /// Counts one that was wrong. Nil if that may be said; else this address has shown too many of them.
  public func wrongCredential(from address: IPAddress?) -> StrangerBudgets.Refusal? {
    log.note(.wrongToken, from: address)
    return budgets.take(.wrongTokens, from: address)
  }

  /// Whether the next credential of this address is not to be looked at: it might be right. Nil if it is.
  public func hasGuessedTooOften(_ address: IPAddress?) -> StrangerBudgets.Refusal? {
    guard let refusal = budgets.hasGuessedTooOften(address) else { return nil }
    log.note(.wrongToken, from: address)
    return refusal
  }
}

extension SecurityLog.Kind {
  public static let wrongToken = Self("wrong_token", "a credential was shown that opens nothing")
  public static let tooManyConnections = Self("too_many_connections", "too many connections from one address")

  /// A budget that is used up. Wrong credentials are told of as they come, within their budget and beyond.
  public init(_ refusal: StrangerBudgets.Refusal) {
    self =
      refusal.action == .wrongTokens
      ? .wrongToken : Self(refusal.name, "too many \(refusal.action.summary) by one \(refusal.holder.rawValue)")
  }
}
