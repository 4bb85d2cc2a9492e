package import HTTPKit
import HTTPTypes
import MessagingEngine

extension InstallationFailure: EdgeRefusal {
  package var failure: EdgeFailure { EdgeFailure(self) }
}

extension EdgeFailure {
  /// The statuses of the JSON forms for devices.
  init(_ failure: InstallationFailure) {
    switch failure {
    case .unauthenticated:
      self.init(
        .unauthorized, "The device is not known, or the token is not its own", exception: "UnauthorizedException")
      challenge = "AidLogin"
    case .invalidSender: self = .badParameter("senders", "are not 1 to \(EdgeLimits.sendersMaximum) usable senders")
    case .invalidParameters(let reason): self = .malformed(reason)
    case .tooManyRegistrations:
      self.init(.tooManyRequests, "This device has too many registrations", exception: "LimitException")
    case .tooManyTopics:
      self.init(.tooManyRequests, "This app has too many topics", exception: "LimitException")
    case .notRegistered: self.init(.notFound, "There is no such registration", exception: "NotFoundException")
    case .unavailable: self = .unavailable("The server is not ready")
    }
  }

  /// Who sends to a page has to show the key that the page has subscribed with. Spec: RFC 8292, 4.2.
  static let vapidRequired: EdgeFailure = {
    var failure = EdgeFailure(
      .unauthorized, "The key that the subscription was made for has to sign", exception: "UnauthorizedException")
    failure.challenge = "vapid"
    return failure
  }()

  static let tooManyMessages: EdgeFailure = {
    var failure = EdgeFailure(.tooManyRequests, "Too many messages to this subscription", exception: "LimitException")
    failure.retryAfter = EdgeLimits.retryAfterSeconds
    return failure
  }()
}
