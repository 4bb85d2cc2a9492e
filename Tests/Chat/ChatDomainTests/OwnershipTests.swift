import ChatDomain
import EventSourcing
import TestSupport
import Testing

@Suite("Whose a chat is")
struct OwnershipTests {
  private static let byID = ChatPolicy(opensByServiceID: true)

  /// All that customers may ask of a chat that has begun.
  private static let actions: [ChatAction] = [
    .customerSend(text: "Hello"), .customerTyping(started: true, preview: ""), .customerNotice(text: "!"),
    .customerPushURL("https://example.test"), .updateData([NameValuePair("a", "1")]), .customerLeave,
  ]

  private static func decide(
    _ action: ChatAction, _ chat: ChatSession, by caller: ChatCaller, _ policy: ChatPolicy = ChatPolicy()
  ) throws -> [ChatEvent] {
    try chat.decide(ChatCommand(action, policy: policy, caller: caller), now: Conversation.time(9))
  }

  @Test("for anybody but its user it is not there, whatever they ask", arguments: actions)
  func strangers(action: ChatAction) throws {
    let chat = try Conversation.started().chat
    for shown in ["user-8", "", "user-7 ", nil] {
      for policy in [ChatPolicy(), Self.byID] where shown != nil || policy == ChatPolicy() {
        #expect(throws: ChatRejection.unknownService, "\(shown ?? "nothing")") {
          try Self.decide(action, chat, by: .customer(userKey: shown), policy)
        }
      }
    }
    #expect(try !Self.decide(action, chat, by: .customer(userKey: "user-7")).isEmpty)
    #expect(try !Self.decide(action, chat, by: .house).isEmpty)
    // The option for apps that do not send the header.
    #expect(try !Self.decide(action, chat, by: .customer(userKey: nil), Self.byID).isEmpty)
  }

  @Test("without a user the service id is the key, whatever else is shown", arguments: actions)
  func nobodys(action: ChatAction) throws {
    var conversation = Conversation()
    try conversation.when(.create(serviceName: "request-chat", data: []), at: 0)
    guard case .start(var start) = Conversation.start() else { return }
    start.userKey = nil
    try conversation.when(.start(start), at: 0)
    for shown in ["user-8", nil] {
      #expect(try !Self.decide(action, conversation.chat, by: .customer(userKey: shown)).isEmpty)
    }
  }

  @Test("an instance that was made with a user is started by nobody else, and stays theirs")
  func instances() throws {
    var conversation = Conversation()
    try conversation.when(.create(serviceName: "request-chat", data: [], userKey: "user-7"), at: 0)
    for shown in ["user-8", nil] {
      #expect(throws: ChatRejection.unknownService) {
        try Self.decide(Conversation.start(), conversation.chat, by: .customer(userKey: shown))
      }
    }
    try conversation.sleepAndWake()
    #expect(conversation.chat.userKey == "user-7" && conversation.chat.mentions(subject: "user-7"))
    // By the option, an app that sends no header.
    guard case .start(var start) = Conversation.start() else { return }
    start.userKey = nil
    let events = try Self.decide(.start(start), conversation.chat, by: .customer(userKey: nil), Self.byID)
    var chat = conversation.chat
    for event in events { chat.evolve(event, at: Conversation.time(1)) }
    #expect(chat.userKey == "user-7")
  }

  @Test("whose it was is not forgotten with their key: nobody can show it any more")
  func erased() throws {
    var conversation = try Conversation.started()
    try conversation.when(.erase, at: 1)
    try conversation.sleepAndWake()
    try conversation.when(.erase, at: 2)
    for chat in [conversation.chat, try conversation.replayedFromRestatement()] {
      #expect(chat.userKey == nil && chat.isUserErased)
      for shown in ["user-7", nil] {
        #expect(throws: ChatRejection.unknownService) {
          try Self.decide(.customerSend(text: "Hello"), chat, by: .customer(userKey: shown), Self.byID)
        }
      }
      #expect(try !Self.decide(.customerSend(text: "Hello"), chat, by: .house).isEmpty)
    }
  }

  @Test("the journal says whose an instance is; older records do not, and are as they were")
  func payload() throws {
    let plain = ChatEvent.created(serviceName: "chat", data: [], expiresAt: .epoch)
    let owned = ChatEvent.created(serviceName: "chat", data: [], expiresAt: .epoch, userKey: "ann")
    #expect(StoredEvent(owned).payload == StoredEvent(plain).payload + [0xB2, 0x01, 3] + Array("ann".utf8))
    #expect(try StoredEvent(owned).decoded(as: ChatEvent.self) == owned)
    #expect(try StoredEvent(plain).decoded(as: ChatEvent.self) == plain)
    #expect(owned.mentions(subject: "ann") && !plain.mentions(subject: "ann"))
  }
}
