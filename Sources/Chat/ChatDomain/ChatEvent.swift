public import EventSourcing

/// What has happened to a chat. Tags and payload fields are frozen; a new meaning is a new case with a new tag.
///
/// | tag | event | fields |
/// |---|---|---|
/// | 1 | `created` | service name 17, data 16…, deadline 6, user key 22 (absent: none) |
/// | 2 | `started` | start 18 |
/// | 3 | `linePosted` | party 1, type 2 (absent: `Message.Text`), text 3 (absent: empty) |
/// | 4 | `previewTyped` | text 3 |
/// | 5 | `dataUpdated` | data 16… |
/// | 6 | `agentJoined` | agent 15, nickname 13, role 14 |
/// | 7 | `agentLeft` | party 1 |
/// | 8 | `chatEnded` | party 1, cause 12 |
/// | 9 | `expired` | – |
/// | 10 | `timeToLiveExtended` | deadline 6 |
/// | 11 | `served` | position 4 |
/// | 12 | `cometSubscribed` | session 5, position 4 (absent: not active) |
/// | 13 | `cometConnected` | session 5, position 4 (absent: activates nothing) |
/// | 14 | `cometUnsubscribed` | session 5, position 4 (absent: base unchanged), written 11 |
/// | 15 | `cometDetached` | session 5, position 4 (absent: base unchanged), written 11 |
/// | 16 | `customerAbsent` | session 5, position 4, written 11, cause 12, basis 21 (absent in older records) |
/// | 17 | `customerReturned` | – |
/// | 18 | `absenceNoted` | text 3 |
/// | 19 | `returnNoted` | text 3 |
/// | 20 | `pushDelayStarted` | phase 7, positions 10…, deadline 6 |
/// | 21 | `lineRemembered` | position 4, oldest dropped 19 (absent: no) |
/// | 22 | `pushDelayCancelled` | phase 7 |
/// | 23 | `pushRequested` | number 8, phase 7, ordinal 9, message 3, positions 10… |
/// | 24 | `pushHandedOver` | number 8 |
/// | 25 | `erased` | state 20: `ChatSession+state.swift` |
/// | 26 | `positionStated` | position 4 |
/// | 45 | `pushTargetChanged` | target 40 as in `ChatStart` (absent: none any more) |
/// | 50 | `pushSettled` | number 8, outcome 50 |
/// | 51 | `read` | agent 15, position 4 |
/// | 52 | `privateNoted` | agent 15, nickname 13, role 14, text 3 |
/// | 53 | `agentInvited` | agent 15, inviter 51 |
/// | 54 | `deskChanged` | service name 17 |
/// | 55 | `wrappedUp` | agent 15, disposition 52, text 3 (absent: empty), tags 53… |
/// | 60 | `filePosted` | party 1, file 60: `ChatFile` |
/// | 61 | `offered` | agent 15, deadline 6 |
/// | 62 | `offerEnded` | agent 15, deadline 6, end 61 |
///
/// The field numbers mean the same in every event of this table; see `Field` for their types.
public enum ChatEvent: JournaledEvent {
  // The instance.
  /// `userKey`: the `gms_user` of whoever made the instance; nil if the request named none.
  case created(serviceName: String, data: [NameValuePair], expiresAt: Timestamp, userKey: String? = nil)
  /// Indirect: the one large payload must not make every other event large.
  indirect case started(with: ChatStart)
  case expired
  /// The time-to-live timer came too early: the instance was used meanwhile.
  case timeToLiveExtended(until: Timestamp)
  case dataUpdated(pairs: [NameValuePair])
  /// Pushes that are asked for from now on go there; nil: nowhere. What is owed already goes where it was to go.
  case pushTargetChanged(to: PushTarget?)
  /// A REST reply has given out everything up to `upTo`. Also notes that the instance is in use.
  case served(upTo: Int)
  /// The customer's words and traces were erased. `state` is all that is left, as `ChatSession.encodeState` wrote it:
  /// it replaces what stood before.
  case erased(state: [UInt8])

