package import HTTPKit
package import Hummingbird

/// What of the settings becomes words.
extension MessagingEdgeSettings {
  package var address: PublicAddress { PublicAddress(url: publicURL) }

  /// Scheme and authority under which we are reached, without a slash at the end.
  package func origin(_ request: Request, _ context: EdgeRequestContext) -> String { address.origin(request, context) }

  /// The settings by which a device is steered to this server. Spec: GCM D2.5.
  func forDevices(origin: String) -> [(name: String, value: String)] {
    let interval = max(checkInInterval.components.seconds, EdgeLimits.checkInIntervalMinimum)
    var settings = [
      (name: "checkin_interval", value: "\(interval)"), (name: "checkin_url", value: origin + "/checkin"),
      (name: "gcm_registration_url", value: origin + "/c2dm/register3"),
    ]
    if let deviceHost {
      settings += [(name: "gcm_hostname", value: deviceHost), (name: "gcm_secure_port", value: "\(devicePort)")]
    }
    return settings
  }
}
