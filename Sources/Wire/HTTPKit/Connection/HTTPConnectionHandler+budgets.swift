package import EdgeSecurity
import EngineKit
package import HTTPTypes
package import NIOHTTP1
import NetworkAddress

/// What strangers may do so often and no oftener.
extension HTTPConnectionHandler {
  /// Nil if what the request shows is to be looked at. Tokens always are: nobody guesses one.
  func guessing() -> EdgeFailure? {
    showsPassword ? services.guesses.hasGuessedTooOften(clientAddress).map { EdgeFailure($0) } : nil
  }

  /// Nil if the request may go on. Looked at before its body is read.
  package func overspending(_ action: BudgetedAction?, _ head: HTTPRequestHead) -> EdgeFailure? {
    guard let action else { return nil }
    let callers = callers(head)
    guard !isKnown(head, action) else { return nil }
    guard let refusal = services.budgets.take(action, from: clientAddress, by: callers) else { return nil }
    return refuse(refusal)
  }

  /// Nil if as much may be taken in. Looked at once the body's size is known.
  package func overspending(uploads size: Int, _ head: HTTPRequestHead) -> EdgeFailure? {
    guard !isKnown(head, .uploads) else { return nil }
    return services.budgets.take(
      .uploadedKibibytes, (size + 1_023) / 1_024, from: clientAddress, by: callers(head)
    ).map { refuse($0) }
  }

  /// Nil if one more session may be asked for.
  package func overspendingSessions(userKey: String?) -> EdgeFailure? {
    let callers = userKey.map { [StrangerBudgets.Caller(user: $0)] } ?? []
    return services.budgets.take(.sessions, from: clientAddress, by: callers).map { refuse($0) }
  }

  /// A credential was shown and opened nothing: it is counted, and beyond the budget of its address the answer is
  /// another one. Nil for every other answer.
  package func refusalOfWrongCredential(_ status: HTTPResponse.Status) -> EdgeFailure? {
    guard status == .unauthorized, showsCredential else { return nil }
    return services.guesses.wrongCredential(from: clientAddress).map { EdgeFailure($0) }
  }

  private func refuse(_ refusal: StrangerBudgets.Refusal) -> EdgeFailure {
    services.security.note(SecurityLog.Kind(refusal), from: clientAddress)
    return EdgeFailure(refusal)
  }

  /// Whom a request names itself as: its user, and what it shows that is one user's or device's own. A name and
  /// password are everybody's who uses the server.
  private func callers(_ head: HTTPRequestHead) -> [StrangerBudgets.Caller] {
    var callers: [StrangerBudgets.Caller] = []
    // What is still to be proven might be somebody else's name, who would pay for it; the proof pays instead.
    if !services.identity.policy.provesUsers,
      case .success(let user?) = UserKey.read(head.headers[UserKey.headerName], limits: services.limits)
    {
      callers.append(StrangerBudgets.Caller(user: user))
    }
    if showsCredential, !showsPassword, let credential = head.headers.first(name: "authorization") {
      callers.append(StrangerBudgets.Caller(credential: credential))
    }
    return callers
  }

  /// Whoever holds an operator's, agent's or sender's token is no stranger. Whether it is a good one is looked at only
  /// where something is to be spent.
  private func isKnown(_ head: HTTPRequestHead, _ action: BudgetedAction) -> Bool {
    guard action != .signIns else { return false }
    guard showsCredential else {
      return mayShowSession && ShownSession(head).flatMap { services.tokens.token(ofSession: $0.secret) } != nil
    }
    let authorization = head.headers.first(name: "authorization")
    if let secret = TokenStore.bearer(of: authorization) { return services.tokens.token(for: secret) != nil }
    guard let pair = BasicCredentials(authorization: authorization), pair.username.hasSuffix("/token") else {
      return false
    }
    return services.tokens.token(for: pair.password) != nil
  }
}
