import Bayeux
import CarillonClient

/// A sample customer on the wire: does what its mind says, and tells it what comes.
actor CastPlayer {
  private let server: ServerAddress
  private let room: CastRoom
  private let start: ContinuousClock.Instant
  private let desk: CastDesk
  private var mind: CastMind
  private var chat: CarillonChat?

  /// - Parameter start: what its mind's seconds are counted from.
  init(_ member: CastMember, server: ServerAddress, room: CastRoom, start: ContinuousClock.Instant = .now) {
    self.server = server
    self.room = room
    self.start = start
    desk = CastDesk(member, server)
    mind = CastMind(member)
  }

  /// Lives until the task is cancelled; then says goodbye.
  func run() async {
    while !Task.isCancelled {
      if let act = mind.next(at: now, room: room.now) { await perform(act) }
      if let text = await desk.answer(at: now) { mind.hears(.commented(text), at: now) }
      try? await Task.sleep(for: CastLimits.tick)
    }
    await goodbye()
  }

  /// A push has reached its device.
  func pushed() { mind.hears(.pushed, at: now) }

  private var now: Int { Int((ContinuousClock.now - start).components.seconds) }

  /// Whatever does not work is left: the server may be down for a moment, or an agent faster.
  private func perform(_ act: CastMind.Act) async {
    switch act {
    case .startChat(let errand): await startChat(errand)
    case .say(let text): _ = try? await chat?.send(text)
    case .leave: try? await chat?.enterBackground()
    case .comeBack: await chat?.returnToForeground()
    case .endChat: await endChat()
    case .orderCallback(let subject):
      guard room.take(\.callbacks) else { return }
      if await !desk.orderCallback(subject) { room.give(\.callbacks) }
    case .cancelCallback: if await desk.cancelCallback() { room.give(\.callbacks) }
    case .openRequest(let errand): if room.take(\.requests) { await desk.open(errand) }
    case .commentRequest(let text): await desk.comment(text)
    }
  }

  // MARK: The chat

  private func startChat(_ errand: CastWords.Errand) async {
    guard room.take(\.chats) else { return mind.hears(.failed, at: now) }
    let member = mind.member
    var configuration = ChatConfiguration(server: server, userKey: member.userKey)
    configuration.service = member.service.rawValue
    // Some of each.
    configuration.transport = member.number.isMultiple(of: 3) ? .webSocket : .longPolling
    let chat = CarillonChat(configuration)
    let push =
      member.push == .none
      ? nil
      : ChatParameters.Push(
        type: "customhttp", deviceID: member.deviceID, provider: member.push.provider,
        language: member.language.rawValue)
    do {
      try await chat.start(
        ChatParameters(
          firstName: member.name, displayName: member.name, email: member.email, subject: errand.subject,
          message: errand.question, push: push))
    } catch {
      await chat.abandon()
      room.give(\.chats)
      return mind.hears(.failed, at: now)
    }
    self.chat = chat
    mind.hears(.chatStarted, at: now)
    // Ends with the chat, whose stream it reads.
    Task {
      for await message in chat.events { heard(message) }
      ended(chat)
    }
  }

  private func heard(_ message: ChatEventMessage) {
    for event in message.events where event.type == "Message.Text" && !event.isFromCustomer {
      mind.hears(.said(event.text), at: now)
    }
  }

  private func ended(_ chat: CarillonChat) {
    guard self.chat === chat else { return }
    self.chat = nil
    room.give(\.chats)
    mind.hears(.chatEnded, at: now)
  }

  /// An agent who closes it hears of it as of any other goodbye.
  private func endChat() async { try? await chat?.disconnect() }

  /// What is open would be open for ever in a data directory that stays.
  private func goodbye() async {
    guard let chat else { return desk.shutDown() }
    // The task that this is called in is cancelled, and so would be its requests.
    await Task {
      let tooLong = Task {
        try await Task.sleep(for: CastLimits.goodbye)
        await chat.abandon()
      }
      try? await chat.disconnect()
      tooLong.cancel()
    }.value
    desk.shutDown()
  }
}
