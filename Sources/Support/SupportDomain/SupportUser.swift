public import EventSourcing

/// Who writes in requests: an end user with the app's word for who it is, an agent, or somebody who was only written
/// for. Spec: support requests 2, 3.
public struct SupportUser: Decider, Codable, Equatable {
  public typealias Command = SupportUserCommand
  public typealias Event = SupportUserEvent
  public typealias Rejection = SupportUserRejection
  public typealias Effect = SupportUserEffect

  /// Nil before the first word of it, and once it was erased.
  public internal(set) var identity: SupportIdentity?
  public internal(set) var createdAt = Timestamp.epoch
  /// Live and ended, in the order of their ids.
  public internal(set) var devices: [SupportDevice] = []
  /// The id of the last device: 1, 2, 3, … within the user.
  public internal(set) var highestDevice = 0
  /// Those that open something, oldest first.
  public internal(set) var tokens: [SupportAccessToken] = []
  /// Ids of tokens of the app's back end that were used, with the moment up to which they are remembered.
  public internal(set) var usedIDs: [UsedID] = []
  /// It never comes back.
  public internal(set) var isErased = false

  public struct UsedID: Sendable, Equatable, Codable {
    public let id: String
    public let until: Timestamp

    public init(id: String, until: Timestamp) {
      self.id = id
      self.until = until
    }
  }

  public init() {}

  public subscript(device id: Int) -> SupportDevice? { devices.first { $0.id == id } }

  /// Never: its number must not come back.
  public var isFinished: Bool { false }
}

/// Who somebody is. Spec: support requests 2.
public struct SupportIdentity: Sendable, Equatable, Codable {
  public let key: Key
  public var name: String?
  public var email: String?

  /// By what somebody is known again.
  public enum Key: Sendable, Hashable, Codable {
    /// A UUID that the SDK has made on the device, of one app.
    case anonymous(app: String, guid: String)
    /// The app's back end vouches: by `external_id`, else by e-mail (lower case).
    case verified(String)
    /// The holder of an agent's token, by its name.
    case agent(String)
    /// Somebody an agent or a helpdesk has written for: by e-mail, or whatever names them there.
    case contact(String)
  }

  public init(key: Key, name: String? = nil, email: String? = nil) {
    self.key = key
    self.name = name
    self.email = email
  }

  public var role: SupportRole { if case .agent = key { .agent } else { .endUser } }
}

/// A bearer's secret opens one user in one app; only its hash is kept.
public struct SupportAccessToken: Sendable, Equatable, Codable {
  /// SHA-256 of the secret.
  public let digest: [UInt8]
  public let app: String
  public let issuedAt: Timestamp
  /// When it was used last, to a day; nil if never since the day of its issue.
  public var usedAt: Timestamp?

  public init(digest: [UInt8], app: String, issuedAt: Timestamp, usedAt: Timestamp? = nil) {
    self.digest = digest
    self.app = app
    self.issuedAt = issuedAt
    self.usedAt = usedAt
  }

  /// As far as the journal knows.
  var lastUse: Timestamp { max(issuedAt, usedAt ?? issuedAt) }

  /// A use is recorded once in this while.
  static let usePrecision = Duration.seconds(86_400)
}

/// One registered push address of one user. Spec: support requests 3.
public struct SupportDevice: Sendable, Equatable, Codable {
  /// 1, 2, 3, … within the user.
  public let id: Int
  /// Cleaned.
  public let identifier: String
  public let platform: Platform
  public let address: Address
  /// Lower case, with `-`.
  public var locale: String
  /// The client id of its app.
  public let app: String
  public let createdAt: Timestamp
  /// When the app registered it last.
  public var updatedAt: Timestamp
  /// Nil while it lives.
  public var ending: Ending?

  public init(
    id: Int, identifier: String, platform: Platform, address: Address, locale: String, app: String,
    createdAt: Timestamp, updatedAt: Timestamp, ending: Ending? = nil
  ) {
    self.id = id
    self.identifier = identifier
    self.platform = platform
    self.address = address
    self.locale = locale
    self.app = app
    self.createdAt = createdAt
    self.updatedAt = updatedAt
    self.ending = ending
  }

  /// The raw values are frozen (journal).
  public enum Platform: UInt8, PayloadCode, Codable, CaseIterable { case ios = 1, android = 2 }

  /// What the identifier is, and so which integrations can use it. The raw values are frozen (journal).
  public enum Address: UInt8, PayloadCode, Codable, CaseIterable { case pushToken = 1, airshipChannel = 2 }

