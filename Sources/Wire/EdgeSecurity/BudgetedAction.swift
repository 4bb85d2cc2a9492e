/// What strangers may do so often and no oftener: each leaves something behind that a limit of the server counts, or
/// might find out what it should not.
public enum BudgetedAction: String, Sendable, CaseIterable {
  /// A user of an app, or the holder of a service account, asks for an access token.
  case signIns = "sign_ins"
  /// A device asks for an identity, or shows it.
  case checkIns = "check_ins"
  case chats
  case callbacks
  /// Callbacks are looked for.
  case callbackQueries = "callback_queries"
  case uploads
  /// The size of what is uploaded.
  case uploadedKibibytes = "uploaded_kibibytes"
  /// Comet sessions, and sockets for them.
  case sessions
  /// To notifications.
  case subscriptions
  /// Devices that are registered for pushes.
  case devices
  /// Support requests.
  case requests
  /// Proofs of messages of one's own.
  case receipts
  /// Credentials that open nothing.
  case wrongTokens = "wrong_tokens"

  /// Of one address, each minute and at once, unless an option says otherwise. Many may be behind one address.
  public var addressPerMinute: Int {
    switch self {
    case .signIns, .callbacks, .callbackQueries, .subscriptions, .receipts: 120
    case .checkIns, .chats, .uploads, .requests: 300
    case .devices: 600
    case .sessions: 3_000
    case .uploadedKibibytes: 262_144
    case .wrongTokens: 60
    }
  }

  /// Of one user, and of one credential; nil where whoever asks is nobody yet.
  public var userPerMinute: Int? {
    switch self {
    case .callbacks: 20
    case .chats, .subscriptions, .requests, .receipts: 30
    case .callbackQueries, .uploads, .devices: 60
    case .sessions: 300
    case .uploadedKibibytes: 65_536
    case .signIns, .checkIns, .wrongTokens: nil
    }
  }

  /// For people.
  public var summary: String {
    switch self {
    case .signIns: "sign-ins"
    case .checkIns: "check-ins of devices"
    case .chats: "new chats"
    case .callbacks: "new callbacks"
    case .callbackQueries: "queries for callbacks"
    case .uploads: "uploads and stored records"
    case .uploadedKibibytes: "KiB of uploads"
    case .sessions: "new Comet sessions"
    case .subscriptions: "new subscriptions"
    case .devices: "registrations of devices"
    case .requests: "new support requests"
    case .receipts: "proofs of messages"
    case .wrongTokens: "credentials that open nothing"
    }
  }
}
