public import EventSourcing

/// The other half of a `PushQueue`: what waits for a receiver that has a connection of its own, until that has
/// acknowledged it. Spec: GCM A3-A7, F.
///
/// ```
///             store
///               │ same key ────────────> the older one is collapsed
///               │ fifth key ───────────> the oldest keyed one is evicted
///               │ 101st ───────────────> dropped with all others of its flow, one notice instead
///               │   … never acknowledged, connected ─> the oldest is let go of, and counted in a notice
///               v
///            waiting ──confirm, acknowledge──> gone
///               ├──its time is over──> expired
///               └──registration ended──> unregistered
/// ```
/// A *flow* is what one sender has for one registration (`Mail.flow`). Each has its own hundred and its own keys, and
/// where all of them together are too heavy the heaviest one pays: who floods a device costs nobody else anything.
///
/// What has been written to a connection and not been acknowledged is still waiting: after a crash or on the next
/// connection it goes again, under the same id. The mailbox does not know what has been written; the connection does.
/// So nothing leaves it in silence: a receiver that has ever confirmed over its connection (`confirms`) has much more
/// than a hundred on their way while it is connected, as a burst is faster than its answers, and what is too much is
/// dropped with a notice. Of one that never confirms the oldest are let go of, since it most likely has them, and its
/// next connection is told how many.
public struct Mailbox: Sendable, Equatable, Codable {
  /// In the order in which they came.
  public internal(set) var messages: [Mail] = []
  /// By flow: what the receiver is to be told instead of the messages that were dropped.
  public internal(set) var notices: [String: MailNotice] = [:]
  /// The receiver has acknowledged a message over its connection: one that it does not acknowledge it does not have.
  public internal(set) var confirms = false
  /// Of what has left it, or was never let in, by their scopes: one that comes again is known. Not of what ran out of
  /// time: that comes again as something new, or is over.
  var recent = RecentIDs()

  public init() {}

  public var isEmpty: Bool { messages.isEmpty && notices.isEmpty }

  /// What the receiver has to get, the notices first.
  public var pending: [Mail] { notices.sorted { $0.key < $1.key }.map(\.value.mail) + messages }

  public func contains(_ id: String) -> Bool { messages.contains { $0.id == id } }

  /// Whether `mail` was taken and waits, under its own id or, if another has that, under the one that it was given; or
  /// was taken and has left not long ago.
  public func hasTaken(_ mail: Mail, now: Timestamp) -> Bool {
    messages.contains { $0.scope == mail.scope && ($0.id == mail.id || $0.id == mail.idBesideTwin) }
      || knows(mail, at: now)
  }

  /// Whether it has left not long ago. Under the same id another content is another message: an app that starts anew
  /// may count from 1 again.
  func knows(_ mail: Mail, at now: Timestamp) -> Bool {
    guard !recent.isEmpty else { return false }
    return recent.contains(mail.id.utf8, of: mail.scope, at: now)
      || recent.contains(mail.wording(mail.id.utf8), of: mail.scope, at: now)
  }

  /// All that it holds, as it counts against `MailLimits.contentBytesMaximum`.
  public var contentBytes: Int {
    notices.values.reduce(messages.reduce(0) { $0 + $1.contentBytes }) { $0 + $1.mail.contentBytes }
  }

  var earliestExpiry: Timestamp? {
    var earliest: Timestamp?
    for mail in messages { earliest = min(earliest ?? mail.expiry, mail.expiry) }
    for notice in notices.values { earliest = min(earliest ?? notice.mail.expiry, notice.mail.expiry) }
    return earliest
  }
}

extension Mailbox {
  /// Notes what has left: under the id that it came with, also where that was another's at the time, and with what it
  /// said.
  mutating func remember(_ mails: some Sequence<Mail>, at time: Timestamp) {
    for mail in mails { recent.append(mail.wording(EndedMail(mail).originalID), of: mail.scope, at: time) }
    recent.prune(at: time)
  }

  /// Notes what is only counted: of that the id is all that is left.
  mutating func remember(counted mail: Mail, at time: Timestamp) {
    recent.insert(EndedMail(mail).originalID, of: mail.scope, at: time)
  }
}

/// Tells a device that messages were dropped. Spec: GCM S35a, F6.
public struct MailNotice: Sendable, Equatable, Codable {
  /// The message that was dropped last, without its content; the notice has its id and its time. A device is never
  /// sent a message with this id: acknowledging it says that the number is known, and nothing else.
  let last: Mail
  public internal(set) var count: Int
  /// Messages were let go of, not dropped: what comes next is stored and not only counted.
  public internal(set) var isOpen: Bool

  init(_ last: Mail, count: Int, isOpen: Bool = false) {
    self.last = last
    self.count = count
    self.isOpen = isOpen
  }

  /// As the device gets it.
  public var mail: Mail {
    last.adding([MailPair("message_type", "deleted_messages"), MailPair("total_deleted", String(count))])
  }
}

extension Mail {
  /// What one sender has for one registration. Spec: GCM F4, F5.
  public var flow: String { Self.flow(scope, sender) }

  static func flow(_ scope: String, _ sender: String) -> String { "\(scope) \(sender)" }

