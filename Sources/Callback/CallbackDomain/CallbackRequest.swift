public import EventSourcing

/// Who dials. Spec: GMS 9.1. The raw values are frozen (journal).
public enum CallDirection: UInt8, PayloadCode, Codable, CaseIterable {
  /// The customer dials us.
  case userOriginated = 1
  /// We call the customer.
  case userTerminated = 2
}

/// What the conversation will be. The raw values are frozen (journal).
public enum CallbackMedia: UInt8, PayloadCode, Codable, CaseIterable {
  case voice = 1
  case chat = 2
}

/// How a callback goes, as request and options have it when it is made. Spec: GMS 9.1.
public struct CallbackTerms: Sendable, Equatable, Codable {
  public var direction = CallDirection.userOriginated
  public var media = CallbackMedia.voice
  /// `_wait_for_agent`: the customer is called upon only when an agent is there.
  public var waitsForAgent = true
  /// `_wait_for_user_confirm`: the customer is asked first; counts only with `waitsForAgent`.
  public var confirms = false
  /// `_provide_code`.
  public var providesCode = false

  public init() {}
}

/// Where the customer's pushes go: `_device_os` and `_device_notification_id`.
public struct CallbackDevice: Sendable, Equatable, Codable {
  public var type: String
  public var deviceID: String
  public var provider: String?
  public var language: String?
  public var debug: Bool

  public init(
    type: String, deviceID: String, provider: String? = nil, language: String? = nil, debug: Bool = false
  ) {
    self.type = type
    self.deviceID = deviceID
    self.provider = provider
    self.language = language
    self.debug = debug
  }
}

/// Everything that a callback begins with.
public struct CallbackRequest: Sendable, Equatable, Codable {
  public var serviceName: String
  public var terms = CallbackTerms()
  /// All fields of the request in their order: `_customer_number`, `subject`, whatever the app sent.
  public var fields: [NameValuePair] = []
  /// The customer's key: the `gms_user` header, or made for this callback.
  public var userKey: String
  /// The app sent none.
  public var isUserKeyMade = false
  /// Made for this callback alone, for whoever has its id and does not show the user's key; nil until it was asked for.
  public var issuedKey: String?
  public var device: CallbackDevice?
  /// Nil for as soon as possible.
  public var desiredTime: Timestamp?
  /// The beginning of the time slot that it takes; nil if it takes none.
  public var slot: Timestamp?
  /// Digits that the customer's phone sends; nil without `providesCode`.
  public var accessCode: String?
  /// The number to dial; nil if none is known.
  public var accessNumber: String?
  /// The higher is served earlier; 0 for most.
  public var priority = 0
  public var language: String?

  public init(serviceName: String, userKey: String) {
    self.serviceName = serviceName
    self.userKey = userKey
  }

  public subscript(name: String) -> String? { fields.last { $0.name.isNamed(name) }?.value }

  /// The customer who ordered it and said who they are. Nil: nobody did, or it was erased.
  public var user: String? { isUserKeyMade || userKey.isEmpty ? nil : userKey }

  /// The key that was made for this callback alone: it opens its chat, and nothing more.
  public var chatKey: String? { isUserKeyMade ? userKey : issuedKey }

  /// Whether its record is there for somebody who shows this `gms_user`, or none: what was ordered with one is found,
  /// shown, changed and ended only with it. Without one its id is the key. Spec: GMS 9.5.
  public func opens(to shown: String?) -> Bool { isUserKeyMade || (user != nil && shown == user) }

  /// Whether somebody who has its id may act: also an app that comes from a push with nothing else, but nobody who
  /// shows another's key. Spec: GMS 9.2.
  public func obeys(_ shown: String?) -> Bool { shown == nil || shown == issuedKey || opens(to: shown) }

  /// The customer is asked before the agent is offered the callback. Without a device nobody could. Spec: GMS 9.6.
  public var isAskedFirst: Bool { terms.waitsForAgent && terms.confirms && device != nil }
}
