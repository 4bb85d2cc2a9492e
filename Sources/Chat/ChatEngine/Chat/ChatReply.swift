public import ChatDomain
public import EventSourcing

/// What every chat operation returns, before it becomes the "chat response" object. Spec: GMS 3.5.
public struct ChatReply: Sendable, Equatable {
  public enum State: String, Sendable {
    /// Only in the reply to the start.
    case connected = "CONNECTED"
    case transcript = "TRANSCRIPT"
    case disconnected = "DISCONNECTED"
  }

  public var serviceID: String
  public var serviceName: String
  public var chatSessionID: String
  public var state: State
  /// The number of the last event contained in or preceding `events`.
  public var position: Int
  public var startedAt: Timestamp
  public var events: [TranscriptEvent]
  /// Our ids of the customer's party, for the verbose form.
  public var userID: String
  public var secureKey: String
  /// It notifies by Comet and has no user: only a session that names its service id gets its events. Spec: GMS 4.2.
  public var isFollowedByServiceID = false
  /// The app knows files; else it is shown their URLs.
  public var takesFiles = false
}

/// The parameters of a chat's start that the engine needs, as members of the start that it becomes; aliases and fallbacks
/// are already applied.
@dynamicMemberLookup
public struct ChatStartRequest: Sendable, Equatable {
  /// The instance of a chat that has none yet.
  public struct Instance: Sendable, Equatable {
    public var serviceName: String
    public var data: [NameValuePair]
    public var userKey: String?

    public init(serviceName: String, data: [NameValuePair] = [], userKey: String? = nil) {
      self.serviceName = serviceName
      self.data = data
      self.userKey = userKey
    }
  }

  /// What was asked for; its ids are made by whoever begins the chat.
  var start: ChatStart
  /// Made together with the chat if there is none under the id; nil: there has to be one.
  public var instance: Instance?

  public init(
    userKey: String? = nil, notifiesByComet: Bool = false, nickname: String = "Customer", subject: String = "",
    firstMessage: String? = nil, pushTarget: PushTarget? = nil, data: [NameValuePair] = []
  ) {
    start = ChatStart(
      chatSessionID: "", userKey: userKey, notifiesByComet: notifiesByComet, nickname: nickname, subject: subject,
      firstMessage: firstMessage, pushTarget: pushTarget, userID: "", secureKey: "", data: data)
  }

  public subscript<Value>(dynamicMember member: WritableKeyPath<ChatStart, Value>) -> Value {
    get { start[keyPath: member] }
    set { start[keyPath: member] = newValue }
  }
}
