/// The word of the XMPP protocol for what went wrong. Spec: GCM B5, table of codes.
public enum CCSErrorCode: String, Sendable, Equatable, CaseIterable {
  case invalidJSON = "INVALID_JSON"
  case badRegistration = "BAD_REGISTRATION"
  case deviceUnregistered = "DEVICE_UNREGISTERED"
  case senderIDMismatch = "SENDER_ID_MISMATCH"
  case badAcknowledgement = "BAD_ACK"
  case serviceUnavailable = "SERVICE_UNAVAILABLE"
  case internalServerError = "INTERNAL_SERVER_ERROR"
  case deviceMessageRateExceeded = "DEVICE_MESSAGE_RATE_EXCEEDED"
  case topicsMessageRateExceeded = "TOPICS_MESSAGE_RATE_EXCEEDED"
  case invalidAPNsCredential = "INVALID_APNS_CREDENTIAL"
  /// By a script only: who is not known does not get as far as a message.
  case authenticationFailed = "AUTHENTICATION_FAILED"
  case connectionDraining = "CONNECTION_DRAINING"

  public init(_ error: DownstreamError) {
    self =
      switch error {
      case .missingRegistration, .invalidPackageName, .messageTooBig, .invalidDataKey, .invalidTimeToLive,
        .invalidParameters:
        .invalidJSON
      case .invalidRegistration: .badRegistration
      case .notRegistered: .deviceUnregistered
      case .mismatchSenderID: .senderIDMismatch
      case .unavailable: .serviceUnavailable
      case .internalServerError: .internalServerError
      case .deviceMessageRateExceeded: .deviceMessageRateExceeded
      case .topicsMessageRateExceeded: .topicsMessageRateExceeded
      case .invalidAPNsCredential: .invalidAPNsCredential
      }
  }

  /// For a refusal that comes without a text of its own.
  public var explanation: String {
    switch self {
    case .invalidJSON: "The message cannot be used as it is"
    case .badRegistration: "Invalid token on 'to' field"
    case .deviceUnregistered: "The token is no longer registered"
    case .senderIDMismatch: "The token was made for another sender"
    case .badAcknowledgement: "The acknowledgement cannot be used"
    case .serviceUnavailable: "The service is busy: try again later"
    case .internalServerError: "Internal error: try again later"
    case .deviceMessageRateExceeded: "Too many messages to this device"
    case .topicsMessageRateExceeded: "Too many messages to this topic"
    case .invalidAPNsCredential: "The APNs credential is missing or has expired"
    case .authenticationFailed: "The key is not good any more"
    case .connectionDraining: "The connection is draining: use another one"
    }
  }
}
