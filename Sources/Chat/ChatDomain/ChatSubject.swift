import EventSourcing

// To which customer a chat belongs: a subject is a user key, a chat session id, a device id, or the value of attached
// data (such as an e-mail address), compared as it stands. `isSubject` is asked for each of them.
extension ChatSession {
  /// True if what the chat knows now names the customer.
  public func mentions(subject isSubject: (String?) -> Bool) -> Bool {
    isSubject(userKey) || isSubject(chatSessionID) || isSubject(pushTarget?.deviceID)
      || data.contains { isSubject($0.value) } || owedPushes.contains { isSubject($0.target.deviceID) }
  }
}

extension ChatStart {
  public func mentions(subject isSubject: (String?) -> Bool) -> Bool {
    isSubject(userKey) || isSubject(chatSessionID) || isSubject(pushTarget?.deviceID)
      || data.contains { isSubject($0.value) }
  }
}

extension ChatEvent {
  /// True if the event itself names the customer; most events of a chat do not, they belong to its entity.
  public func mentions(subject isSubject: (String?) -> Bool) -> Bool {
    switch self {
    case .created(_, let data, _, let userKey): isSubject(userKey) || data.contains { isSubject($0.value) }
    case .dataUpdated(let data): data.contains { isSubject($0.value) }
    case .started(let start): start.mentions(subject: isSubject)
    case .pushTargetChanged(let target): isSubject(target?.deviceID)
    // The chat session id outlives an erasure.
    case .erased(let state): (try? ChatSession(stateBytes: state))?.mentions(subject: isSubject) ?? false
    default: false
    }
  }
}