  // The transcript: each of these and `started` appends one event (`started` also the first text).
  /// The text is empty for the types whose text never varies.
  case linePosted(party: Int, type: TranscriptEventType, text: String)
  /// Indirect, as `started`.
  indirect case filePosted(party: Int, file: ChatFile)
  case agentJoined(agentID: String, nickname: String, role: PartyRole)
  case agentLeft(party: Int)
  /// An agent may join, whoever has the chat. `inviter` is an agent's id.
  case agentInvited(agentID: String, inviter: String)
  /// From now on it is for the agents of this service. For its customer it stays what it was.
  case deskChanged(to: String)
  /// It is this agent's to take, until then.
  case offered(ChatOffer)
  /// That offer is over; what ends it comes behind.
  case offerEnded(ChatOffer, ChatOfferEnd)
  /// Appends `Notice.Left` of this party; the chat is over.
  case chatEnded(party: Int, cause: ChatEndCause)

  // For agents only, without a position.
  case previewTyped(text: String)
  case absenceNoted(text: String)
  case returnNoted(text: String)
  /// An agent says something that only agents see; they need not be in the chat.
  case privateNoted(agentID: String, nickname: String, role: PartyRole, text: String)
  /// An agent has read everything up to `upTo`.
  case read(agentID: String, upTo: Int)
  /// Takes the place of what was noted before.
  case wrappedUp(agentID: String, disposition: String, note: String, tags: [String])

  // The customer's Comet sessions. `activeAfter`: from now on the session gets every event after this position.
  case cometSubscribed(session: String, activeAfter: Int?)
  case cometConnected(session: String, activeAfter: Int?)
  /// `base`: what the customer has, if no active session is left. `written`: the highest position that it confirmed (in
  /// older records: that was written to it).
  case cometUnsubscribed(session: String, base: Int?, written: Int)
  case cometDetached(session: String, base: Int?, written: Int)
  /// The last active session is gone: the customer is flagged disconnected with base position `position`. What
  /// qualifies after it was said before is announced by the events that follow; where `basis` is nil, only what had
  /// been written to no session is.
  case customerAbsent(session: String, position: Int, written: Int, cause: AbsenceCause, basis: PositionBasis? = nil)
  /// The app has said what it has while it is flagged disconnected: this is the base position from now on.
  case positionStated(position: Int)
  case customerReturned

  // Pushes.
  case pushDelayStarted(phase: Int, positions: [Int], deadline: Timestamp)
  case lineRemembered(position: Int, droppingOldest: Bool)
  case pushDelayCancelled(phase: Int)
  /// The push stands for the events at `positions`; it is owed until handed over, if the chat has a push target.
  case pushRequested(number: Int, phase: Int, ordinal: Int, message: String, positions: [Int])
  case pushHandedOver(number: Int)
  /// The queue that has taken the push over is done with it.
  case pushSettled(number: Int, outcome: ChatPushOutcome)

  public var tag: EventTag {
    switch self {
    case .created: 1
    case .started: 2
    case .linePosted: 3
    case .previewTyped: 4
    case .dataUpdated: 5
    case .agentJoined: 6
    case .agentLeft: 7
    case .chatEnded: 8
    case .expired: 9
    case .timeToLiveExtended: 10
    case .served: 11
    case .cometSubscribed: 12
    case .cometConnected: 13
    case .cometUnsubscribed: 14
    case .cometDetached: 15
    case .customerAbsent: 16
    case .customerReturned: 17
    case .absenceNoted: 18
    case .returnNoted: 19
    case .pushDelayStarted: 20
    case .lineRemembered: 21
    case .pushDelayCancelled: 22
    case .pushRequested: 23
    case .pushHandedOver: 24
    case .erased: 25
    case .positionStated: 26
    case .pushTargetChanged: 45
    case .pushSettled: 50
    case .read: 51
    case .privateNoted: 52
    case .agentInvited: 53
    case .deskChanged: 54
    case .wrappedUp: 55
    case .filePosted: 60
    case .offered: 61
    case .offerEnded: 62
    }
  }

  public static func isRestatement(_ tag: EventTag) -> Bool { tag == 25 }

  /// True if somebody did something with the instance: its time to live starts over. What the machine does by itself
  /// does not count.
  var isUse: Bool {
    switch self {
    case .expired, .timeToLiveExtended, .pushDelayStarted, .lineRemembered, .pushDelayCancelled, .pushRequested,
      .pushHandedOver, .pushSettled, .read, .erased, .offered, .offerEnded:
      false
    default: true
    }
  }
}

