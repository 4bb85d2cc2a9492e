public import SupportDomain

// What statuses, channels and roles are called on the wire. Spec: support requests 8.

extension SupportStatus {
  public var name: String {
    switch self {
    case .new: "new"
    case .open: "open"
    case .pending: "pending"
    case .hold: "hold"
    case .solved: "solved"
    case .closed: "closed"
    }
  }

  /// Nil for a word that names none.
  public init?(name: some StringProtocol) {
    guard let status = Self.allCases.first(where: { $0.name == name }) else { return nil }
    self = status
  }
}

extension SupportChannel {
  public var name: String {
    switch self {
    case .mobileSDK: "mobile_sdk"
    case .email: "email"
    case .web: "web"
    case .api: "api"
    case .chat: "chat"
    }
  }

  /// Nil for a word that names none.
  public init?(name: some StringProtocol) {
    guard let channel = Self.allCases.first(where: { $0.name == name }) else { return nil }
    self = channel
  }
}

extension SupportRole {
  /// As the parameter `role` of a list of comments has it.
  public init?(name: some StringProtocol) {
    switch name {
    case "agent": self = .agent
    case "end_user": self = .endUser
    default: return nil
    }
  }
}

extension SupportDevice.Platform {
  public var name: String {
    switch self {
    case .ios: "ios"
    case .android: "android"
    }
  }
}

extension SupportDevice.Reason {
  /// Spec: support requests 10.
  public var name: String {
    switch self {
    case .user: "user"
    case .bulk: "bulk"
    case .provider: "provider"
    case .evicted: "evicted"
    case .identityChanged: "identity_changed"
    case .moved: "moved"
    }
  }
}

extension SupportIntegration {
  public var name: String {
    switch self {
    case .webhook: "webhook"
    case .airship: "airship"
    case .direct: "direct"
    }
  }
}
