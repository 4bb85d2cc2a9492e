package import ChatDomain
import ChatEngine
import EngineKit
package import EventSourcing
package import HTTPKit
import PushDomain

extension ChatStartRequest {
  /// What the parameters of a chat's start mean, aliases and fallbacks applied. Spec: GMS 3.4.
  package init(_ parameters: RequestParameters, userKey: String?) throws(EdgeFailure) {
    var data: [NameValuePair] = []
    for (name, aliases) in Self.identityFields {
      let values = ([name] + aliases).compactMap { parameters[$0] }
      if let value = values.first(where: { !$0.isEmpty }) { data.append(NameValuePair(name, value)) }
    }
    let firstName = parameters.first(of: "firstName", "FirstName")
    let lastName = parameters.first(of: "lastName", "LastName")
    let fullName = [firstName, lastName].compactMap { $0 }.joined(separator: " ")
    let nickname = parameters.first(of: "userDisplayName", "nickname") ?? (fullName.isEmpty ? "Customer" : fullName)
    for pair in parameters.pairs where !Self.consumed.contains(pair.name) {
      data.append(NameValuePair(pair.name, pair.value))
    }
    self.init(
      userKey: userKey, notifiesByComet: parameters["notify_by"]?.lowercased() == "comet", nickname: nickname,
      subject: parameters["subject"] ?? "", firstMessage: parameters.first(of: "message"),
      pushTarget: try parameters.pushTarget, data: data)
    self.takesFiles = parameters.isTrue("_file_events")
  }

  /// The canonical names of the customer's identity, with the spellings that clients use.
  private static let identityFields: [(name: String, aliases: [String])] = [
    ("firstName", ["FirstName"]), ("lastName", ["LastName"]), ("email", ["EmailAddress", "emailAddress"]),
  ]

  /// Parameters that have a meaning of their own, and so are not attached data once more.
  private static let consumed = Set([
    "notify_by", "firstName", "FirstName", "lastName", "LastName", "email", "EmailAddress", "emailAddress",
    "userDisplayName", "nickname", "subject", "message", "_verbose", "_file_events",
  ]).union(NameValuePair.pushRegistration)
}

extension NameValuePair {
  /// The parameters that say where pushes go.
  fileprivate static let pushRegistration: Set<String> = [
    "push_notification_deviceid", "push_notification_type", "push_notification_language",
    "push_notification_provider", "push_notification_debug", "subscriptionID",
  ]

  /// It says where pushes go, and so is not attached data once more.
  package var isPushRegistration: Bool { Self.pushRegistration.contains(name) }
}

extension RequestParameters {
  /// The id of the subscription to push to; nil if none is named. Spec: GMS 3.4.
  /// - Throws: if a device is named as well: of the two one would get nothing.
  package var pushSubscription: String? {
    get throws(EdgeFailure) {
      guard let id = first(of: "subscriptionID") else { return nil }
      guard first(of: "push_notification_deviceid") == nil else {
        throw .badParameter("subscriptionID", "cannot be given together with 'push_notification_deviceid'")
      }
      return id
    }
  }

  /// Where pushes go; nil without a device: an app that has no token yet sends the type alone. A type that this server does
  /// not know or has not enabled is kept: the chat runs without pushes, and the verbose reply says why. Spec: GMS 7.1.
  /// - Throws: for what no server could push to: a device without a type, or what is no device of that type.
  package var pushTarget: PushTarget? {
    get throws(EdgeFailure) {
      guard var device = first(of: "push_notification_deviceid") else { return nil }
      guard let type = first(of: "push_notification_type") else { throw .missingParameter("push_notification_type") }
      // Tokens are often pasted from a debug print, over several lines: `<740f4707 bebcf74f …>`.
      if type == PushType.ios.rawValue { device = device.filter { !$0.isWhitespace && $0 != "<" && $0 != ">" } }
      guard type != PushType.comet.rawValue else {
        throw .badParameter("push_notification_type", "is comet, which reaches no app that is away")
      }
      // Kept as it came: who pushes cleans it.
      do throws(DeviceIdentifier.Problem) { _ = try DeviceIdentifier.cleaned(device, type: type) } catch {
        throw .badParameter("push_notification_deviceid", error.reason)
      }
      return PushTarget(
        type: type, deviceID: device, provider: first(of: "push_notification_provider"),
        language: first(of: "push_notification_language"), debug: isTrue("push_notification_debug"))
    }
  }
}

extension RequestParameters {
  /// Everything but `_verbose`, as attached data.
  package var attachedData: [NameValuePair] {
    pairs.filter { $0.name != "_verbose" }.map { NameValuePair($0.name, $0.value) }
  }
}
