import ChatDomain
import Engine

extension ChatStartRequest {
  /// What the parameters of a chat's start mean, aliases and fallbacks applied. Spec: GMS 3.4.
  init(_ parameters: RequestParameters, userKey: String?) throws(EdgeFailure) {
    var data: [DataPair] = []
    for (name, aliases) in Self.identityFields {
      let values = ([name] + aliases).compactMap { parameters[$0] }
      if let value = values.first(where: { !$0.isEmpty }) { data.append(DataPair(name, value)) }
    }
    let firstName = parameters.first(of: "firstName", "FirstName")
    let lastName = parameters.first(of: "lastName", "LastName")
    let fullName = [firstName, lastName].compactMap { $0 }.joined(separator: " ")
    let nickname = parameters.first(of: "userDisplayName", "nickname") ?? (fullName.isEmpty ? "Customer" : fullName)
    for pair in parameters.pairs where !Self.consumed.contains(pair.name) {
      data.append(DataPair(pair.name, pair.value))
    }
    self.init(
      userKey: userKey, notifiesByComet: parameters["notify_by"]?.lowercased() == "comet", nickname: nickname,
      subject: parameters["subject"] ?? "", firstMessage: parameters.first(of: "message"),
      pushTarget: Self.pushTarget(parameters), data: data)
  }

  /// The canonical names of the customer's identity, with the spellings that clients use.
  private static let identityFields: [(name: String, aliases: [String])] = [
    ("firstName", ["FirstName"]), ("lastName", ["LastName"]), ("email", ["EmailAddress", "emailAddress"]),
  ]

  /// Parameters that have a meaning of their own, and so are not attached data once more.
  private static let consumed: Set<String> = [
    "notify_by", "firstName", "FirstName", "lastName", "LastName", "email", "EmailAddress", "emailAddress",
    "userDisplayName", "nickname", "subject", "message", "push_notification_deviceid", "push_notification_type",
    "push_notification_language", "push_notification_provider", "push_notification_debug", "_verbose",
  ]

  /// Nil unless both type and device are there: an app that has no token yet sends the type alone. A type that this
  /// server does not know is kept: the chat runs without pushes, and the log says why. Spec: GMS 7.1.
  private static func pushTarget(_ parameters: RequestParameters) -> PushTarget? {
    var device = parameters["push_notification_deviceid"] ?? ""
    guard let type = parameters.first(of: "push_notification_type") else { return nil }
    if type == "ios" { device = iosToken(device) }
    if device.isEmpty { return nil }
    return PushTarget(
      type: type, deviceID: device, provider: parameters.first(of: "push_notification_provider"),
      language: parameters.first(of: "push_notification_language"),
      debug: parameters.isTrue("push_notification_debug"))
  }

  /// Tokens are often pasted from a debug print: `<740f4707 bebcf74f …>`.
  private static func iosToken(_ text: String) -> String {
    text.filter { !$0.isWhitespace && $0 != "<" && $0 != ">" }
  }
}

extension RequestParameters {
  /// Everything but `_verbose`, as attached data.
  var attachedData: [DataPair] { pairs.filter { $0.name != "_verbose" }.map { DataPair($0.name, $0.value) } }
}
