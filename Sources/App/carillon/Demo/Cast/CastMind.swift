/// What one sample customer does next. A machine without clock or wire: seconds come in, acts go out.
///
/// ```
///             room for an errand              nobody answers, or by the way
///   home ───────────────────────> chatting ───────────────────────────────> away
///    ↑                            │  ↑                                        │
///    └── thanked, ended, or lost ─┘  └──────── pushed, or curious ────────────┘
/// ```
struct CastMind: Sendable {
  /// What they do.
  enum Act: Sendable, Equatable {
    case startChat(CastWords.Errand)
    case say(String)
    /// The app goes to the background.
    case leave
    /// It comes back.
    case comeBack
    case endChat
    case orderCallback(subject: String)
    case cancelCallback
    case openRequest(CastWords.Errand)
    case commentRequest(String)
  }

  /// What happens to them.
  enum News: Sendable, Equatable {
    case chatStarted
    /// An agent's line.
    case said(String)
    /// A push has reached their device.
    case pushed
    case chatEnded
    /// An agent's comment on their support request.
    case commented(String)
    /// What they were about to begin did not work.
    case failed
  }

  /// What there is room for besides.
  struct Room: Sendable, Equatable {
    var chats: Int
    var callbacks: Int
    var requests: Int
  }

  private enum Place: Equatable {
    case home(until: Int)
    /// The chat is being started.
    case starting
    case chatting
    case away(until: Int)
  }

  /// What is due in a chat, and when.
  private struct Chat {
    let startedAt: Int
    var answersLeft: Int
    var wasAnswered = false
    var nudges = 0
    var nudgeAt: Int?
    var answer: (text: String, at: Int)?
    var leaveAt: Int?
    var endAt: Int?
  }

  let member: CastMember
  private var random: CastRandom
  private var place: Place
  private var chat: Chat?
  private var callbackUntil: Int?
  private var hasRequest = false
  private var requestAnswersLeft = CastLimits.answersInRequest
  private var comment: (text: String, at: Int)?

  init(_ member: CastMember, seed: UInt64 = CastLimits.seed) {
    self.member = member
    random = CastRandom(seed: seed &+ UInt64(member.number))
    let come = member.number <= 3 ? CastLimits.firstCome : CastLimits.othersCome
    place = .home(until: random.number(come))
  }

  var isAway: Bool {
    if case .away = place { return true }
    return false
  }

  /// At most one act at a time; nil while nothing is due.
  mutating func next(at now: Int, room: Room) -> Act? {
    if let until = callbackUntil, now >= until {
      callbackUntil = nil
      return .cancelCallback
    }
    if let due = comment, now >= due.at {
      comment = nil
      return .commentRequest(due.text)
    }
    switch place {
    case .home(let until): return now >= until ? errand(at: now, room) : nil
    case .starting: return nil
    case .away(let until):
      guard now >= until else { return nil }
      place = .chatting
      return .comeBack
    case .chatting: return inChat(at: now)
    }
  }

  mutating func hears(_ news: News, at now: Int) {
    switch news {
    case .chatStarted:
      guard place == .starting else { return }
      place = .chatting
      chat = Chat(
        startedAt: now, answersLeft: random.number(CastLimits.answersInChat),
        nudgeAt: now + random.number(CastLimits.nudge))
      if random.happens(oneIn: 2) { chat?.leaveAt = now + random.number(CastLimits.leaveUnanswered) }
    case .said(let text):
      guard chat?.endAt == nil else { return }
      chat?.wasAnswered = true
      chat?.nudgeAt = nil
      chat?.leaveAt = nil
      chat?.answer = (text, now + random.number(CastLimits.answer))
    case .pushed:
      guard case .away(let until) = place else { return }
      place = .away(until: min(until, now + random.number(CastLimits.comeBackAfterPush)))
    case .chatEnded:
      guard chat != nil || place == .starting else { return }
      goHome(at: now, for: CastLimits.betweenErrands)
    case .commented(let text):
      guard requestAnswersLeft > 0 else { return }
      requestAnswersLeft -= 1
      let answer = random.pick(CastWords.answers(to: text, member.language))
      comment = (answer, now + random.number(CastLimits.answer))
    case .failed:
      // What was lost in a chat that goes on is said another time.
      guard place == .starting else { return }
      goHome(at: now, for: CastLimits.afterFailure)
    }
  }

  // MARK: At home

  private mutating func goHome(at now: Int, for pause: ClosedRange<Int>) {
    chat = nil
    place = .home(until: now + random.number(pause))
  }

  private mutating func errand(at now: Int, _ room: Room) -> Act? {
    let errand = random.pick(CastWords.errands(member.service, member.language))
    let wish = random.number(1...8)
    if wish == 1, room.callbacks > 0, callbackUntil == nil {
      callbackUntil = now + CastLimits.callbackPatience
      goHome(at: now, for: CastLimits.betweenErrands)
      return .orderCallback(subject: errand.subject)
    }
    if wish == 2, room.requests > 0, !hasRequest {
      hasRequest = true
      goHome(at: now, for: CastLimits.betweenErrands)
      return .openRequest(errand)
    }
    guard room.chats > 0 else {
      goHome(at: now, for: CastLimits.afterFailure)
      return nil
    }
    place = .starting
    return .startChat(errand)
  }

  // MARK: In a chat

  private mutating func inChat(at now: Int) -> Act? {
    guard let chat else { return nil }
    if now >= chat.endAt ?? giveUp(chat) { return .endChat }
    if let answer = chat.answer, now >= answer.at { return say(to: answer.text, at: now) }
    if let leave = chat.leaveAt, now >= leave {
      self.chat?.leaveAt = nil
      place = .away(until: now + random.number(CastLimits.stayAway))
      return .leave
    }
    guard let nudge = chat.nudgeAt, now >= nudge else { return nil }
    self.chat?.nudges += 1
    let isLast = chat.nudges + 1 >= CastLimits.nudgesMaximum
    self.chat?.nudgeAt = isLast ? nil : now + random.number(CastLimits.nudge)
    if chat.leaveAt == nil { self.chat?.leaveAt = now + random.number(CastLimits.leaveUnanswered) }
    return .say(random.pick(CastWords.nudges(member.language)))
  }

  private func giveUp(_ chat: Chat) -> Int {
    chat.startedAt + (chat.wasAnswered ? CastLimits.chatLifetime : CastLimits.patience)
  }

  private mutating func say(to text: String, at now: Int) -> Act {
    chat?.answer = nil
    chat?.answersLeft -= 1
    guard let left = chat?.answersLeft, left > 0 else {
      chat?.endAt = now + random.number(CastLimits.farewell)
      return .say(random.pick(CastWords.thanks(member.language)))
    }
    // Then what the agent writes next has to reach them by push.
    if random.happens(oneIn: 2) { chat?.leaveAt = now + random.number(CastLimits.leaveAfterAnswer) }
    return .say(random.pick(CastWords.answers(to: text, member.language)))
  }
}
