public import EventSourcing

/// What is asked of a chat, with the options of its service as they stand now.
///
/// Pure code does not look options up: whoever sends the command resolves them (service options take effect at once;
/// a running timer keeps the value that it was started with).
public struct ChatCommand: Sendable {
  public var action: ChatAction
  public var policy: ChatPolicy
  public var caller: ChatCaller

  public init(_ action: ChatAction, policy: ChatPolicy, caller: ChatCaller = .house) {
    self.action = action
    self.policy = policy
    self.caller = caller
  }
}

public enum ChatAction: Sendable, Equatable {
  // The service instance.
  /// Makes the service instance; its entity key is the service id. `userKey`: whose it is, if its request said so.
  case create(serviceName: String, data: [NameValuePair], userKey: String? = nil)
  /// The customer starts the chat of this instance (at most one for each instance).
  case start(ChatStart)
  /// Both at once, for an instance that nobody ordered by itself: it is never there without its chat.
  case createAndStart(serviceName: String, data: [NameValuePair], userKey: String?, ChatStart)
  /// The time to live of an instance has passed since its last use.
  case timeToLiveElapsed
  /// Erases what the customer brought and what was said; the chat lives on. Nothing on an absent or expired chat.
  case erase

  // The customer, over REST.
  case customerSend(text: String)
  case customerTyping(started: Bool, preview: String)
  case customerNotice(text: String)
  case customerPushURL(String)
  /// Merges into the attached data; an empty value removes its key.
  case updateData([NameValuePair])
  /// From now on pushes go there; nil: nowhere.
  case changePushTarget(PushTarget?)
  /// Ends the chat; once it has ended, repeating is harmless and yields no event.
  case customerLeave
  /// The customer has been handed everything up to `upTo` by a REST reply (lazy: nobody waits for it).
  case noteServed(upTo: Int)

  // Either side.
  /// What is in it is kept already. `by`: the agent who sends it; nil: the customer.
  case sendFile(ChatFile, by: String?)

  // Agents.
  /// `onlyIfWaiting`: an agent takes what nobody has, and does not come upon others' conversations.
  case agentJoin(agentID: String, nickname: String, role: PartyRole, onlyIfWaiting: Bool = false)
  case agentSend(agentID: String, text: String)
  case agentTyping(agentID: String, started: Bool)
  case agentPushURL(agentID: String, url: String)
  case agentNotice(agentID: String, text: String)
  /// The agent leaves; the chat stays open for another, even if this was the last.
  case agentLeave(agentID: String)
  /// The agent ends the chat.
  case agentClose(agentID: String)
  /// A word among agents, of one who is in the chat.
  case agentNote(agentID: String, text: String)
  /// A supervisor's word to the agents; they need not be in the chat.
  case whisper(agentID: String, text: String)
  /// The agent has read everything up to `upTo` (lazy); never goes back.
  case agentRead(agentID: String, upTo: Int)
  /// Another agent may come. `isSupervisor`: the inviter need not be in the chat.
  case invite(agentID: String, by: String, isSupervisor: Bool)
  /// The agent leaves it to another, or to those of a service.
  case transfer(agentID: String, to: ChatTransferTarget)
  /// A supervisor comes, if they are not there, and the others leave.
  case takeOver(agentID: String, nickname: String)
  /// By somebody who is in the chat or was, also when it is over.
  case wrapUp(agentID: String, disposition: String, note: String, tags: [String])

  // Chats that are given to agents.
  /// It is to be this agent's to take, for so long.
  case offer(to: String, lasting: Duration)
  /// The offer that lasted until then has gone by.
  case offerElapsed(until: Timestamp)
  /// The agent to whom it was offered is not there any more, or not ready.
  case withdrawOffer(from: String)
  /// The agent sends away what is offered to them.
  case releaseOffer(agentID: String)

