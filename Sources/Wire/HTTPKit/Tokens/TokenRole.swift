/// What the holder of an access token may be.
public enum TokenRole: String, Sendable, Equatable, CaseIterable {
  case agent
  case supervisor
  case bot
  /// The operator: erases and keeps house; no part in any chat.
  case admin
  /// An app server: sends messages to devices; no part in any chat. Spec: GCM B1.3.
  case sender
  /// A back end: publishes notifications; no part in any chat. Spec: GMS 10.2.
  case publisher
  /// A standby of this server: copies its journal and its tokens; no part in any chat.
  case standby

  /// Operators, app servers, back ends and standbys have no part in any chat.
  package var takesPartInChats: Bool {
    switch self {
    case .agent, .supervisor, .bot: true
    case .admin, .sender, .publisher, .standby: false
    }
  }

  /// Whether the holder may sign in to the console.
  package var mayUseConsole: Bool { takesPartInChats || self == .admin }

  /// Whether the holder may publish notifications.
  package var mayPublish: Bool { self == .publisher || self == .admin }

  /// Whether the holder may copy the whole journal, as it grows.
  package var mayFollow: Bool { self == .standby || self == .admin }
}
