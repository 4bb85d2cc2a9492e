import JSONEnvelope

/// What a device proves itself by, from its check-in on. To be kept as a secret.
public struct DeviceIdentity: Sendable, Hashable {
  public let id: UInt64
  public let securityToken: UInt64

  public init(id: UInt64, securityToken: UInt64) {
    self.id = id
    self.securityToken = securityToken
  }

  init(_ answer: JSONValue) throws(ClientError) {
    guard let id = answer["id"]?.string.flatMap({ UInt64($0) }),
      let token = answer["securityToken"]?.string.flatMap({ UInt64($0) })
    else { throw .malformedResponse("no identity") }
    self.init(id: id, securityToken: token)
  }
}

/// One message for an app of this device.
public struct DeviceMessage: Sendable, Equatable {
  /// The same however often it comes.
  public let id: String
  /// A sender's id, or `/topics/NAME`.
  public let from: String
  /// The app.
  public let category: String
  public let collapseKey: String?
  public let data: [String: String]
  /// In Base64: a body that only the app can read.
  public let rawData: String?
  /// Milliseconds since 1970.
  public let sent: Int
  /// Seconds from then on that it is worth anything.
  public let timeToLive: Int

  /// How many messages the server has dropped, if this is what it says. Spec: GCM S35.
  public var deletedCount: Int? {
    data["message_type"] == "deleted_messages" ? data["total_deleted"].flatMap { Int($0) } ?? 0 : nil
  }

  init?(_ text: JSONValue) {
    guard let id = text["id"]?.string, let from = text["from"]?.string, let category = text["category"]?.string else {
      return nil
    }
    self.id = id
    self.from = from
    self.category = category
    collapseKey = text["collapseKey"]?.string
    var data: [String: String] = [:]
    for member in text["data"]?.object?.members ?? [] { data[member.name] = member.value.string }
    self.data = data
    rawData = text["raw"]?.string
    sent = text["sent"]?.integer ?? 0
    timeToLive = text["ttl"]?.integer ?? 0
  }
}

/// A message of this device for an app server.
public struct DeviceUpstream: Sendable, Equatable {
  /// The device's own; an app server knows the message by it.
  public var id: String
  /// A sender's id, or a notification key.
  public var recipient: String
  public var category: String
  public var data: [String: String]
  /// Seconds that it waits for its app server.
  public var timeToLive: Int

  public init(id: String, to recipient: String, category: String, data: [String: String], timeToLive: Int = 86_400) {
    self.id = id
    self.recipient = recipient
    self.category = category
    self.data = data
    self.timeToLive = timeToLive
  }

  var text: JSONValue {
    var pairs = JSONObject()
    for (key, value) in data.sorted(by: { $0.key < $1.key }) { pairs[key] = .string(value) }
    return [
      "type": "upstream", "id": .string(id), "to": .string(recipient), "category": .string(category),
      "data": .object(pairs), "ttl": .integer(Int64(timeToLive)),
    ]
  }
}