  public struct Ending: Sendable, Equatable, Codable {
    public let reason: Reason
    public let at: Timestamp
  }

  /// The raw values are frozen (journal). Spec: support requests 10.
  public enum Reason: UInt8, PayloadCode, Codable, CaseIterable {
    /// Unregistered by its user.
    case user = 1
    /// Unregistered by the customer's back end.
    case bulk = 2
    /// The push service says that it is gone.
    case provider = 3
    /// It was the oldest when there were too many.
    case evicted = 4
    case identityChanged = 5
    /// Registered by somebody else.
    case moved = 6
  }

  public var isLive: Bool { ending == nil }

  /// What is one physical address, whoever registers it.
  public struct Key: Hashable, Sendable {
    public let identifier: String
    public let platform: Platform
    public let address: Address

    public init(identifier: String, platform: Platform, address: Address) {
      self.identifier = identifier
      self.platform = platform
      self.address = address
    }
  }

  public var key: Key { Key(identifier: identifier, platform: platform, address: address) }
}

public enum SupportUserCommand: Sendable, Equatable {
  /// Makes the user, or says once more who it is. Another name or e-mail of an anonymous one is a change of identity:
  /// its devices and tokens end. Of a verified one only what is known of it changes.
  case identify(SupportIdentity)
  /// As `identify`, and a token is issued; where there are too many, the one that was not used for longest ends.
  /// - Parameters:
  ///   - usedID: of the back end's token, which counts once.
  ///   - uses: when tokens were used last, by their digests, as far as that is known more exactly than here.
  case signIn(
    SupportIdentity, SupportAccessToken, usedID: SupportUser.UsedID?, uses: [[UInt8]: Timestamp] = [:],
    limits: SupportUserLimits = SupportUserLimits())
  /// A token has opened something.
  case noteUse(digest: [UInt8])
  case registerDevice(
    identifier: String, SupportDevice.Platform, SupportDevice.Address, locale: String, app: String,
    limits: SupportUserLimits = SupportUserLimits())
  /// - Parameters:
  ///   - app: nil for the devices of all apps.
  case endDevices(identifiers: [String], SupportDevice.Reason, app: String?)
  /// A push service says that an address was gone at a moment; a later registration survives.
  /// Spec: support requests 7.2.
  case providerEnded(device: Int, since: Timestamp?)
  case erase
  case restate
}

public struct SupportUserLimits: Sendable, Equatable {
  /// Live ones. Spec: support requests 10.
  public var devicesMaximum = 20
  /// Ended ones that are kept for whoever asks. This one and those below are the same for everybody: see `evolve`.
  public var endedDevicesMaximum = 20
  /// The one that was not used for longest goes when there are more.
  public var tokensMaximum = 32
  /// Remembered ids of a back end's tokens; the one that ends soonest goes first.
  public var usedIDsMaximum = 1_024

  public init() {}
}

public enum SupportUserRejection: Error, Equatable, Sendable {
  case unknown
  /// The back end's token was used before.
  case replayed
}

/// What happened to a user. Tags and field numbers are frozen.
public enum SupportUserEvent: Sendable, Equatable, Codable {
  case identified(SupportIdentity)
  /// An anonymous user says who it is now, or says something else: its tokens are gone, and its devices ended just
  /// before.
  case identityChanged(SupportIdentity)
  case tokenIssued(SupportAccessToken, usedID: SupportUser.UsedID?)
  /// A new one, or one that had ended. Spec: `DeviceRegistered`.
  case deviceRegistered(SupportDevice)
  /// Registered again. Spec: `DeviceRefreshed`.
  case deviceRefreshed(id: Int, locale: String)
  /// Spec: `DeviceEnded`, `DeviceMoved`.
  case deviceEnded(id: Int, SupportDevice.Reason)
  case erased(state: [UInt8])
  /// The token was used: noted once a day.
  case tokenUsed(digest: [UInt8])
  /// The token opens nothing any more: it made room for another.
  case tokenEnded(digest: [UInt8])

  public static func isRestatement(_ tag: EventTag) -> Bool { tag == 7 }
}

public enum SupportUserEffect: Sendable, Equatable {
  /// The index has to follow.
  case changed
  /// This user has this address from now on: whoever else had it, and queues, are to know.
  case deviceOpened(SupportDevice)
  /// Nothing more is sent to it, nor what waits already.
  case deviceClosed(SupportDevice)
}
