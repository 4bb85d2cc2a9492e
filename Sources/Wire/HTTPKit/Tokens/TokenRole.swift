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
  /// A back end: publishes on channels of applications, hears what is said there, and sees who is; no part in any chat.
  case channels
  /// A standby of this server: copies its journal and its tokens; no part in any chat.
  case standby

  /// Operators, app servers, back ends and standbys have no part in any chat.
  package var takesPartInChats: Bool {
    switch self {
    case .agent, .supervisor, .bot: true
    case .admin, .sender, .publisher, .channels, .standby: false
    }
  }

  /// Whether the holder may sign in to the console.
  package var mayUseConsole: Bool { takesPartInChats || self == .admin }

  /// Whether the holder may publish notifications.
  package var mayPublish: Bool { self == .publisher || self == .admin }

  /// Whether the holder may use application channels as a back end. What is said there may be private, unlike what is
  /// published as a notification: hence a role of its own.
  package var mayUseChannels: Bool { self == .channels || self == .admin }

  /// Whether the holder may copy the whole journal, as it grows.
  package var mayFollow: Bool { self == .standby || self == .admin }
}
