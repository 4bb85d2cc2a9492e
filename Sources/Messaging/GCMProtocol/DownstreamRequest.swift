public import PushDomain

/// What an app server asks for, whatever protocol it asked by. Spec: GCM B2, B3, C4, E3.
public struct DownstreamRequest: Sendable, Equatable {
  public var target: DownstreamTarget
  public var collapseKey: String?
  /// Nil for the default of the kind of message (`effectivePriority`).
  public var priority: PushPriority?
  public var contentAvailable = false
  public var mutableContent = false
  public var delayWhileIdle = false
  /// Seconds.
  public var timeToLive = DownstreamLimits.timeToLiveMaximum
  public var restrictedPackageName: String?
  public var isDryRun = false
  public var wantsReceipt = false
  /// In the order in which they came.
  public var data: [MailPair] = []
  /// The predefined keys, values as text (`*_loc_args` as the JSON text of an array). Nil or empty: no notification.
  public var notification: [MailPair]?
  /// The app server's own id for it; CCS only.
  public var messageID: String?
  /// What the sender's statistics know it by; the device is told. FCM v1 only, as all that follows.
  public var analyticsLabel: String?
  /// `apns.payload` as JSON text: `aps` and the app's own members, over what the rest gives.
  public var applePayload: String?
  /// `apns-push-type`
  public var applePushType: String?
  /// What a page shows, and its `fcmOptions`: the JSON texts of two objects.
  public var pageNotification: String?
  public var pageOptions: String?
  /// What the devices of a platform are sent instead of all this, whole. A platform without one gets what all get.
  public var variants: [MessagePlatform: DownstreamRequest] = [:]

  public init(target: DownstreamTarget) { self.target = target }

  /// Whether the service keeps this key of `data` to itself. Spec: GCM B2.3.
  public static func isReserved(_ key: String) -> Bool { MessagePayload.isReserved(key) }

  /// A notification message: displayed on behalf of the app, always collapsible. Spec: GCM S11, S31; B2.6.
  public var isNotification: Bool { notification?.isEmpty == false }

  public func variant(for platform: MessagePlatform) -> DownstreamRequest { variants[platform] ?? self }

  /// Spec: GCM S45, S46.
  public var effectivePriority: PushPriority { priority ?? (isNotification ? .high : .normal) }
}

public enum DownstreamTarget: Sendable, Equatable {
  /// What `to` names when it is not a topic: a registration token or a notification key.
  case recipient(String)
  /// `registration_ids`, 1 to 1,000, in the order of the request. Repeated ones count each.
  case tokens([String])
  /// The bare name, without `/topics/`.
  case topic(String)
  case condition(TopicCondition)
}

/// The numbers of the protocol. Spec: GCM G.
public enum DownstreamLimits {
  /// Seconds: four weeks.
  public static let timeToLiveMaximum = 2_419_200
  /// UTF-8 bytes of the keys and values of `data`, and of the whole message.
  public static let dataBytesMaximum = 4_096
  public static let notificationBytesMaximum = 2_048
  public static let topicBytesMaximum = 2_048
  public static let targetsMaximum = 1_000
  public static let topicsInConditionMaximum = 5
  public static let topicNameBytesMaximum = 900
  public static let collapseKeyBytesMaximum = 1_024
  public static let messageIDBytesMaximum = 1_024
  /// Parentheses and negations of a condition, one in the other.
  public static let conditionDepthMaximum = 16
  public static let packageNameBytesMaximum = 256
  public static let analyticsLabelBytesMaximum = 50
  /// `notification_key_name`.
  public static let groupNameBytesMaximum = 256
  /// Arrays and objects of a request, one in the other.
  public static let depthMaximum = 32
  /// Of a value that an error message repeats.
  public static let excerptCharactersMaximum = 64
  /// A token or notification key; whatever is longer is no such thing.
  public static let recipientBytesMaximum = 4_096
}

/// Codes of the table that answers one target. The raw values go over the wire. Spec: GCM B5.
public enum DownstreamError: String, Error, Sendable, Equatable, CaseIterable {
  case missingRegistration = "MissingRegistration"
  case invalidRegistration = "InvalidRegistration"
  case notRegistered = "NotRegistered"
  case invalidPackageName = "InvalidPackageName"
  case mismatchSenderID = "MismatchSenderId"
  case messageTooBig = "MessageTooBig"
  case invalidDataKey = "InvalidDataKey"
  case invalidTimeToLive = "InvalidTtl"
  case unavailable = "Unavailable"
  case internalServerError = "InternalServerError"
  case deviceMessageRateExceeded = "DeviceMessageRateExceeded"
  case topicsMessageRateExceeded = "TopicsMessageRateExceeded"
  case invalidParameters = "InvalidParameters"
  case invalidAPNsCredential = "InvalidApnsCredential"
}

/// What became of a request, before it is put into the words of a protocol.
public enum DownstreamAnswer: Sendable, Equatable {
  /// One for each target, in the order of the request.
  case targets([TargetResult])
  /// A topic or a condition.
  case topic(Result<UInt64, DownstreamError>)
  /// A device group: how many members got it, and who did not. Spec: GCM B4.5.
  case group(success: Int, failed: [String])
}

extension DownstreamAnswer {
  /// Each target of a request is answered with the same code.
  public init(_ error: DownstreamError, for target: DownstreamTarget) {
    switch target {
    case .recipient: self = .targets([.failed(error)])
    case .tokens(let tokens): self = .targets(Array(repeating: .failed(error), count: tokens.count))
    case .topic, .condition: self = .topic(.failure(error))
    }
  }
}

public enum TargetResult: Sendable, Equatable {
  /// - Parameter canonical: the token that has taken the place of the one that was named.
  case accepted(id: String, canonical: String?)
  case failed(DownstreamError)
}
