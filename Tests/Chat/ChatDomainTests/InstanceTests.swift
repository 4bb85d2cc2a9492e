import ChatDomain
import EventSourcing
import Testing

@Suite("Service instance")
struct InstanceTests {
  @Test("creating starts the time to live")
  func create() throws {
    var conversation = Conversation()
    conversation.policy.timeToLive = .seconds(100)
    let turn = try conversation.when(.create(serviceName: "request-chat", data: [NameValuePair("tier", "gold")]), at: 0)
    #expect(turn.effects == [.startTimer(.timeToLive, at: Conversation.time(100))])
    #expect(conversation.chat.lifecycle == .created)
    #expect(conversation.chat.serviceName == "request-chat")
    #expect(conversation.chat.data == [NameValuePair("tier", "gold")])
    #expect(conversation.chat.clientState == .none)
  }

  @Test("starting opens the chat with the customer's join and the first text")
  func start() throws {
    var conversation = Conversation()
    try conversation.when(.create(serviceName: "request-chat", data: []), at: 0)
    let turn = try conversation.when(Conversation.start(firstMessage: "Hello", data: [NameValuePair("a", "1")]), at: 10)
    let join = Conversation.event(1, .joined, "Guest 7", "has joined the session", .client, at: 10)
    let text = Conversation.event(2, .messageText, "Guest 7", "Hello", .client, at: 10)
    #expect(
      turn.effects == [
        .opened, .notifyAgents(.waiting), Conversation.toAgents(join), Conversation.toAgents(text),
      ])
    let chat = conversation.chat
    #expect(chat.startPosition == 2)
    #expect(chat.startedAt == Conversation.time(10))
    #expect(chat.isLive && chat.isWaiting && chat.customerIsOnline)
    #expect(chat.data == [NameValuePair("a", "1")])
    #expect(chat.userKey == "user-7")
    #expect(chat.chatSessionID == "0002CaBE7F0K001Q")
    #expect(chat.subject == "Order")
    #expect(chat.pushTarget == Conversation.target)
  }

  @Test("without a first text the start ends at position 1", arguments: [nil, ""])
  func startWithoutText(firstMessage: String?) throws {
    var conversation = Conversation()
    try conversation.when(.create(serviceName: "request-chat", data: []), at: 0)
    try conversation.when(Conversation.start(firstMessage: firstMessage), at: 0)
    #expect(conversation.chat.startPosition == 1)
    #expect(conversation.chat.lastPosition == 1)
  }

  @Test("creating and starting at once is the one and then the other, or neither")
  func createAndStart() throws {
    guard case .start(let start) = Conversation.start(firstMessage: "Hello") else { return }
    let (creation, data) = ("request-chat", [NameValuePair("tier", "gold")])
    var apart = Conversation()
    let steps = [
      try apart.when(.create(serviceName: creation, data: data, userKey: "user-7"), at: 0),
      try apart.when(.start(start), at: 0),
    ]
    var together = Conversation()
    let both = ChatAction.createAndStart(serviceName: creation, data: data, userKey: "user-7", start)
    let turn = try together.when(both, at: 0)
    #expect(turn.events == steps.flatMap(\.events) && turn.effects == steps.flatMap(\.effects))
    #expect(together.chat.stateBytes == apart.chat.stateBytes)
    #expect(throws: ChatRejection.alreadyStarted) { try together.when(both, at: 1) }
    var nameless = start
    nameless.nickname = ""
    var refused = Conversation()
    #expect(throws: ChatRejection.empty(field: "userDisplayName")) {
      try refused.when(.createAndStart(serviceName: creation, data: data, userKey: "user-7", nameless), at: 0)
    }
    #expect(refused.chat.lifecycle == .absent && refused.journal.isEmpty)
  }

  @Test("an instance that nobody uses expires")
  func expiresUnused() throws {
    var conversation = Conversation()
    conversation.policy.timeToLive = .seconds(100)
    try conversation.when(.create(serviceName: "request-chat", data: []), at: 0)
    let turn = try conversation.when(.timeToLiveElapsed, at: 100)
    #expect(turn == Conversation.Turn(events: [.expired], effects: [.expired]))
    #expect(conversation.chat.isFinished)
    #expect(conversation.chat.outstandingEffects.isEmpty)
    #expect(throws: ChatRejection.unknownService) { try conversation.when(Conversation.start(), at: 101) }
    #expect(throws: ChatRejection.unknownService) {
      try conversation.when(.create(serviceName: "request-chat", data: []), at: 101)
    }
    #expect(try conversation.when(.timeToLiveElapsed, at: 102).events.isEmpty)
  }

  @Test("the time to live counts from the last use, without an event for each use")
  func timerTooEarly() throws {
    var conversation = try Conversation.started()
    conversation.policy.timeToLive = .seconds(100)
    let use = try conversation.when(.customerSend(text: "Hello"), at: 70)
    #expect(use.events == [.linePosted(party: 0, type: .messageText, text: "Hello")])
    let early = try conversation.when(.timeToLiveElapsed, at: 100)
    #expect(early.events == [.timeToLiveExtended(until: Conversation.time(170))])
    #expect(early.effects == [.startTimer(.timeToLive, at: Conversation.time(170))])
    #expect(conversation.chat.outstandingEffects == early.effects)
    // The extension itself is no use.
    #expect(try conversation.when(.timeToLiveElapsed, at: 170).effects.last == .expired)
  }

  @Test("a customer who is connected is using the chat, also without a word")
  func connectedLives() throws {
    var conversation = try Conversation.online()
    conversation.policy.timeToLive = .seconds(100)
    let turn = try conversation.when(.timeToLiveElapsed, at: 101)
    #expect(turn.events == [.timeToLiveExtended(until: Conversation.time(201))])
  }

  @Test("a chat that is over is not kept by its customer's sessions, which are there for the next chat")
  func endedIsNotKept() throws {
    var conversation = try Conversation.online()
    conversation.policy.timeToLive = .seconds(100)
    try conversation.when(.customerLeave, at: 10)
    for (index, second) in [20.0, 40, 60, 80].enumerated() {
      let session = "d\(index)"
      try conversation.when(.cometSubscribed(session: session, delivered: 0), at: second)
      try conversation.when(.cometConnected(session: session, delivered: 0), at: second + 1)
      try conversation.when(
        .cometDisconnected(session: session, position: 1, delivered: 0, concernsSeveralChats: true), at: second + 2)
    }
    let early = try conversation.when(.timeToLiveElapsed, at: 100)
    #expect(early.events == [.timeToLiveExtended(until: Conversation.time(110))])
    #expect(try conversation.when(.timeToLiveElapsed, at: 110).events.last == .expired)
  }

  @Test("a live chat that expires ends first")
  func liveExpires() throws {
    var conversation = try Conversation.online()
    conversation.policy.timeToLive = .seconds(100)
    try conversation.when(
      .cometDisconnected(session: "c1", position: 2, delivered: 2, concernsSeveralChats: false), at: 2)
    let turn = try conversation.when(.timeToLiveElapsed, at: 103)
    let left = Conversation.event(3, .left, "Guest 7", "has left the session", .client, at: 103)
    #expect(turn.events == [.chatEnded(party: 0, cause: .timeToLive), .expired])
    #expect(
      turn.effects == [
        Conversation.toAgents(left), .notifyAgents(.ended), .ended, .expired,
      ])
    #expect(conversation.chat.isEnded && conversation.chat.isFinished)
  }

  @Test("an instance that expires takes its push timer back")
  func expiresWaiting() throws {
    var conversation = try Conversation.waiting()
    conversation.policy.timeToLive = .seconds(1)
    let turn = try conversation.when(.timeToLiveElapsed, at: 4)
    #expect(turn.effects.first == .cancelTimer(.pushDelay(phase: 1)))
    #expect(turn.effects.last == .expired)
    #expect(try conversation.when(.pushDelayElapsed(phase: 1), at: 8).events.isEmpty)
  }

  @Test("refreshes without news keep the instance alive, with a note an eighth of the time to live apart")
  func servedKeepsAlive() throws {
    var conversation = try Conversation.started(comet: false)
    conversation.policy.timeToLive = .seconds(80)
    #expect(try conversation.when(.noteServed(upTo: 1), at: 9).events.isEmpty)
    #expect(try conversation.when(.noteServed(upTo: 1), at: 10).events == [.served(upTo: 1)])
    #expect(
      try conversation.when(.timeToLiveElapsed, at: 80).events == [.timeToLiveExtended(until: Conversation.time(90))])
  }

  @Test("what REST gave out is remembered, never beyond the transcript and never backwards")
  func served() throws {
    var conversation = try Conversation.online()
    #expect(conversation.chat.servedPosition == 1)
    #expect(try conversation.when(.noteServed(upTo: 99), at: 2).events == [.served(upTo: 2)])
    #expect(try conversation.when(.noteServed(upTo: 1), at: 3).events.isEmpty)
    #expect(conversation.chat.servedPosition == 2)
  }

  @Test("attached data is merged: the later value wins, an empty one removes")
  func data() throws {
    var conversation = Conversation()
    try conversation.when(
      .create(serviceName: "chat", data: [NameValuePair("a", "1"), NameValuePair("b", "2")]), at: 0)
    try conversation.when(Conversation.start(data: [NameValuePair("b", "3"), NameValuePair("c", "4")]), at: 0)
    #expect(conversation.chat.data == [NameValuePair("a", "1"), NameValuePair("b", "3"), NameValuePair("c", "4")])
    let turn = try conversation.when(
      .updateData([NameValuePair("a", ""), NameValuePair("c", "5"), NameValuePair("d", "6"), NameValuePair("none", "")]
      ), at: 1)
    #expect(turn.effects == [.notifyAgents(.dataChanged)])
    #expect(conversation.chat.data == [NameValuePair("b", "3"), NameValuePair("c", "5"), NameValuePair("d", "6")])
    #expect(
      try conversation.when(.updateData([NameValuePair("d", "6"), NameValuePair("none", "")]), at: 2).events.isEmpty)
  }
}

