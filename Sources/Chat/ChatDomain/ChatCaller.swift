/// On whose word a command comes.
public enum ChatCaller: Sendable, Equatable {
  /// The server itself, or somebody whose right was looked at where they came in: an agent, an operator.
  case house
  /// The customer's side over REST.
  /// - Parameter userKey: the `gms_user` that the request shows; nil for none.
  case customer(userKey: String?)
}

extension ChatSession {
  /// Whether the chat is there for `caller`: what was made with a `gms_user` is found only with it. Without one the
  /// service id is the key. Spec: GMS 2.2.
  public func opens(to caller: ChatCaller, _ policy: ChatPolicy) -> Bool {
    guard case .customer(let shown) = caller else { return true }
    // Whose it was is not known any more, so nobody can show it.
    if isUserErased { return false }
    guard let userKey else { return true }
    return shown == userKey || (shown == nil && policy.opensByServiceID)
  }
}
