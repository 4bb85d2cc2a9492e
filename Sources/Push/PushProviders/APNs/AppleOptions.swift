package import OptionKit

/// APNs. Spec: providers 2; GMS 7.3.
package struct AppleOptions: OptionTable {
  package static let keys = AppleOptions()
  static let interruptionLevels = ["passive", "active", "time-sensitive", "critical"]

  package let keyFile = OptionKey(push: "apple.key_file", .path, "signing key of the team, a .p8 file", .debugForm)
  package let key = OptionKey(
    push: "apple.key", .nonEmptyText, "the same as PEM text, for the environment", [.secret, .debugForm])
  package let keyID = OptionKey(push: "apple.key_id", .nonEmptyText, "id of that key, 10 characters", .debugForm)
  package let teamID = OptionKey(push: "apple.team_id", .nonEmptyText, "id of the team, 10 characters", .debugForm)
  package let topic = OptionKey(push: "apple.topic", .nonEmptyText, "the app's bundle id", .debugForm)
  package let keyStore = OptionKey(
    push: "apple.keystore", .path, "PKCS#12 file of a certificate, instead of a key", .debugForm)
  package let keyStorePassword = OptionKey(
    push: "apple.keystorePassword", .nonEmptyText, "password of that file", [.secret, .debugForm])
  package let certificateFile = OptionKey(
    push: "apple.certificate_file", .path, "certificate as PEM, instead of a key", .debugForm)
  package let certificateKeyFile = OptionKey(
    push: "apple.certificate_key_file", .path, "private key of that certificate, PEM", .debugForm)
  package let baseURL = OptionKey(
    push: "apple.base_url", .url, "default: https://api.push.apple.com, for debug devices its sandbox", .debugForm)
  package let trustRootsFile = OptionKey(
    push: "apple.ca_file", .path, "trust roots instead of the system's, PEM", .debugForm)
  package let serverName = OptionKey(
    push: "apple.server_name", .nonEmptyText, "the name that the server's certificate has to bear", .debugForm)
  package let connections = OptionKey(push: "apple.connections", .integer(1...16), default: 4, "connections at once")
  package let body = OptionKey(
    push: "apple.alertMessage.body", .nonEmptyText, "alert text; the push's own text if absent")
  package let title = OptionKey(push: "apple.title", .text, default: "", "alert title")
  package let alert = OptionKey(push: "apple.alert", .nonEmptyText, "alert as one text")
  package let actionLocalizationKey = OptionKey(push: "apple.alertMessage.action-loc-key", .nonEmptyText, "alert entry")
  package let localizationKey = OptionKey(push: "apple.alertMessage.loc-key", .nonEmptyText, "alert entry")
  package let localizationArguments = OptionKey(push: "apple.alertMessage.loc-argnames", .list, "alert entry")
  package let launchImage = OptionKey(push: "apple.alertMessage.launch-image", .nonEmptyText, "alert entry")
  package let badge = OptionKey(push: "apple.badge", .integer(0...Int(Int32.max)), "badge")
  package let sound = OptionKey(push: "apple.sound", .nonEmptyText, "sound")
  package let threadID = OptionKey(push: "apple.thread_id", .nonEmptyText, "groups notifications")
  package let category = OptionKey(push: "apple.category", .nonEmptyText, "kind of notification, for its buttons")
  package let interruptionLevel = OptionKey(
    push: "apple.interruption_level", .choice(Self.interruptionLevels), "how much it may interrupt")
  package let isContentAvailable = OptionKey(push: "apple.content_available", .flag, default: false, "wake the app")
  package let isMutableContent = OptionKey(
    push: "apple.mutable_content", .flag, default: false, "let the app's extension change it")
  package let pushType = OptionKey(
    push: "apple.push_type", .nonEmptyText, "apns-push-type; derived from the payload if absent")
  package let messageFormat = OptionKey(
    push: "apple.message_format", .choice(["object", "string"]), default: "object", "how the message stands beside aps")
  package let includesTranscript = OptionKey(
    push: "apple.include_transcript", .flag, default: false, "send the texts of a chat along, as far as they fit")
  package let payloadLimit = OptionKey(
    push: "apple.payload_limit", .integer(64...5_120), default: 256, "bytes of the whole payload")

  package init() {}
}
