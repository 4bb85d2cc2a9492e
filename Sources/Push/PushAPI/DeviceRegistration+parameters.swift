import HTTPKit
import PushDomain
import PushEngine

extension DeviceRegistration {
  private static let types = PushType.ofDevices.map(\.rawValue)

  /// - Parameter owner: who registers; an operator's request may name somebody.
  init(_ parameters: RequestParameters, owner: String?) throws(EdgeFailure) {
    guard let type = parameters.first(of: "type", "push_notification_type") else { throw .missingParameter("type") }
    guard Self.types.contains(type) else {
      throw .badParameter("type", "is not one of \(Self.types.joined(separator: ", "))")
    }
    guard let identifier = parameters.first(of: "identifier", "push_notification_deviceid") else {
      throw .missingParameter("identifier")
    }
    for (name, maximum) in [("provider", 128), ("app", 256), ("platform", 32), ("locale", 35)] {
      if let value = parameters[name], value.utf8.count > maximum {
        throw .badParameter(name, "is longer than \(maximum) bytes")
      }
    }
    self.init(
      address: PushAddress(
        type: type, deviceID: identifier,
        provider: parameters.first(of: "provider", "push_notification_provider"),
        language: parameters.first(of: "locale", "push_notification_language"),
        debug: parameters.isTrue("debug") || parameters.isTrue("push_notification_debug")),
      platform: parameters.first(of: "platform"), app: parameters.first(of: "app"), owner: owner)
  }
}
