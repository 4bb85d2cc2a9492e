/// The `errorCode` of FCM HTTP v1, with its HTTP status and canonical code. Spec: GCM E4.
public enum V1ErrorCode: String, Sendable, Equatable, CaseIterable {
  case invalidArgument = "INVALID_ARGUMENT"
  case unregistered = "UNREGISTERED"
  case senderIDMismatch = "SENDER_ID_MISMATCH"
  case quotaExceeded = "QUOTA_EXCEEDED"
  case unavailable = "UNAVAILABLE"
  case `internal` = "INTERNAL"
  case thirdPartyAuthError = "THIRD_PARTY_AUTH_ERROR"

  public init(_ error: DownstreamError) {
    self =
      switch error {
      case .missingRegistration, .invalidRegistration, .invalidPackageName, .messageTooBig, .invalidDataKey,
        .invalidTimeToLive, .invalidParameters:
        .invalidArgument
      case .notRegistered: .unregistered
      case .mismatchSenderID: .senderIDMismatch
      case .deviceMessageRateExceeded, .topicsMessageRateExceeded: .quotaExceeded
      case .unavailable: .unavailable
      case .internalServerError: .internal
      case .invalidAPNsCredential: .thirdPartyAuthError
      }
  }

  var status: Int {
    switch self {
    case .invalidArgument: 400
    case .thirdPartyAuthError: 401
    case .senderIDMismatch: 403
    case .unregistered: 404
    case .quotaExceeded: 429
    case .internal: 500
    case .unavailable: 503
    }
  }

  var canonical: String {
    switch self {
    case .invalidArgument: "INVALID_ARGUMENT"
    case .thirdPartyAuthError: "UNAUTHENTICATED"
    case .senderIDMismatch: "PERMISSION_DENIED"
    case .unregistered: "NOT_FOUND"
    case .quotaExceeded: "RESOURCE_EXHAUSTED"
    case .internal: "INTERNAL"
    case .unavailable: "UNAVAILABLE"
    }
  }

  func explanation(of error: DownstreamError) -> String {
    switch error {
    case .invalidRegistration: "The registration token is not a valid FCM registration token"
    case .missingRegistration: "Recipient of the message is not set."
    case .invalidPackageName: "The message was addressed to a registration token of another package."
    case .messageTooBig: "The message is too big."
    case .invalidDataKey: "The data has a reserved key."
    case .invalidTimeToLive: "The time to live is out of range."
    case .invalidParameters: "Request contains an invalid argument."
    case .notRegistered: "Requested entity was not found."
    case .mismatchSenderID: "SenderId mismatch"
    case .deviceMessageRateExceeded: "Quota exceeded for messages to this device."
    case .topicsMessageRateExceeded: "Quota exceeded for messages to this topic."
    case .unavailable: "The service is currently unavailable."
    case .internalServerError: "Internal error encountered."
    case .invalidAPNsCredential: "Auth error from APNS or Web Push Service"
    }
  }

  func field(of error: DownstreamError) -> String? {
    switch error {
    case .invalidRegistration, .missingRegistration: "message.token"
    case .invalidPackageName: "message.android.restricted_package_name"
    default: nil
    }
  }
}
