import GCMProtocol
import HTTPTypes
import JSONEnvelope

/// The shape of an error where it is not a route's own: decided by who asks there.
enum ErrorDialect {
  /// Spec: GMS 2.4; agents, operators and devices of our own have the same.
  case plain
  /// Spec: support requests 8.
  case support
  /// `{"error":{"code","message","status"}}`. Spec: GCM E4.
  case v1
  /// `{"error":text}`. Spec: GCM B7, B8.6.
  case instanceID
  /// `Error=WORD`. Spec: GCM D3.
  case registration

  init(_ surface: Surface, target: String) {
    switch surface {
    case .support: self = .support
    case .messaging:
      if target.hasPrefix("/v1/") {
        self = .v1
      } else if target.hasPrefix("/iid/") || target.hasPrefix("/gcm/notification")
        || target.hasPrefix("/fcm/notification")
      {
        self = .instanceID
      } else if target.hasPrefix("/c2dm/") {
        self = .registration
      } else {
        self = .plain
      }
    case .comet, .webSocket, .service, .devices, .agent, .operation, .other: self = .plain
    }
  }

  func body(_ failure: EdgeFailure) -> [UInt8] {
    switch self {
    case .plain: failure.body
    case .support: failure.body(for: .support)
    case .v1: V1Answer(status: failure.status.code).body
    case .instanceID: JSONWriter.object { $0.member("error", failure.message) }
    case .registration: Array("Error=\(RegisterError.unavailable.rawValue)".utf8)
    }
  }

  var contentType: StaticString {
    self == .registration ? "text/plain; charset=UTF-8" : "application/json;charset=UTF-8"
  }
}
