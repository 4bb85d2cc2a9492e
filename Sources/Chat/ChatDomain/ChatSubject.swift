import EventSourcing

// To which customer a chat belongs: a subject is a user key, a chat session id, a device id, or the value of attached
// data (such as an e-mail address), compared as it stands. An empty subject names nobody.
extension ChatSession {
  /// True if what the chat knows now names the customer.
  public func mentions(subject: String) -> Bool {
    !subject.isEmpty
      && (subject == userKey || subject == chatSessionID || subject == pushTarget?.deviceID
        || data.contains(value: subject) || owedPushes.contains { $0.target.deviceID == subject })
  }
}

extension ChatStart {
  public func mentions(subject: String) -> Bool {
    !subject.isEmpty
      && (subject == userKey || subject == chatSessionID || subject == pushTarget?.deviceID
        || data.contains(value: subject))
  }
}

extension ChatEvent {
  /// True if the event itself names the customer; most events of a chat do not, they belong to its entity.
  public func mentions(subject: String) -> Bool {
    switch self {
    case .created(_, let data, _, let userKey):
      !subject.isEmpty && (subject == userKey || data.contains(value: subject))
    case .dataUpdated(let data): !subject.isEmpty && data.contains(value: subject)
    case .started(let start): start.mentions(subject: subject)
    case .pushTargetChanged(let target): !subject.isEmpty && target?.deviceID == subject
    // The chat session id outlives an erasure.
    case .erased(let state): (try? ChatSession(stateBytes: state))?.mentions(subject: subject) ?? false
    default: false
    }
  }
}

extension [NameValuePair] {
  fileprivate func contains(value: String) -> Bool { contains { $0.value == value } }
}
