public import EventSourcing

/// Where a callback stands. Spec: GMS 9.4. The raw values are frozen (journal, notes).
public enum CallbackStatus: UInt8, PayloadCode, Codable, CaseIterable {
  /// Waits for its time.
  case scheduled = 1
  /// In the queue.
  case queued = 2
  /// The customer is reached, or on the way; waits for the agent.
  case routing = 3
  /// Customer and agent are talking.
  case processing = 4
  /// Over, with a reason.
  case completed = 5

  /// `SCHEDULED`, …
  public var name: String {
    switch self {
    case .scheduled: "SCHEDULED"
    case .queued: "QUEUED"
    case .routing: "ROUTING"
    case .processing: "PROCESSING"
    case .completed: "COMPLETED"
    }
  }

  public init?(name: some StringProtocol) {
    guard let status = Self.allCases.first(where: { $0.name == String(name) }) else { return nil }
    self = status
  }
}

/// Why a callback is over. Spec: GMS 9.4. The raw values are frozen (journal).
public enum CallbackReason: UInt8, PayloadCode, Codable, CaseIterable {
  case agentConnected = 1
  case cancelled = 2
  case userDidNotConfirm = 3
  case timeToLive = 4
  case agentConnectFailed = 5
  case callToCustomerFailed = 6
  case noCustomerNumber = 7
  case error = 8
  case notAvailable = 9

  /// `AGENT_CONNECTED`, …
  public var name: String {
    switch self {
    case .agentConnected: "AGENT_CONNECTED"
    case .cancelled: "CANCELLED"
    case .userDidNotConfirm: "FAIL_USER_NO_CONFIRM"
    case .timeToLive: "FAIL_TIMEOUT_TTL"
    case .agentConnectFailed: "FAIL_AGENT_CONNECT"
    case .callToCustomerFailed: "FAIL_CALL_TO_CUSTOMER"
    case .noCustomerNumber: "FAIL_NO_CUSTOMER_NUMBER"
    case .error: "FAIL_ERROR"
    case .notAvailable: "NOT_AVAILABLE"
    }
  }

  /// True for what an agent can say of a call that failed; the others follow from what happens here.
  public var isReportable: Bool {
    switch self {
    case .agentConnected, .cancelled, .timeToLive: false
    case .userDidNotConfirm, .agentConnectFailed, .callToCustomerFailed, .noCustomerNumber, .error, .notAvailable: true
    }
  }

  public init?(name: some StringProtocol) {
    guard let reason = Self.allCases.first(where: { $0.name == String(name) }) else { return nil }
    self = reason
  }
}

/// The dialogs of the app, named as in URLs and pushes. Spec: GMS 9.2. The raw values are frozen (journal).
public enum CallbackDialog: UInt8, PayloadCode, Codable, CaseIterable {
  case confirmWithCode = 1
  case confirm = 2
  case startChat = 3
  case connectInbound = 4
  case connectOutbound = 5
  case waitForAgent = 6

  /// `get-dialog-user-confirmation-provide_code-true`, …
  public var action: String {
    switch self {
    case .confirmWithCode: "get-dialog-user-confirmation-provide_code-true"
    case .confirm: "get-dialog-user-confirmation-provide_code-false"
    case .startChat: "get-dialog-start-chat"
    case .connectInbound: "connect-inbound"
    case .connectOutbound: "connect-outbound"
    case .waitForAgent: "wait-for-agent"
    }
  }

  public init?(action: some StringProtocol) {
    guard let dialog = Self.allCases.first(where: { $0.action == String(action) }) else { return nil }
    self = dialog
  }

  /// Its name for the look-up of options: `callback.` and the action up to `-provide_code`. Spec: GMS 9.6.
  public var tag: String {
    switch self {
    case .confirmWithCode, .confirm: "callback.get-dialog-user-confirmation"
    default: "callback.\(action)"
    }
  }

  /// Whether a push leads to it; others only answer.
  public var isPushed: Bool { self != .waitForAgent }

  /// How customer and agent come together under these terms (the reply to `connect`, and the push of C5).
  public static func connection(_ terms: CallbackTerms) -> CallbackDialog {
    switch (terms.media, terms.direction) {
    case (.chat, _): .startChat
    case (.voice, .userOriginated): .connectInbound
    case (.voice, .userTerminated): .connectOutbound
    }
  }
}
