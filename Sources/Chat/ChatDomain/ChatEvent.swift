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
///
/// The field numbers mean the same in every event of this table; see `ChatEvent+payload.swift` for their types.
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
  case agentJoined(agentID: String, nickname: String, role: PartyRole)
  case agentLeft(party: Int)
  /// Appends `Notice.Left` of this party; the chat is over.
  case chatEnded(party: Int, cause: ChatEndCause)

  // For agents only, without a position.
  case previewTyped(text: String)
  case absenceNoted(text: String)
  case returnNoted(text: String)

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
    }
  }

  public static func isRestatement(_ tag: EventTag) -> Bool { tag == 25 }

  /// True if somebody did something with the instance: its time to live starts over. What the machine does by itself
  /// does not count.
  var isUse: Bool {
    switch self {
    case .expired, .timeToLiveExtended, .pushDelayStarted, .lineRemembered, .pushDelayCancelled, .pushRequested,
      .pushHandedOver, .erased:
      false
    default: true
    }
  }
}