  /// An id and, where an app has chosen it, all that the app said, for a digest.
  ///
  /// An id of ours says all: what is made again under it (a receipt for a message that was sent twice, a page's message
  /// that is encrypted anew) may differ and is the same. An app names only what it sends upstream, which has neither a
  /// body nor a receipt.
  func wording(_ id: some Sequence<UInt8>) -> [UInt8] {
    var bytes = Array(id)
    guard rawData == nil, receiptFor == nil else { return bytes }
    for pair in pairs {
      for text in [pair.key, pair.value] {
        bytes.append(0)
        bytes += text.utf8
      }
    }
    return bytes
  }

  /// As the comparison of both flows, which need not be written for it.
  func isOfSameFlow(as other: Mail) -> Bool { scope == other.scope && sender == other.sender }

  /// The message that a notice begins with where no message was refused: its id is nobody else's.
  var counted: Mail { named(id + Self.standInSuffix).withoutContent }

  var isStandIn: Bool { id.hasSuffix(Self.standInSuffix) }

  private static let standInSuffix = "%deleted"

  /// Seconds that a notice is worth anything: four weeks. Spec: GCM F6.
  private static let noticeTimeToLive = 2_419_200

  /// What a notice needs to know of it. Of the pairs only that which names the part of the app that it is for.
  /// Spec: GCM D8.12.
  var withoutContent: Mail {
    Mail(
      id: id, scope: scope, origin: sender, category: category, sender: sender, priority: .high, acceptedAt: acceptedAt,
      timeToLive: Self.noticeTimeToLive, pairs: pairs.filter { $0.key == "subtype" })
  }

  fileprivate func adding(_ more: [MailPair]) -> Mail {
    Mail(
      id: id, scope: scope, origin: origin, category: category, sender: sender, priority: priority,
      acceptedAt: acceptedAt, timeToLive: timeToLive, pairs: pairs + more)
  }
}

/// What is left of a message that has left its mailbox: enough for a receipt, and for whoever watches.
public struct EndedMail: Sendable, Equatable, Codable {
  /// As that of the message.
  var flow: String { Mail.flow(scope, sender) }

  /// The id without what `Mail.besideTwin` has added.
  var originalID: Substring.UTF8View {
    let (id, scope) = (id.utf8, scope.utf8)
    let rest = id.dropLast(scope.count)
    guard rest.last == UInt8(ascii: "%"), id.dropFirst(rest.count).elementsEqual(scope) else { return id[...] }
    return rest.dropLast()
  }

  public let id: String
  public let scope: String
  public let sender: String
  public let category: String
  public let receiptFor: String?
  public let acceptedAt: Timestamp

  init(id: String, scope: String, sender: String, category: String, receiptFor: String?, acceptedAt: Timestamp) {
    self.id = id
    self.scope = scope
    self.sender = sender
    self.category = category
    self.receiptFor = receiptFor
    self.acceptedAt = acceptedAt
  }

  init(_ mail: Mail) {
    self.init(
      id: mail.id, scope: mail.scope, sender: mail.sender, category: mail.category, receiptFor: mail.receiptFor,
      acceptedAt: mail.acceptedAt)
  }
}

/// How a message left its mailbox. The raw values are frozen (journal).
public enum MailEnding: UInt8, PayloadCode, Codable, CaseIterable {
  case acknowledged = 1
  /// A newer one with the same key has taken its place. Spec: GCM S36.
  case collapsed = 2
  /// A fifth collapse key was used. Spec: GCM S39, F3.
  case evicted = 3
  case expired = 4
  /// The app is gone, or has unregistered. Spec: GCM S70.
  case unregistered = 5
  /// Written to a connection long ago, for a client that never acknowledges, and too much came after it. A notice
  /// counts it.
  case unconfirmed = 6
  /// Its flow had no room for one more. A notice counts it. Spec: GCM S34.
  case dropped = 7

  public var name: String { "\(self)" }
}

/// The bounds of one mailbox.
public struct MailLimits: Sendable, Equatable {
  /// Messages without a collapse key that wait in one flow. Spec: GCM S34.
  public var messagesOfFlowMaximum = 100
  /// The same, while a receiver that confirms is connected: a burst is faster than its answers.
  public var messagesOnTheirWayMaximum = 1_000
  /// Notices of one scope; the flows of further senders share one.
  public var noticesOfScopeMaximum = 4
  /// Different collapse keys of one flow. Spec: GCM S38, F4.
  public var collapseKeysMaximum = 4
  /// Bytes that all messages may weigh. Less than a record of the journal holds: a queue must be able to restate itself
  /// in one event (`PushEvent.erased`).
  public var contentBytesMaximum = 655_360
  /// What happens when there is no room.
  public var overflow = Overflow.dropsFlow

  public enum Overflow: Sendable, Equatable {
    /// All that waits in the flow goes, and the receiver is told so. For devices. Spec: GCM S34, S35.
    case dropsFlow
    /// The new one is not taken. For app servers.
    case refuses
  }

  public init() {}

  /// For what devices send to an app server.
  public static var upstream: MailLimits {
    var limits = MailLimits()
    limits.messagesOfFlowMaximum = 1_000
    limits.overflow = .refuses
    return limits
  }
}

/// Whether the receiver is there at this moment.
public enum MailReceiver: Sendable, Equatable {
  case absent
  /// Connected, but asleep: only what is urgent goes out. Spec: GCM F12.
  case idle
  case active

  /// Whether `mail` can be written to its connection now.
  public func takes(_ mail: Mail) -> Bool {
    switch self {
    case .absent: false
    case .idle: mail.isNowOrNever || (mail.priority == .high && !mail.waitsWhileIdle)
    case .active: true
    }
  }
}
