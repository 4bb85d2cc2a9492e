import EventSourcing
import PushDomain

/// The mailbox of one device, or of one sender's app servers, as its records tell it.
struct MailboxView {
  /// A receiver's messages that share a collapse key.
  struct CollapseSlot: Hashable {
    let scope: String
    let sender: String
    let key: String?
  }

  /// What its sender calls a message.
  struct Name: Hashable {
    let scope: String
    let id: String

    /// - Parameter id: as it is in the mailbox, where it may have another beside it.
    init(_ id: String, of scope: String) {
      self.scope = scope
      self.id = id.hasSuffix("%" + scope) ? String(id.dropLast(scope.count + 1)) : id
    }
  }

  struct Notice {
    let id: String
    /// What it has said, one number after the other.
    var counts: [Int]
    /// Told at the next connection only.
    let isOpen: Bool
  }

  struct End {
    /// Nil: dropped with all that waited.
    let ending: MailEnding?
    let position: UInt64
    let epoch: Int
  }

  /// What a record stands in.
  struct Place {
    let position: UInt64
    let time: Timestamp
    let epoch: Int
    /// How often the wall clock has been set.
    let clockSettings: Int
    /// Whether a registration lives.
    let isLive: (_ scope: String) -> Bool
  }

  static let keysMaximum = 4
  /// An app server's receives again what a device sends again.
  let isOfDevice: Bool
  /// Oldest first.
  private(set) var waiting: [Mail] = []
  /// By flow: what one sender has for one registration.
  private(set) var notices: [String: Notice] = [:]
  /// The receiver has acknowledged over its connection.
  private(set) var confirms = false
  /// What has ended to make room, and no notice has told of yet.
  private var untold: [(mail: EndedMail, count: Int, isKeyed: Bool)] = []
  /// All that ever came, and where in the journal.
  private(set) var known: [String: (mail: Mail, position: UInt64)] = [:]
  private(set) var ends: [String: End] = [:]
  /// The same by their senders' names for them.
  private(set) var came: Set<Name> = []
  /// When what did not run out of time has left, and by which setting of the clock.
  private var left: [Name: (time: Timestamp, clockSettings: Int)] = [:]
  /// Messages that were told of by number only.
  private(set) var dropped: Set<String> = []
  /// Written to some connection.
  var handedOver: Set<String> = []
  /// What went to make room for a message that has to follow at once.
  private(set) var gaveWay: [(mail: Mail, ending: MailEnding)] = []

  init(isOfDevice: Bool) { self.isOfDevice = isOfDevice }

  var unkeyedMaximum: Int { isOfDevice ? 100 : 1_000 }
  /// Of a receiver that confirms, while it is connected.
  static let onTheirWayMaximum = 1_000

  mutating func apply(_ event: PushEvent, _ place: Place) throws {
    switch event {
    case .mailStored(let mail): try store(mail, place)
    case .mailEnded(let mails, let ending): for mail in mails { try end(mail, ending, place) }
    case .mailNoticed(let last, let count, let isOpen): try notice(last, count, isOpen)
    case .mailDropped: throw Failure(.mailIsKept, "messages are dropped as the first version did it")
    case .receiverConfirms: confirms = true
    case .erased(_, let state):
      let mail = try PushQueue(stateBytes: state).mail
      waiting = mail.messages
      confirms = mail.confirms
      let told = Set(mail.notices.keys)
      notices = notices.filter { told.contains($0.key) }
      // What was erased is forgotten, and it does not say what that was.
      left = [:]
    default: break
    }
  }

  private mutating func store(_ mail: Mail, _ place: Place) throws {
    guard !mail.isNowOrNever else { throw Failure(.mailIsKept, "message \(mail.id) is now or never, and stored") }
    if known[mail.id] != nil, isOfDevice || waiting.contains(where: { $0.id == mail.id }) {
      throw Failure(.mailOnce, "message \(mail.id) is stored again")
    }
    let name = Name(mail.id, of: mail.scope)
    if let (time, settings) = left[name], settings == place.clockSettings,
      place.time < time.advanced(by: RecentIDs.retention)
    {
      throw Failure(.mailOnce, "message \(mail.id) comes again, and is stored again")
    }
    came.insert(name)
    guard mail.expiry > place.time else { throw Failure(.mailIsKept, "message \(mail.id) is stored after its time") }
    for (old, ending) in gaveWay {
      let isSuccessor =
        mail.scope == old.scope && mail.sender == old.sender && mail.collapseKey != nil
        && (mail.collapseKey == old.collapseKey) == (ending == .collapsed)
      if !isSuccessor { throw Failure(.mailIsKept, "message \(old.id) \(ending.name) for \(mail.id)") }
    }
    gaveWay = []
    if let (silent, _, _) = untold.first {
      throw Failure(.mailIsCounted, "message \(silent.id) made room for \(mail.id), and the receiver is not told")
    }
    known[mail.id] = (mail, place.position)
    ends[mail.id] = nil
    waiting.append(mail)
    let slot = CollapseSlot(mail)
    if slot.key != nil {
      let slots = waiting.map(CollapseSlot.init).filter { $0.scope == slot.scope && $0.sender == slot.sender }
      if slots.count(where: { $0 == slot }) > 1 {
        throw Failure(.newestOfAKeyStays, "two messages of the key \(slot.key ?? "") wait for \(slot.scope)")
      }
      if Set(slots.compactMap(\.key)).count > Self.keysMaximum {
        throw Failure(.mailIsBounded, "five keys wait for \(slot.scope)")
      }
    } else if unkeyed(of: mail.flow) > (confirms ? Self.onTheirWayMaximum : unkeyedMaximum) {
      throw Failure(.mailIsBounded, "\(unkeyed(of: mail.flow)) messages wait for \(mail.flow)")
    }
  }

