import ChatDomain
import EventSourcing

/// One chat as its records tell it.
struct ChatView {
  struct Line: Equatable {
    let type: String
    let nickname: String
    let text: String
    let role: String
  }

  /// A delay before a push that runs.
  struct Delay {
    let deadline: Timestamp
    let since: Moment
  }

  private(set) var lines: [Line] = []
  private(set) var serviceName = ""
  private(set) var userKey: String?
  private(set) var chatSessionID = ""
  private(set) var isStarted = false
  private(set) var isEnded = false
  private(set) var isExpired = false
  private(set) var notifiesByComet = false
  private(set) var hasTarget = false
  private(set) var startPosition = 0
  private(set) var lastPushNumber = 0
  private(set) var requested: Set<Int> = []
  private(set) var handedOver: Set<Int> = []
  private(set) var delay: Delay?
  /// Nobody is tied to it any more: what was promised to its customer is void.
  private(set) var isErased = false
  /// Positions that qualify for a push and that no record speaks of yet.
  private(set) var uncovered: Set<Int> = []
  private var parties: [(nickname: String, role: PartyRole)] = []
  private var isAbsent = false
  private var hasPushedInPhase = false
  /// Positions that this phase's records speak of.
  private var covered: Set<Int> = []
  /// The agents are to be told that the customer is away: at once, or with the next text of theirs.
  private(set) var noticeIsDue = false
  private var owesNotice = false
  /// The app has said in this phase what it has.
  private(set) var isStated = false

  /// Types that never cause a push. Spec: GMS 6.4.
  static let filtered: Set<TranscriptEventType> = [.typingStarted, .typingStopped]

  mutating func apply(_ event: ChatEvent, at time: Timestamp, _ moment: Moment) throws {
    if isExpired { throw Failure(.replayGivesTheSame, "a record behind the end of a chat: \(event)") }
    switch event {
    case .created(let name, _, _, _): serviceName = name
    case .started(let start): begin(start)
    case .linePosted(let party, let type, let text): add(type, text, party)
    case .filePosted(let party, let file): add(.pushURL, file.url, party)
    case .agentJoined(_, let nickname, let role):
      parties.append((nickname, role))
      add(.joined, "", parties.count - 1)
    case .agentLeft(let party): add(.left, "", party)
    case .chatEnded(let party, _):
      add(.left, "", party)
      isEnded = true
    case .expired:
      isExpired = true
      uncovered = []
      delay = nil
    case .customerAbsent(_, let position, _, let cause, let basis):
      isAbsent = true
      hasPushedInPhase = false
      covered = []
      isStated = basis == .stated
      if basis != nil { miss(after: position) }
      owesNotice = true
      noticeIsDue = cause == .disconnected || missesText(after: position)
    case .positionStated(let position):
      isStated = true
      miss(after: position)
    case .absenceNoted:
      guard owesNotice else { throw Failure(.agentsAreTold, "agents are told twice") }
      owesNotice = false
      noticeIsDue = false
    case .customerReturned:
      isAbsent = false
      owesNotice = false
      delay = nil
    case .pushDelayStarted(_, let positions, let deadline):
      try cover(positions)
      let wanted = SimulatedServices.pushDelay(of: serviceName)
      guard deadline == time.advanced(by: wanted) else {
        throw Failure(.timersFireInTime, "a delay of \(wanted) ends at \(deadline), begun at \(time)")
      }
      delay = Delay(deadline: deadline, since: moment)
    case .lineRemembered(let position, _): try cover([position])
    case .pushDelayCancelled: delay = nil
    case .pushRequested(let number, _, _, _, let positions):
      try request(number, positions, at: time, moment)
    case .pushHandedOver(let number):
      guard requested.contains(number), handedOver.insert(number).inserted else {
        throw Failure(.onePushOneOutcome, "push \(number) was handed over twice, or never asked for")
      }
    case .pushSettled(let number, _):
      guard handedOver.contains(number) || isErased else {
        throw Failure(.onePushOneOutcome, "push \(number) is over and was never handed over")
      }
    case .erased:
      isErased = true
      uncovered = []
      owesNotice = false
      noticeIsDue = false
    case .pushTargetChanged(let target): hasTarget = target != nil
    case .dataUpdated, .served, .cometSubscribed, .cometConnected, .cometUnsubscribed, .cometDetached, .returnNoted,
      .previewTyped, .timeToLiveExtended, .privateNoted, .read, .agentInvited, .deskChanged, .wrappedUp, .offered,
      .offerEnded:
      break
    }
  }

  private mutating func begin(_ start: ChatStart) {
    isStarted = true
    userKey = start.userKey
    chatSessionID = start.chatSessionID
    notifiesByComet = start.notifiesByComet
    hasTarget = start.pushTarget != nil
    parties = [(start.nickname, .client)]
    add(.joined, "", 0)
    if let text = start.firstMessage, !text.isEmpty { add(.messageText, text, 0) }
    startPosition = lines.count
  }

  private mutating func add(_ type: TranscriptEventType, _ text: String, _ party: Int) {
    let author = parties.indices.contains(party) ? parties[party] : ("", .external)
    lines.append(
      Line(type: type.rawValue, nickname: author.0, text: type.fixedText ?? text, role: author.1.rawValue))
    if isAbsent, owesNotice, !isErased, author.1 != .client, type == .messageText { noticeIsDue = true }
    guard isAbsent, !isErased, author.1 != .client, !Self.filtered.contains(type), hasTarget || !hasPushedInPhase else {
      return
    }
    uncovered.insert(lines.count)
  }

  /// The app has not shown what follows: it is to be told of it, if it was not in this phase.
  private mutating func miss(after position: Int) {
    guard !isErased, !(isEnded && lines.last?.role == PartyRole.client.rawValue), hasTarget || !hasPushedInPhase else {
      return
    }
    for missed in max(0, position)..<max(position, lines.count) where qualifies(lines[missed]) {
      if !covered.contains(missed + 1) { uncovered.insert(missed + 1) }
    }
  }

  private func missesText(after position: Int) -> Bool {
    lines.dropFirst(position).contains {
      $0.role != PartyRole.client.rawValue && $0.type == TranscriptEventType.messageText.rawValue
    }
  }

  private func qualifies(_ line: Line) -> Bool {
    line.role != PartyRole.client.rawValue && !Self.filtered.contains { $0.rawValue == line.type }
  }

  /// A record says that the customer will be told of these lines.
  private mutating func cover(_ positions: [Int]) throws {
    for position in positions {
      guard lines.indices.contains(position - 1) else {
        throw Failure(.pushForWhatWasMissed, "a push for position \(position) of \(lines.count)")
      }
      let line = lines[position - 1]
      guard qualifies(line) else {
        throw Failure(.pushForWhatWasMissed, "a push for \(line.type) of \(line.role) at \(position)")
      }
      uncovered.remove(position)
      covered.insert(position)
    }
  }

  private mutating func request(_ number: Int, _ positions: [Int], at time: Timestamp, _ moment: Moment) throws {
    guard number == lastPushNumber + 1 else {
      throw Failure(.onePushOneOutcome, "push \(number) follows \(lastPushNumber)")
    }
    lastPushNumber = number
    if hasTarget { requested.insert(number) }
    hasPushedInPhase = true
    try cover(positions)
    guard let delay else { return }
    self.delay = nil
    // With the clock untouched meanwhile, a delay never ends before its time.
    if moment.clockSettings == delay.since.clockSettings, time < delay.deadline {
      throw Failure(
        .timersFireInTime,
        "a push \(delay.deadline.milliseconds - time.milliseconds) ms before its delay was over")
    }
  }
}