extension ChatEvent {
  /// What the customer's Comet sessions do concerns all of their chats: one that is over is not used by it. Else it would
  /// live as long as its customer comes back, and each session would have one more chat to tell.
  var isOfCometSession: Bool {
    switch self {
    case .cometSubscribed, .cometConnected, .cometUnsubscribed, .cometDetached, .customerAbsent, .positionStated,
      .customerReturned, .absenceNoted, .returnNoted:
      true
    default: false
    }
  }
}

/// The fields of all chat events. A number means the same in every event and is never used again for another.
private enum Field {
  static let party = PayloadField<Ordinal>(1)
  static let type = PayloadField<TranscriptEventType>(2)
  static let text = PayloadField<String>(3)
  static let position = PayloadField<Ordinal>(4)
  static let session = PayloadField<String>(5)
  static let time = PayloadField<Timestamp>(6)
  static let phase = PayloadField<Ordinal>(7)
  static let number = PayloadField<Ordinal>(8)
  static let ordinal = PayloadField<Ordinal>(9)
  static let positions = PayloadField<Ordinal>(10)
  static let written = PayloadField<Ordinal>(11)
  /// Why a chat ended, and why a customer is away: no event has both.
  static let endCause = PayloadField<ChatEndCause>(12)
  static let absenceCause = PayloadField<AbsenceCause>(12)
  static let nickname = PayloadField<String>(13)
  static let role = PayloadField<PartyRole>(14)
  static let agentID = PayloadField<String>(15)
  static let pair = PayloadField<NameValuePair>(16)
  static let serviceName = PayloadField<String>(17)
  static let start = PayloadField<ChatStart>(18)
  static let droppingOldest = PayloadField<Bool>(19)
  static let state = PayloadField<[UInt8]>(20)
  static let basis = PayloadField<PositionBasis>(21)
  static let userKey = PayloadField<String>(22)
  static let target = PayloadField<PushTarget>(40)
  static let pushOutcome = PayloadField<ChatPushOutcome>(50)
  static let inviter = PayloadField<String>(51)
  static let disposition = PayloadField<String>(52)
  static let label = PayloadField<String>(53)
  static let file = PayloadField<ChatFile>(60)
  static let offerEnd = PayloadField<ChatOfferEnd>(61)
}

extension ChatEvent {
  public func encode(into writer: inout PayloadWriter) {
    switch self {
    case .created(let serviceName, let data, let expiresAt, let userKey):
      writer.put(Field.serviceName, serviceName)
      writer.put(each: Field.pair, data)
      writer.put(Field.time, expiresAt)
      writer.put(Field.userKey, ifPresent: userKey)
    case .started(let start): writer.put(Field.start, start)
    case .linePosted(let party, let type, let text):
      writer.put(Field.party, party)
      writer.put(Field.type, type, unless: .messageText)
      writer.put(Field.text, ifNotEmpty: text)
    case .previewTyped(let text), .absenceNoted(let text), .returnNoted(let text): writer.put(Field.text, text)
    case .dataUpdated(let pairs): writer.put(each: Field.pair, pairs)
    case .agentJoined(let agentID, let nickname, let role):
      writer.put(Field.agentID, agentID)
      writer.put(Field.nickname, nickname)
      writer.put(Field.role, role)
    case .agentLeft(let party): writer.put(Field.party, party)
    case .chatEnded(let party, let cause):
      writer.put(Field.party, party)
      writer.put(Field.endCause, cause)
    case .expired, .customerReturned: break
    case .timeToLiveExtended(let deadline): writer.put(Field.time, deadline)
    case .served(let position), .positionStated(let position): writer.put(Field.position, position)
    case .cometSubscribed(let session, let activeAfter), .cometConnected(let session, let activeAfter):
      writer.put(Field.session, session)
      writer.put(Field.position, ifPresent: activeAfter)
    case .cometUnsubscribed(let session, let base, let written), .cometDetached(let session, let base, let written):
      writer.put(Field.session, session)
      writer.put(Field.position, ifPresent: base)
      writer.put(Field.written, written)
    case .customerAbsent(let session, let position, let written, let cause, let basis):
      writer.put(Field.session, session)
      writer.put(Field.position, position)
      writer.put(Field.written, written)
      writer.put(Field.absenceCause, cause)
      writer.put(Field.basis, ifPresent: basis)
    case .pushDelayStarted(let phase, let positions, let deadline):
      writer.put(Field.phase, phase)
      writer.put(each: Field.positions, positions)
      writer.put(Field.time, deadline)
    case .lineRemembered(let position, let droppingOldest):
      writer.put(Field.position, position)
      writer.put(Field.droppingOldest, ifTrue: droppingOldest)
    case .pushDelayCancelled(let phase): writer.put(Field.phase, phase)
    case .pushRequested(let number, let phase, let ordinal, let message, let positions):
      writer.put(Field.number, number)
      writer.put(Field.phase, phase)
      writer.put(Field.ordinal, ordinal)
      writer.put(Field.text, message)
      writer.put(each: Field.positions, positions)
    case .pushHandedOver(let number): writer.put(Field.number, number)
    case .pushSettled(let number, let outcome):
      writer.put(Field.number, number)
      writer.put(Field.pushOutcome, outcome)
    case .erased(let state): writer.put(Field.state, state)
    case .pushTargetChanged(let target): writer.put(Field.target, ifPresent: target)
    case .read, .privateNoted, .agentInvited, .deskChanged, .wrappedUp, .filePosted, .offered, .offerEnded:
      encodeDesk(into: &writer)
    }
  }

