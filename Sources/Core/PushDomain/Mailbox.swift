public import EventSourcing

/// The other half of a `PushQueue`: what waits for a receiver that has a connection of its own, until that has
/// acknowledged it. Spec: GCM A3-A7, F.
///
/// ```
///             store
///               │ same key ────────────> the older one is collapsed
///               │ fifth key ───────────> the oldest keyed one is evicted
///               │ 101st, not connected ─> all of the scope dropped, one notice instead
///               v
///            waiting ──acknowledge──> gone
///               ├──its time is over──> expired
///               └──registration ended──> unregistered
/// ```
/// What has been written to a connection and not been acknowledged is still waiting: after a crash or on the next
/// connection it goes again, under the same id. The mailbox does not know what has been written; the connection does.
public struct Mailbox: Sendable, Equatable, Codable {
  /// In the order in which they came.
  public internal(set) var messages: [Mail] = []
  /// By scope: what the receiver is to be told instead of the messages that were dropped.
  public internal(set) var notices: [String: MailNotice] = [:]

  public init() {}

  public var isEmpty: Bool { messages.isEmpty && notices.isEmpty }

  /// What the receiver has to get, the notices first.
  public var pending: [Mail] { notices.sorted { $0.key < $1.key }.map(\.value.mail) + messages }

  public func contains(_ id: String) -> Bool { messages.contains { $0.id == id } }

  /// Whether `mail` was taken, under its own id or, if another has that, under the one that it was given.
  public func holds(_ mail: Mail) -> Bool {
    messages.contains { $0.scope == mail.scope && ($0.id == mail.id || $0.id == mail.idBesideTwin) }
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

/// Tells a device that messages were dropped. Its id is that of the first that was dropped with it, its time begins with
/// that one. Spec: GCM S35a, F6.
public struct MailNotice: Sendable, Equatable, Codable {
  /// The first message that was dropped for it, without its content.
  let last: Mail
  public internal(set) var count: Int

  init(_ last: Mail, count: Int) {
    self.last = last
    self.count = count
  }

  /// As the device gets it.
  public var mail: Mail {
    last.adding([MailPair("message_type", "deleted_messages"), MailPair("total_deleted", String(count))])
  }
}

extension Mail {
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
public enum MailEnding: UInt8, Sendable, Equatable, Codable, CaseIterable {
  case acknowledged = 1
  /// A newer one with the same key has taken its place. Spec: GCM S36.
  case collapsed = 2
  /// A fifth collapse key was used. Spec: GCM S39, F3.
  case evicted = 3
  case expired = 4
  /// The app is gone, or has unregistered. Spec: GCM S70.
  case unregistered = 5
  /// Written to a connection long ago, by a client that does not acknowledge, and too much came after it.
  case unconfirmed = 6

  public var name: String { "\(self)" }
}

/// The bounds of one mailbox.
public struct MailLimits: Sendable, Equatable {
  /// Messages without a collapse key that wait for one scope. Spec: GCM S34.
  public var messagesInScopeMaximum = 100
  /// Different collapse keys of one scope and sender. Spec: GCM S38, F4.
  public var collapseKeysMaximum = 4
  /// Bytes that all messages may weigh. Less than a record of the journal holds: a queue must be able to restate itself
  /// in one event (`PushEvent.erased`).
  public var contentBytesMaximum = 655_360
  /// What happens when there is no room.
  public var overflow = Overflow.dropsScope

  public enum Overflow: Sendable, Equatable {
    /// All that waits for the scope goes, and the receiver is told so. For devices. Spec: GCM S34, S35.
    case dropsScope
    /// The new one is not taken. For app servers.
    case refuses
  }

  public init() {}

  /// For what devices send to an app server.
  public static var upstream: MailLimits {
    var limits = MailLimits()
    limits.messagesInScopeMaximum = 1_000
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