  // The customer's Comet sessions. `session` is a clientId.
  /// A Comet session of this chat's customer has subscribed to the chat channel.
  /// `delivered`: the highest position of this chat that any live session of the customer has confirmed, 0 if none.
  /// `stated`: the position that the app named when it shook hands or connected; it counts as it is.
  case cometSubscribed(session: String, delivered: Int, stated: Int? = nil)
  /// A Comet session of this chat's customer has made its first `/meta/connect`.
  case cometConnected(session: String, delivered: Int, stated: Int? = nil)
  /// A Comet session of this chat's customer has unsubscribed.
  case cometUnsubscribed(session: String, delivered: Int)
  /// `/meta/disconnect`. `position` is what the app says it has, nil if it did not say; `delivered` is the highest
  /// position that this session has confirmed; `concernsSeveralChats` clamps the position to what was delivered here.
  /// `session` may be unknown to the chat (a clientId that had expired): the chat is flagged all the same, unless
  /// another live session remains; those in `departed` are known not to be. Spec: GMS 4.5, 6.2.
  case cometDisconnected(
    session: String, position: Int?, delivered: Int, concernsSeveralChats: Bool, departed: Set<String> = [])
  /// The app says elsewhere what it has: in a handshake, or by a `refresh`, which only takes the place of a guess
  /// (`replacesStated` is false). Counts while the customer is flagged disconnected. Spec: GMS 6.1, 6.2 B16, 6.7.
  case statePosition(Int, concernsSeveralChats: Bool, replacesStated: Bool)
  /// The session expired without a word. `delivered` as above. Spec: GMS 6.6.
  case cometLost(session: String, delivered: Int)

  // Push.
  /// The delay before the first push of background phase `phase` has passed.
  case pushDelayElapsed(phase: Int)
  /// The device's queue holds push `number`: the chat owes it no longer (lazy).
  case pushHandedOver(number: Int)
  /// The queue that has it is done with push `number` (lazy).
  case pushSettled(number: Int, outcome: ChatPushOutcome)
}

/// Whom an agent leaves a chat to.
public enum ChatTransferTarget: Sendable, Equatable {
  /// That one may join; the chat waits meanwhile, so that it is not lost if they do not come.
  case agent(String)
  case service(String)
}

/// Everything that the start of a chat brings along. Random ids come in here, since pure code makes none.
public struct ChatStart: Sendable, Equatable, Codable {
  /// 16 characters `[0-9A-Za-z]`.
  public var chatSessionID: String
  /// The `gms_user` header; nil if the app sent none (then the service id alone opens the chat).
  public var userKey: String?
  /// False: the app polls with `refresh`; no Comet events, no background state, no push.
  public var notifiesByComet: Bool
  /// The name shown in the transcript, after all fallbacks.
  public var nickname: String
  public var subject: String
  /// The first text, appended right after the join; nil or empty for none.
  public var firstMessage: String?
  public var pushTarget: PushTarget?
  public var userID: String
  public var secureKey: String
  /// First name, last name, e-mail and everything else that the request brought.
  public var data: [NameValuePair]
  /// The app knows files; else it is shown their URLs.
  public var takesFiles: Bool

  public init(
    chatSessionID: String, userKey: String?, notifiesByComet: Bool, nickname: String, subject: String,
    firstMessage: String?, pushTarget: PushTarget?, userID: String, secureKey: String, data: [NameValuePair],
    takesFiles: Bool = false
  ) {
    self.chatSessionID = chatSessionID
    self.userKey = userKey
    self.notifiesByComet = notifiesByComet
    self.nickname = nickname
    self.subject = subject
    self.firstMessage = firstMessage
    self.pushTarget = pushTarget
    self.userID = userID
    self.secureKey = secureKey
    self.data = data
    self.takesFiles = takesFiles
  }
}

/// Where the pushes of a chat go.
public struct PushTarget: Sendable, Equatable, Hashable, Codable {
  /// `ios`, `gcm`, `android`, `fcm`, `httpcb`, `customhttp`.
  public var type: String
  /// Device token, registration token, or (type `httpcb`) the URL to post to.
  public var deviceID: String
  /// The named set of credentials; nil for the defaults.
  public var provider: String?
  /// Language tag for texts, such as `de` or `ru-RU`.
  public var language: String?
  /// Use the `debug.` credentials.
  public var debug: Bool
  /// The id of the subscription whose address this is: pushes go out as long as it lasts. Spec: GMS 3.4.
  public var subscriptionID: String?

  public init(
    type: String, deviceID: String, provider: String? = nil, language: String? = nil, debug: Bool = false,
    subscriptionID: String? = nil
  ) {
    self.type = type
    self.deviceID = deviceID
    self.provider = provider
    self.language = language
    self.debug = debug
    self.subscriptionID = subscriptionID
  }
}
