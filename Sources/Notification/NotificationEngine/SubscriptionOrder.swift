public import EventSourcing
public import PushDomain
import PushEngine

/// What somebody asks for who subscribes. Spec: GMS 10.1.
public struct SubscriptionOrder: Sendable, Equatable {
  /// The types that a subscription may have, if the server has them enabled.
  public static let types = PushType.ofSubscriptions.map(\.rawValue)

  public var subscriberID: String
  public var filter: String
  public var type: String
  public var deviceID: String
  public var provider: String?
  public var debug = false
  public var authorization: String?
  /// Without `debug`.
  public var properties: [NameValuePair] = []
  /// How long it is to last; nil for what the server has set.
  public var seconds: Int?
  /// The `gms_user` of the request: whose it is. Nil: whoever has its id may see and end it.
  public var owner: String?

  public init(subscriberID: String, filter: String, type: String, deviceID: String) {
    self.subscriberID = subscriberID
    self.filter = filter
    self.type = type
    self.deviceID = deviceID
  }
}

/// A subscription as its owner sees it.
public struct SubscriptionView: Sendable, Equatable {
  public let id: String
  public let terms: SubscriptionTerms
  public let createdAt: Timestamp
  /// The beginning of the hash by which the device is found: its id is not for every eye.
  public var deviceHash: String { "#\(DeviceKey.of(terms.address).prefix(8))" }

  /// Nil for one that is over.
  init?(_ subscription: borrowing Subscription, id: String) {
    guard let terms = subscription.terms else { return nil }
    self.id = id
    self.terms = terms
    createdAt = subscription.createdAt
  }
}

/// The bounds of one subscription.
public struct SubscriptionLimits: Sendable, Equatable {
  /// Seconds that it lasts. Spec: GMS 10.1, below 30 is 30.
  public var secondsMinimum = 30
  public var secondsMaximum = 31_536_000
  /// Bytes of names: subscriber, provider, properties.
  public var nameBytesMaximum = 256
  /// Bytes of a property's value, and of `authorization`.
  public var valueBytesMaximum = 1_024
  public var propertiesMaximum = 32
  public var tagBytesMaximum = 256
  /// Publications that no queue has taken over yet.
  public var owedMaximum = 256

  public init() {}
}
