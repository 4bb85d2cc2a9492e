import ChatDomain

/// Whether a name is the subject, as it stands; an empty one names nobody.
private func named(_ subject: String) -> (String?) -> Bool { { !subject.isEmpty && $0 == subject } }

extension ChatSession {
  func mentions(subject: String) -> Bool { mentions(subject: named(subject)) }
}

extension ChatStart {
  func mentions(subject: String) -> Bool { mentions(subject: named(subject)) }
}

extension ChatEvent {
  func mentions(subject: String) -> Bool { mentions(subject: named(subject)) }
}