@Suite("Chat, commands it refuses")
struct RejectionTests {
  @Test("nobody can use an instance that was never created")
  func absent() {
    var conversation = Conversation()
    let actions: [ChatAction] = [
      Conversation.start(), .customerSend(text: "a"), .customerTyping(started: true, preview: ""),
      .customerNotice(text: "a"), .customerPushURL("https://u.test/"), .updateData([]), .customerLeave,
      Conversation.joinK,
      Conversation.say("a"), .agentTyping(agentID: "k", started: true),
      .agentPushURL(agentID: "k", url: "https://u.test/"),
      .agentNotice(agentID: "k", text: "a"), .agentLeave(agentID: "k"), .agentClose(agentID: "k"),
    ]
    for action in actions {
      #expect(throws: ChatRejection.unknownService) { try conversation.when(action, at: 0) }
    }
  }

  @Test("nobody can talk before the start")
  func notStarted() throws {
    var conversation = Conversation()
    try conversation.when(.create(serviceName: "chat", data: []), at: 0)
    for action in [ChatAction.customerSend(text: "a"), .customerLeave, Conversation.joinK, .updateData([])] {
      #expect(throws: ChatRejection.notStarted) { try conversation.when(action, at: 0) }
    }
    #expect(throws: ChatRejection.alreadyStarted) {
      try conversation.when(.create(serviceName: "chat", data: []), at: 0)
    }
  }

  @Test("an instance has one chat")
  func secondStart() throws {
    var conversation = try Conversation.started()
    #expect(throws: ChatRejection.alreadyStarted) { try conversation.when(Conversation.start(), at: 1) }
    try conversation.when(.customerLeave, at: 2)
    #expect(throws: ChatRejection.ended) { try conversation.when(Conversation.start(), at: 3) }
  }

  @Test("nobody can talk after the end, but leaving again is harmless")
  func ended() throws {
    var conversation = try Conversation.online()
    try conversation.when(.customerLeave, at: 2)
    let actions: [ChatAction] = [
      .customerSend(text: "a"), .customerTyping(started: false, preview: ""), .customerNotice(text: "a"),
      .customerPushURL("https://u.test/"), .updateData([NameValuePair("a", "1")]), Conversation.joinK,
      Conversation.say("a"),
      .agentLeave(agentID: "k"), .agentClose(agentID: "k"),
    ]
    for action in actions {
      #expect(throws: ChatRejection.ended) { try conversation.when(action, at: 3) }
    }
    #expect(try conversation.when(.customerLeave, at: 4) == Conversation.Turn())
  }

  @Test("an agent who is not in the chat cannot act in it")
  func notJoined() throws {
    var conversation = try Conversation.online()
    let actions: [ChatAction] = [
      .agentSend(agentID: "x", text: "a"), .agentTyping(agentID: "x", started: true),
      .agentPushURL(agentID: "x", url: "https://u.test/"), .agentNotice(agentID: "x", text: "a"),
      .agentLeave(agentID: "x"),
      .agentClose(agentID: "x"),
    ]
    for action in actions {
      #expect(throws: ChatRejection.notJoined) { try conversation.when(action, at: 2) }
    }
    #expect(throws: ChatRejection.alreadyJoined) { try conversation.when(Conversation.joinK, at: 2) }
    try conversation.when(.agentLeave(agentID: "k"), at: 3)
    #expect(throws: ChatRejection.notJoined) { try conversation.when(Conversation.say("a"), at: 4) }
  }

  @Test(
    "required texts cannot be empty",
    arguments: [
      (.customerSend(text: ""), "message"), (.customerNotice(text: ""), "message"), (.customerPushURL(""), "pushUrl"),
      (.agentSend(agentID: "k", text: ""), "text"), (.agentPushURL(agentID: "k", url: ""), "url"),
      (.agentNotice(agentID: "k", text: ""), "text"),
      (.agentJoin(agentID: "l", nickname: "", role: .agent), "nickname"),
      (.agentJoin(agentID: "", nickname: "L", role: .agent), "agentId"),
    ] as [(ChatAction, String)])
  func empty(action: ChatAction, field: String) throws {
    var conversation = try Conversation.online()
    #expect(throws: ChatRejection.empty(field: field)) { try conversation.when(action, at: 2) }
  }

  @Test(
    "only pages of the web are pushed",
    arguments: [
      "javascript:alert(1)", "data:text/html,x", "file:///etc/passwd", "intent://x", "ftp://a.test/", "a.test/",
      "//a.test/", "http:", "http:/a.test", "http://", "https:///x", "http://?x", "https://a.test/ x",
      " https://a.test",
      "https://a.test/\u{0}", "httpss://a.test",
    ])
  func addresses(url: String) throws {
    var conversation = try Conversation.online()
    let reason = "is not an http or https URL"
    #expect(throws: ChatRejection.invalid(field: "pushUrl", reason: reason)) {
      try conversation.when(.customerPushURL(url), at: 2)
    }
    #expect(throws: ChatRejection.invalid(field: "url", reason: reason)) {
      try conversation.when(.agentPushURL(agentID: "k", url: url), at: 2)
    }
    for good in ["HTTPS://a.test", "http://[::1]:8/?q#f", "http://bücher.test/ü"] {
      try conversation.when(.customerPushURL(good), at: 2)
      try conversation.when(.agentPushURL(agentID: "k", url: good), at: 2)
    }
  }

  @Test("an agent cannot join as the customer")
  func role() throws {
    var conversation = try Conversation.online()
    #expect(throws: ChatRejection.invalid(field: "role", reason: "an agent cannot be the customer")) {
      try conversation.when(.agentJoin(agentID: "l", nickname: "L", role: .client), at: 2)
    }
  }

  @Test("what the machine reports too late or too early changes nothing")
  func machine() throws {
    let reports: [ChatAction] = [
      .timeToLiveElapsed, .noteServed(upTo: 3), .cometSubscribed(session: "c", delivered: 0),
      .cometConnected(session: "c", delivered: 0), .cometUnsubscribed(session: "c", delivered: 0),
      Conversation.disconnect("c", position: 1, delivered: 0), .cometLost(session: "c", delivered: 0),
      .pushDelayElapsed(phase: 1), .pushHandedOver(number: 1),
    ]
    var absent = Conversation()
    var created = Conversation()
    try created.when(.create(serviceName: "chat", data: []), at: 0)
    for report in reports {
      #expect(try absent.when(report, at: 0) == Conversation.Turn())
      if report != .timeToLiveElapsed { #expect(try created.when(report, at: 0) == Conversation.Turn()) }
    }
  }
}
