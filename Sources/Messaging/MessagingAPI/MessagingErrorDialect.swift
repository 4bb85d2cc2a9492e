import GCMProtocol
package import HTTPKit
import HTTPTypes
import JSONEnvelope

/// The shape of an error where it is not a route's own: as whoever asks below that path knows it.
package enum MessagingErrorDialect: Sendable {
  /// `{"error":{"code","message","status"}}`. Spec: GCM E4.
  case v1
  /// `{"error":text}`. Spec: GCM B7, B8.6.
  case instanceID
  /// `Error=WORD`. Spec: GCM D3.
  case registration

  /// Nil where it has the shape that errors have everywhere.
  /// - Parameter target: the request target.
  package init?(target: String) {
    if target.hasPrefix("/v1/") {
      self = .v1
    } else if target.hasPrefix("/iid/") || target.hasPrefix("/gcm/notification")
      || target.hasPrefix("/fcm/notification")
    {
      self = .instanceID
    } else if target.hasPrefix("/c2dm/") {
      self = .registration
    } else {
      return nil
    }
  }

  package func body(_ failure: EdgeFailure) -> [UInt8] {
    switch self {
    case .v1: V1Answer(status: failure.status.code).body
    case .instanceID: JSONWriter.object { $0.member("error", failure.message) }
    case .registration: Array("Error=\(RegisterError.unavailable.rawValue)".utf8)
    }
  }

  package var contentType: StaticString {
    self == .registration ? "text/plain; charset=UTF-8" : "application/json;charset=UTF-8"
  }
}
