public import EventSourcing

/// One message in the mailbox of somebody who fetches it over a connection of its own: a device, or an app server.
/// Spec: GCM A, D7, C9.
///
/// Its `description` leaves out what it says, so that it may stand in a log.
public struct Mail: Sendable, Equatable, Codable {
  /// Unique, and the same however often it is sent: the persistent id of MCS, the `message_id` of CCS.
  public let id: String
  /// What the limits count by: a registration of the device (`MailScope`), or nothing in particular.
  public let scope: String
  /// Who it is from, as the receiver is told: a sender id, `/topics/NAME`, or a registration token.
  public let origin: String
  /// Whose it is: the app's package name.
  public let category: String
  /// A newer message with the same key, scope and origin's sender takes its place while it waits.
  public let collapseKey: String?
  /// The sender whose four collapse keys it counts among. Spec: GCM F4.
  public let sender: String
  public let priority: PushPriority
  /// Waits while the device is idle, whatever its priority. Spec: GCM S56.
  public let waitsWhileIdle: Bool
  public let acceptedAt: Timestamp
  /// Seconds that it is worth anything, from `acceptedAt`.
  public let timeToLive: Int
  /// The app's own pairs and the service's, as `app_data` shows them.
  public let pairs: [MailPair]
  /// A body that only the app can read, such as an encrypted one.
  public let rawData: [UInt8]?
  /// The sender wants to be told when the device has confirmed it: under which id the sender knows it. Spec: GCM C12.
  public let receiptFor: String?

  public init(
    id: String, scope: String, origin: String, category: String, collapseKey: String? = nil, sender: String,
    priority: PushPriority = .normal, waitsWhileIdle: Bool = false, acceptedAt: Timestamp, timeToLive: Int,
    pairs: [MailPair] = [], rawData: [UInt8]? = nil, receiptFor: String? = nil
  ) {
    self.id = id
    self.scope = scope
    self.origin = origin
    self.category = category
    self.collapseKey = collapseKey
    self.sender = sender
    self.priority = priority
    self.waitsWhileIdle = waitsWhileIdle
    self.acceptedAt = acceptedAt
    self.timeToLive = timeToLive
    self.pairs = pairs
    self.rawData = rawData
    self.receiptFor = receiptFor
  }

  /// From this moment on it is worthless.
  public var expiry: Timestamp { acceptedAt.advanced(by: .seconds(timeToLive)) }

  /// Now or never: it is never stored. Spec: GCM S54.
  public var isNowOrNever: Bool { timeToLive == 0 }

  /// What it weighs: all that may be long, and a little for the rest. Not less than the record of its end: the ends of
  /// all messages of a mailbox must fit into one turn.
  public var contentBytes: Int {
    let names = [id, scope, origin, sender, category, collapseKey ?? "", receiptFor ?? ""]
    let texts = names.reduce(0) { $0 + $1.utf8.count }
    return pairs.reduce((rawData?.count ?? 0) + texts + 64) { $0 + $1.key.utf8.count + $1.value.utf8.count + 4 }
  }

  /// The id that it is given where another device's message has its own.
  var idBesideTwin: String { "\(id)%\(scope)" }

  /// The same message under that id.
  public var besideTwin: Mail { named(idBesideTwin) }

  /// The same message under another id.
  func named(_ id: String) -> Mail {
    Mail(
      id: id, scope: scope, origin: origin, category: category, collapseKey: collapseKey, sender: sender,
      priority: priority, waitsWhileIdle: waitsWhileIdle, acceptedAt: acceptedAt, timeToLive: timeToLive, pairs: pairs,
      rawData: rawData, receiptFor: receiptFor)
  }
}

/// One pair of a message's data.
public struct MailPair: Sendable, Hashable, Codable {
  public let key: String
  public let value: String

  public init(_ key: String, _ value: String) {
    self.key = key
    self.value = value
  }
}

extension Mail: CustomStringConvertible {
  public var description: String { "message \(id) to \(category)" }
}
