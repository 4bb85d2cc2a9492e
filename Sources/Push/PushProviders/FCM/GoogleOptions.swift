package import OptionKit

/// FCM, and servers that speak its old form. Spec: providers 3.
package struct GoogleOptions: OptionTable {
  package static let keys = GoogleOptions()

  package let accountFile = OptionKey(
    push: "fcm.service_account_file", .path, "the service account's JSON file", .debugForm)
  package let account = OptionKey(
    push: "fcm.service_account", .nonEmptyText, "the same as text, for the environment", [.secret, .debugForm])
  package let projectID = OptionKey(
    push: "fcm.project_id", .nonEmptyText, "the project, if not the service account's", .debugForm)
  package let baseURL = OptionKey(push: "fcm.base_url", .url, "default: https://fcm.googleapis.com", .debugForm)
  package let trustRootsFile = OptionKey(
    push: "fcm.ca_file", .path, "trust roots instead of the system's, PEM", .debugForm)
  package let serverName = OptionKey(
    push: "fcm.server_name", .nonEmptyText, "the name that the server's certificate has to bear", .debugForm)
  package let perSecond = OptionKey(
    push: "fcm.per_second", .integer(1...1_000_000), default: 8_000, "messages in a second")
  package let serverKey = OptionKey(
    push: "fcm.apiKey", .nonEmptyText, "server key of the old form, without a service account", [.secret, .debugForm])
  package let legacyURL = OptionKey(push: "fcm.legacy_url", .url, "where the old form is posted to", .debugForm)
  package let title = OptionKey(push: "fcm.title", .nonEmptyText, "title of the visible notification")
  package let body = OptionKey(push: "fcm.body", .nonEmptyText, "text of the visible notification")
  package let channelID = OptionKey(push: "fcm.channel_id", .nonEmptyText, "notification channel on Android")
  package let androidServerKey = OptionKey(
    push: "android.gcm.apiKey", .nonEmptyText, "server key for types gcm and android", [.secret, .debugForm])
  package let androidURL = OptionKey(push: "android.gcm.url", .url, "where they are posted to", .debugForm)
  private let retries = OptionKey(
    "android.gcm.retryNumber", in: SectionKind.pushes, .integer(0...100), default: 2, "retries", takes: .unused,
    .debugForm)
  package let collapseKey = OptionKey(push: "android.collapseKey", .nonEmptyText, "collapse key")
  package let delaysWhileIdle = OptionKey(
    push: "android.delayWhileIdle", .flag, default: false, "wait for the device to be active")

  package init() {}
}
