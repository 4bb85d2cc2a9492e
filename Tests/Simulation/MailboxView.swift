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

  struct Notice {
    let id: String
    /// What it has said, one number after the other.
    var counts: [Int]
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
    /// Whether a registration lives.
    let isLive: (_ scope: String) -> Bool
  }

  static let keysMaximum = 4
  /// An app server's receives again what a device sends again.
  let isOfDevice: Bool
  /// Oldest first.
  private(set) var waiting: [Mail] = []
  private(set) var notices: [String: Notice] = [:]
  /// All that ever came, and where in the journal.
  private(set) var known: [String: (mail: Mail, position: UInt64)] = [:]
  private(set) var ends: [String: End] = [:]
  /// Messages that were told of by number only.
  private(set) var dropped: Set<String> = []
  /// Written to some connection.
  var handedOver: Set<String> = []
  /// What went to make room for a message that has to follow at once.
  private(set) var gaveWay: [(mail: Mail, ending: MailEnding)] = []

  init(isOfDevice: Bool) { self.isOfDevice = isOfDevice }

  var unkeyedMaximum: Int { isOfDevice ? 100 : 1_000 }

  mutating func apply(_ event: PushEvent, _ place: Place) throws {
    switch event {
    case .mailStored(let mail): try store(mail, place)
    case .mailEnded(let mails, let ending): for mail in mails { try end(mail, ending, place) }
    case .mailDropped(let last, let count): try drop(last, count, place)
    case .erased(_, let state):
      let mail = try PushQueue(stateBytes: state).mail
      waiting = mail.messages
      let left = Set(mail.notices.keys)
      notices = notices.filter { left.contains($0.key) }
    default: break
    }
  }

  private mutating func store(_ mail: Mail, _ place: Place) throws {
    guard !mail.isNowOrNever else { throw Failure(.mailIsKept, "message \(mail.id) is now or never, and stored") }
    if known[mail.id] != nil, isOfDevice || waiting.contains(where: { $0.id == mail.id }) {
      throw Failure(.mailOnce, "message \(mail.id) is stored again")
    }
    guard mail.expiry > place.time else { throw Failure(.mailIsKept, "message \(mail.id) is stored after its time") }
    for (old, ending) in gaveWay {
      let isSuccessor =
        mail.scope == old.scope && mail.sender == old.sender && mail.collapseKey != nil
        && (mail.collapseKey == old.collapseKey) == (ending == .collapsed)
      if !isSuccessor { throw Failure(.mailIsKept, "message \(old.id) \(ending.name) for \(mail.id)") }
    }
    gaveWay = []
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
    } else if unkeyed(of: mail.scope) > unkeyedMaximum {
      throw Failure(.mailIsBounded, "\(unkeyed(of: mail.scope)) messages wait for \(mail.scope)")
    }
  }

  private mutating func end(_ mail: EndedMail, _ ending: MailEnding, _ place: Place) throws {
    if let notice = notices[mail.scope], notice.id == mail.id {
      notices[mail.scope] = nil
      ends[mail.id] = End(ending: ending, position: place.position, epoch: place.epoch)
      return
    }
    guard let index = waiting.firstIndex(where: { $0.id == mail.id }) else {
      throw Failure(.mailOnce, "message \(mail.id) ended as \(ending.name) and was not there")
    }
    let old = waiting.remove(at: index)
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
      case .unconfirmed: handedOver.contains(mail.id) && unkeyed(of: mail.scope) == unkeyedMaximum - 1
      }
    if !isRight { throw Failure(.mailIsKept, "message \(mail.id) ended as \(ending.name) without a reason") }
    if ending == .collapsed || ending == .evicted { gaveWay.append((old, ending)) }
  }

  private mutating func drop(_ last: Mail, _ count: Int, _ place: Place) throws {
    let gone = waiting.filter { $0.scope == last.scope }
    if gone.isEmpty ? notices[last.scope] == nil : unkeyed(of: last.scope) < unkeyedMaximum {
      throw Failure(.mailIsKept, "\(gone.count) messages for \(last.scope) are dropped without need")
    }
    guard count == gone.count + 1 else {
      throw Failure(.mailIsCounted, "\(gone.count + 1) messages for \(last.scope) are dropped and \(count) counted")
    }
    waiting.removeAll { $0.scope == last.scope }
    dropped.insert(last.id)
    for mail in gone { ends[mail.id] = End(ending: nil, position: place.position, epoch: place.epoch) }
    var notice = notices[last.scope] ?? Notice(id: last.id, counts: [])
    notice.counts.append((notice.counts.last ?? 0) + count)
    notices[last.scope] = notice
  }

  private func unkeyed(of scope: String) -> Int {
    waiting.count { $0.scope == scope && $0.collapseKey == nil }
  }

  /// What the receiver has to get.
  var owed: [(id: String, mail: Mail?)] {
    notices.values.map { ($0.id, nil) } + waiting.map { ($0.id, $0) }
  }
}

extension MailboxView.CollapseSlot {
  init(_ mail: Mail) { self.init(scope: mail.scope, sender: mail.sender, key: mail.collapseKey) }
}