  /// Of what agents do beside the conversation, and of files.
  private func encodeDesk(into writer: inout PayloadWriter) {
    switch self {
    case .read(let agentID, let position):
      writer.put(Field.agentID, agentID)
      writer.put(Field.position, position)
    case .privateNoted(let agentID, let nickname, let role, let text):
      writer.put(Field.agentID, agentID)
      writer.put(Field.nickname, nickname)
      writer.put(Field.role, role)
      writer.put(Field.text, text)
    case .agentInvited(let agentID, let inviter):
      writer.put(Field.agentID, agentID)
      writer.put(Field.inviter, inviter)
    case .deskChanged(let serviceName): writer.put(Field.serviceName, serviceName)
    case .wrappedUp(let agentID, let disposition, let note, let tags):
      writer.put(Field.agentID, agentID)
      writer.put(Field.disposition, disposition)
      writer.put(Field.text, ifNotEmpty: note)
      writer.put(each: Field.label, tags)
    case .filePosted(let party, let file):
      writer.put(Field.party, party)
      writer.put(Field.file, file)
    case .offered(let offer): Self.encode(offer, into: &writer)
    case .offerEnded(let offer, let end):
      Self.encode(offer, into: &writer)
      writer.put(Field.offerEnd, end)
    default: break
    }
  }

  private static func encode(_ offer: ChatOffer, into writer: inout PayloadWriter) {
    writer.put(Field.agentID, offer.agentID)
    writer.put(Field.time, offer.until)
  }

