public import EventSourcing

/// One message in the mailbox of somebody who fetches it over a connection of its own: a device, or an app server.
/// Spec: GCM A, D7, C9.
///
/// Its `description` leaves out what it says, so that it may stand in a log. All copies share one block: each look through
/// a mailbox, each event and each effect has one, and a dozen texts would be counted every time.
public struct Mail: Sendable {
  private let content: Content

  /// Unique, and the same however often it is sent: the persistent id of MCS, the `message_id` of CCS.
  public var id: String { content.fields.id }
  /// What the limits count by: a registration of the device (`MailScope`), or nothing in particular.
  public var scope: String { content.fields.scope }
  /// Who it is from, as the receiver is told: a sender id, `/topics/NAME`, or a registration token.
  public var origin: String { content.fields.origin }
  /// Whose it is: the app's package name.
  public var category: String { content.fields.category }
  /// A newer message with the same key, scope and origin's sender takes its place while it waits.
  public var collapseKey: String? { content.fields.collapseKey }
  /// The sender whose four collapse keys it counts among. Spec: GCM F4.
  public var sender: String { content.fields.sender }
  public var priority: PushPriority { content.fields.priority }
  /// Waits while the device is idle, whatever its priority. Spec: GCM S56.
  public var waitsWhileIdle: Bool { content.fields.waitsWhileIdle }
  public var acceptedAt: Timestamp { content.fields.acceptedAt }
  /// Seconds that it is worth anything, from `acceptedAt`.
  public var timeToLive: Int { content.fields.timeToLive }
  /// The app's own pairs and the service's, as `app_data` shows them.
  public var pairs: [MailPair] { content.fields.pairs }
  /// A body that only the app can read, such as an encrypted one.
  public var rawData: [UInt8]? { content.fields.rawData }
  /// The sender wants to be told when the device has confirmed it: under which id the sender knows it. Spec: GCM C12.
  public var receiptFor: String? { content.fields.receiptFor }

  /// From this moment on it is worthless.
  public var expiry: Timestamp { content.expiry }

  /// What it weighs: all that may be long, and a little for the rest. Not less than the record of its end: the ends of
  /// all messages of a mailbox must fit into one turn.
  public var contentBytes: Int { content.bytes }

  public init(
    id: String, scope: String, origin: String, category: String, collapseKey: String? = nil, sender: String,
    priority: PushPriority = .normal, waitsWhileIdle: Bool = false, acceptedAt: Timestamp, timeToLive: Int,
    pairs: [MailPair] = [], rawData: [UInt8]? = nil, receiptFor: String? = nil
  ) {
    content = Content(
      Fields(
        id: id, scope: scope, origin: origin, category: category, collapseKey: collapseKey, sender: sender,
        priority: priority, waitsWhileIdle: waitsWhileIdle, acceptedAt: acceptedAt, timeToLive: timeToLive,
        pairs: pairs, rawData: rawData, receiptFor: receiptFor))
  }

  fileprivate init(_ fields: Fields) { content = Content(fields) }

  /// Now or never: it is never stored. Spec: GCM S54.
  public var isNowOrNever: Bool { timeToLive == 0 }

  /// The id that it is given where another device's message has its own.
  var idBesideTwin: String { "\(id)%\(scope)" }

  /// The same message under that id.
  public var besideTwin: Mail { named(idBesideTwin) }

  /// The same message under another id.
  func named(_ id: String) -> Mail {
    var fields = content.fields
    fields.id = id
    return Mail(fields)
  }

  fileprivate struct Fields: Sendable, Equatable, Codable {
    var id: String
    let scope: String
    let origin: String
    let category: String
    let collapseKey: String?
    let sender: String
    let priority: PushPriority
    let waitsWhileIdle: Bool
    let acceptedAt: Timestamp
    let timeToLive: Int
    let pairs: [MailPair]
    let rawData: [UInt8]?
    let receiptFor: String?

    var contentBytes: Int {
      var sum = id.utf8.count + scope.utf8.count + origin.utf8.count + sender.utf8.count + category.utf8.count + 64
      sum += (collapseKey?.utf8.count ?? 0) + (receiptFor?.utf8.count ?? 0) + (rawData?.count ?? 0)
      for pair in pairs { sum += pair.key.utf8.count + pair.value.utf8.count + 4 }
      return sum
    }
  }

  private final class Content: Sendable {
    let fields: Fields
    // Asked for with each message that comes after it.
    let expiry: Timestamp
    let bytes: Int

    init(_ fields: Fields) {
      self.fields = fields
      expiry = fields.acceptedAt.advanced(by: .seconds(fields.timeToLive))
      bytes = fields.contentBytes
    }
  }
}

extension Mail: Equatable {
  public static func == (left: Mail, right: Mail) -> Bool {
    left.content === right.content || left.content.fields == right.content.fields
  }
}

extension Mail: Codable {
  public init(from decoder: any Decoder) throws { self.init(try Fields(from: decoder)) }

  public func encode(to encoder: any Encoder) throws { try content.fields.encode(to: encoder) }
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
