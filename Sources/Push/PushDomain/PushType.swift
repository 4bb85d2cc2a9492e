/// How a push goes to its device, by the name that apps, options and stored addresses use. Spec: GMS 7.1, 8.3;
/// providers 1.1, support requests 3.
public enum PushType: String, Sendable, CaseIterable {
  case ios, android, gcm, fcm, customhttp, httpcb, airship, webpush
  /// Over the Comet session of a user; nothing wakes a phone.
  case comet
  /// An app's notifications of its support requests, to its own webhook.
  case supportWebhook = "support-webhook"
  /// Reports of support requests, for another helpdesk.
  case supportEvents = "support-events"
  /// What operators want to hear of.
  case operatorEvents = "push-events"

  /// Those that a device may be registered with.
  public static let ofDevices = allCases.filter(\.isOfDevice)
  /// The same, in the order in which the description of the REST operations has them.
  public static let described: [PushType] = [.ios, .android, .gcm, .fcm, .httpcb, .customhttp, .airship, .webpush]
  /// Those that a subscription or a callback may have. Spec: GMS 9.1, 10.1.
  public static let ofSubscriptions: [PushType] = [.ios, .gcm, .android, .fcm, .httpcb, .customhttp, .comet]

  private var isOfDevice: Bool {
    switch self {
    case .ios, .android, .gcm, .fcm, .customhttp, .httpcb, .airship, .webpush: true
    case .comet, .supportWebhook, .supportEvents, .operatorEvents: false
    }
  }

  /// Whether one physical device has the identifier: it has one owner at a time. A URL or a free name may be many
  /// people's.
  var isToken: Bool {
    switch self {
    case .ios, .android, .gcm, .fcm, .airship, .webpush, .supportWebhook, .supportEvents, .operatorEvents: true
    case .customhttp, .httpcb, .comet: false
    }
  }

  /// Whether every character of the identifier counts.
  var keepsText: Bool {
    switch self {
    case .customhttp, .httpcb, .webpush, .comet: true
    case .ios, .android, .gcm, .fcm, .airship, .supportWebhook, .supportEvents, .operatorEvents: false
    }
  }

  /// What the names of the options begin with that are its credentials.
  public var credentialPrefixes: [String] {
    switch self {
    case .ios: ["apple.", "ios."]
    case .fcm: ["fcm."]
    case .gcm, .android: ["android.", "fcm."]
    case .customhttp: ["customhttp."]
    case .httpcb: ["webhooks."]
    case .airship: ["airship."]
    case .webpush: ["webpush."]
    case .comet, .supportWebhook, .supportEvents, .operatorEvents: []
    }
  }
}

extension PushAddress {
  /// Nil for a type that this version does not know.
  public var pushType: PushType? { PushType(rawValue: type) }
}