  public init(tag: EventTag, payload: inout PayloadReader) throws(PayloadError) {
    // Nearly every event of a journal is a line of a conversation: it takes the short way.
    if tag == 3 {
      self = try Self.line(&payload)
      return
    }
    let read = try PayloadFields(&payload)
    switch tag {
    case 1:
      self = .created(
        serviceName: try read.required(Field.serviceName), data: try read.all(Field.pair),
        expiresAt: try read.required(Field.time), userKey: try read[Field.userKey])
    case 2: self = .started(with: try read.required(Field.start))
    case 4: self = .previewTyped(text: try read.required(Field.text))
    case 5: self = .dataUpdated(pairs: try read.all(Field.pair))
    case 6:
      self = .agentJoined(
        agentID: try read.required(Field.agentID), nickname: try read.required(Field.nickname),
        role: try read.required(Field.role))
    case 7: self = .agentLeft(party: try read.required(Field.party))
    case 8: self = .chatEnded(party: try read.required(Field.party), cause: try read.required(Field.endCause))
    case 9: self = .expired
    case 10: self = .timeToLiveExtended(until: try read.required(Field.time))
    case 11: self = .served(upTo: try read.required(Field.position))
    case 12:
      self = .cometSubscribed(session: try read.required(Field.session), activeAfter: try read[Field.position])
    case 13:
      self = .cometConnected(session: try read.required(Field.session), activeAfter: try read[Field.position])
    case 14:
      self = .cometUnsubscribed(
        session: try read.required(Field.session), base: try read[Field.position],
        written: try read.required(Field.written))
    case 15:
      self = .cometDetached(
        session: try read.required(Field.session), base: try read[Field.position],
        written: try read.required(Field.written))
    case 16:
      self = .customerAbsent(
        session: try read.required(Field.session), position: try read.required(Field.position),
        written: try read.required(Field.written), cause: try read.required(Field.absenceCause),
        basis: try read[Field.basis])
    case 17: self = .customerReturned
    case 18: self = .absenceNoted(text: try read.required(Field.text))
    case 19: self = .returnNoted(text: try read.required(Field.text))
    case 20:
      self = .pushDelayStarted(
        phase: try read.required(Field.phase), positions: try read.all(Field.positions),
        deadline: try read.required(Field.time))
    case 21:
      self = .lineRemembered(
        position: try read.required(Field.position), droppingOldest: try read[Field.droppingOldest] ?? false)
    case 22: self = .pushDelayCancelled(phase: try read.required(Field.phase))
    case 23: self = try Self.pushRequested(read)
    case 24: self = .pushHandedOver(number: try read.required(Field.number))
    case 25: self = try Self.erased(read)
    case 26: self = .positionStated(position: try read.required(Field.position))
    case 45: self = .pushTargetChanged(to: try read[Field.target])
    case 50:
      self = .pushSettled(
        number: try read.required(Field.number), outcome: try read.required(Field.pushOutcome))
    default: self = try Self.desk(tag, read)
    }
  }

  private static func desk(_ tag: EventTag, _ read: PayloadFields) throws(PayloadError) -> ChatEvent {
    switch tag {
    case 51: .read(agentID: try read.required(Field.agentID), upTo: try read.required(Field.position))
    case 52:
      .privateNoted(
        agentID: try read.required(Field.agentID), nickname: try read.required(Field.nickname),
        role: try read.required(Field.role), text: try read.required(Field.text))
    case 53: .agentInvited(agentID: try read.required(Field.agentID), inviter: try read.required(Field.inviter))
    case 54: .deskChanged(to: try read.required(Field.serviceName))
    case 55:
      .wrappedUp(
        agentID: try read.required(Field.agentID), disposition: try read.required(Field.disposition),
        note: try read[Field.text] ?? "", tags: try read.all(Field.label))
    case 60: .filePosted(party: try read.required(Field.party), file: try read.required(Field.file))
    case 61: .offered(try offer(read))
    case 62: .offerEnded(try offer(read), try read.required(Field.offerEnd))
    default: throw .unknownTag(tag)
    }
  }

  private static func offer(_ read: PayloadFields) throws(PayloadError) -> ChatOffer {
    ChatOffer(agentID: try read.required(Field.agentID), until: try read.required(Field.time))
  }

  private static func line(_ payload: inout PayloadReader) throws(PayloadError) -> ChatEvent {
    var party: Int?
    var type = TranscriptEventType.messageText
    var text = ""
    while let field = try payload.next() {
      switch field {
      case Field.party.number: party = try Ordinal.read(&payload, field)
      case Field.type.number: type = try TranscriptEventType.read(&payload, field)
      case Field.text.number: text = try String.read(&payload, field)
      default: try payload.skip()
      }
    }
    // A file comes by an event of its own.
    guard type != .file else { throw .outOfRange(field: Field.type.number) }
    return .linePosted(party: try party.required(Field.party), type: type, text: text)
  }

  private static func pushRequested(_ read: PayloadFields) throws(PayloadError) -> ChatEvent {
    // What is wrong is told before what is missing.
    let positions = try read.all(Field.positions)
    return .pushRequested(
      number: try read.required(Field.number), phase: try read.required(Field.phase),
      ordinal: try read.required(Field.ordinal), message: try read.required(Field.text), positions: positions)
  }

  private static func erased(_ read: PayloadFields) throws(PayloadError) -> ChatEvent {
    let state = try read.required(Field.state)
    // `evolve` asks no questions, so the answer is found here.
    _ = try ChatSession(stateBytes: state)
    return .erased(state: state)
  }
}