  private mutating func end(_ mail: EndedMail, _ ending: MailEnding, _ place: Place) throws {
    let flow = "\(mail.scope) \(mail.sender)"
    if let notice = notices[flow], notice.id == mail.id {
      notices[flow] = nil
      if ending == .dropped { untold.append((mail, notice.counts.last ?? 0, true)) }
      ends[mail.id] = End(ending: ending, position: place.position, epoch: place.epoch)
      return
    }
    guard let index = waiting.firstIndex(where: { $0.id == mail.id }) else {
      throw Failure(.mailOnce, "message \(mail.id) ended as \(ending.name) and was not there")
    }
    let old = waiting.remove(at: index)
    if ending != .expired { left[Name(mail.id, of: mail.scope)] = (place.time, place.clockSettings) }
    ends[mail.id] = End(ending: ending, position: place.position, epoch: place.epoch)
    let isRight: Bool =
      switch ending {
      case .acknowledged: handedOver.contains(mail.id)
      case .collapsed: old.collapseKey != nil
      case .evicted:
        old.collapseKey != nil
          && Set(
            waiting.filter { $0.scope == old.scope && $0.sender == old.sender }.compactMap(\.collapseKey)
          ).count == Self.keysMaximum - 1
      case .expired: old.expiry <= place.time
      case .unregistered: !place.isLive(mail.scope)
      case .unconfirmed: !confirms && handedOver.contains(mail.id) && unkeyed(of: flow) == unkeyedMaximum - 1
      // The notice that follows says whether there was need.
      case .dropped: isOfDevice
      }
    if !isRight { throw Failure(.mailIsKept, "message \(mail.id) ended as \(ending.name) without a reason") }
    if ending == .collapsed || ending == .evicted { gaveWay.append((old, ending)) }
    if ending == .dropped || ending == .unconfirmed { untold.append((mail, 1, old.collapseKey != nil)) }
  }

  /// - Parameter last: the message that was refused, or one that stands for those that went.
  private mutating func notice(_ last: Mail, _ count: Int, _ isOpen: Bool) throws {
    let isRefused = !last.id.hasSuffix("%deleted")
    let told = untold.filter { $0.mail.scope == last.scope }
    untold.removeAll { $0.mail.scope == last.scope }
    let gone = told.reduce(0) { $0 + $1.count }
    guard count == gone + (isRefused ? 1 : 0) else {
      throw Failure(.mailIsCounted, "\(gone) messages for \(last.flow) make room and \(count) are counted")
    }
    if isRefused {
      let hasNeed =
        gone == 0
        ? notices[last.flow]?.isOpen == false
        : told.count { !$0.isKeyed && $0.mail.sender == last.sender } >= unkeyedMaximum
      if !hasNeed { throw Failure(.mailIsKept, "\(gone) messages for \(last.flow) are dropped without need") }
      dropped.insert(last.id)
    }
    let counts = (notices[last.flow]?.counts ?? []) + [(notices[last.flow]?.counts.last ?? 0) + count]
    notices[last.flow] = Notice(id: last.id, counts: counts, isOpen: isOpen)
  }

  private func unkeyed(of flow: String) -> Int { waiting.count { $0.flow == flow && $0.collapseKey == nil } }

  /// What the receiver has to get while it is there.
  var owed: [(id: String, mail: Mail?)] {
    notices.values.filter { !$0.isOpen }.map { ($0.id, nil) } + waiting.map { ($0.id, $0) }
  }
}

extension MailboxView.CollapseSlot {
  init(_ mail: Mail) { self.init(scope: mail.scope, sender: mail.sender, key: mail.collapseKey) }
}
