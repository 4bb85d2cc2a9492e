// The numbers that stand for enumerations in payloads. Frozen: never change one, never use one again.

extension TranscriptEventType {
  var code: UInt64 {
    switch self {
    case .messageText: 0
    case .typingStarted: 1
    case .typingStopped: 2
    case .joined: 3
    case .left: 4
    case .pushURL: 5
    case .custom: 6
    }
  }

  init?(code: UInt64) {
    switch code {
    case 0: self = .messageText
    case 1: self = .typingStarted
    case 2: self = .typingStopped
    case 3: self = .joined
    case 4: self = .left
    case 5: self = .pushURL
    case 6: self = .custom
    default: return nil
    }
  }
}

extension PartyRole {
  var code: UInt64 {
    switch self {
    case .client: 1
    case .agent: 2
    case .supervisor: 3
    case .external: 4
    }
  }

  init?(code: UInt64) {
    guard let role = Self.allCases.first(where: { $0.code == code }) else { return nil }
    self = role
  }
}

extension ChatEndCause {
  var code: UInt64 {
    switch self {
    case .party: 1
    case .timeToLive: 2
    }
  }

  init?(code: UInt64) {
    guard let cause = Self.allCases.first(where: { $0.code == code }) else { return nil }
    self = cause
  }
}

extension AbsenceCause {
  var code: UInt64 {
    switch self {
    case .disconnected: 1
    case .lost: 2
    }
  }

  init?(code: UInt64) {
    guard let cause = Self.allCases.first(where: { $0.code == code }) else { return nil }
    self = cause
  }
}

extension PositionBasis {
  var code: UInt64 {
    switch self {
    case .stated: 1
    case .confirmed: 2
    }
  }

  init?(code: UInt64) {
    guard let basis = Self.allCases.first(where: { $0.code == code }) else { return nil }
    self = basis
  }
}

extension ChatLifecycle {
  var code: UInt64 {
    switch self {
    case .absent: 0
    case .created: 1
    case .live: 2
    case .ended: 3
    case .expired: 4
    }
  }

  init?(code: UInt64) {
    guard let lifecycle = Self.allCases.first(where: { $0.code == code }) else { return nil }
    self = lifecycle
  }
}
