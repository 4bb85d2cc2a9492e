public import EventSourcing

// The numbers that stand for enumerations in payloads. Frozen: never change one, never use one again.

extension TranscriptEventType: PayloadCode {
  public var code: UInt64 {
    switch self {
    case .messageText: 0
    case .typingStarted: 1
    case .typingStopped: 2
    case .joined: 3
    case .left: 4
    case .pushURL: 5
    case .custom: 6
    case .file: 7
    }
  }

  /// Without a walk over all cases: it stands in each line.
  public init?(code: UInt64) {
    switch code {
    case 0: self = .messageText
    case 1: self = .typingStarted
    case 2: self = .typingStopped
    case 3: self = .joined
    case 4: self = .left
    case 5: self = .pushURL
    case 6: self = .custom
    case 7: self = .file
    default: return nil
    }
  }
}

extension PartyRole: PayloadCode {
  public var code: UInt64 {
    switch self {
    case .client: 1
    case .agent: 2
    case .supervisor: 3
    case .external: 4
    }
  }
}

extension ChatEndCause: PayloadCode {
  public var code: UInt64 {
    switch self {
    case .party: 1
    case .timeToLive: 2
    }
  }
}

extension AbsenceCause: PayloadCode {
  public var code: UInt64 {
    switch self {
    case .disconnected: 1
    case .lost: 2
    }
  }
}

extension PositionBasis: PayloadCode {
  public var code: UInt64 {
    switch self {
    case .stated: 1
    case .confirmed: 2
    }
  }
}

extension ChatLifecycle: PayloadCode {
  public var code: UInt64 {
    switch self {
    case .absent: 0
    case .created: 1
    case .live: 2
    case .ended: 3
    case .expired: 4
    }
  }
}

extension ChatPushOutcome: PayloadCode {
  public var code: UInt64 {
    switch self {
    case .delivered: 1
    case .refused: 2
    case .failed: 3
    case .expired: 4
    case .collapsed: 5
    case .overflowed: 6
    case .unregistered: 7
    case .erased: 8
    }
  }
}

extension ChatOfferEnd: PayloadCode {
  public var code: UInt64 {
    switch self {
    case .accepted: 1
    case .passed: 2
    case .released: 3
    case .away: 4
    case .taken: 5
    case .ended: 6
    }
  }
}
