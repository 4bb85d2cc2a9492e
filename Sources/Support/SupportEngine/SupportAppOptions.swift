package import OptionKit
package import SupportDomain
import TextEncoding

/// Options of one app, whose client id is the section's last part. Spec: support requests 2, 3.4, 5.
package struct SupportAppOptions: OptionTable {
  package static let keys = SupportAppOptions()

  package let appID = Self.key(
    "app_id", .nonEmptyText, "id by which the SDK asks for its settings; the client id if absent")
  package let identity = Self.key(
    "identity", .choice, default: SupportAppSettings.Identity.anonymous, "how the app's users sign in")
  package let jwtURL = Self.key("jwt_url", .url, "the app's own endpoint that says who a user is")
  package let jwtSecret = Self.key(
    "jwt_secret", .nonEmptyText, "shared with that endpoint, \(SharedSecret.byteCounts.lowerBound) bytes or more",
    .secret)
  package let integration: OptionKey<SupportIntegration?> = Self.key(
    "integration", .integration, default: nil,
    "who pushes: the app's back end, Airship, or this server by APNs and FCM")
  package let webhookURL = Self.key(
    "webhook_url", .url, "where notifications are posted, unless an operator has set a URL by the API", .secret)
  package let zendeskSecret = Self.key(
    "zendesk_signature_secret", .nonEmptyText, "signs them as Zendesk signs general webhooks, beside Standard Webhooks",
    .secret)
  package let isTest = Self.key(
    "test", .flag, default: false, "true: jwt_url and webhook_url may be plain http")
  let pushProvider = Self.key(
    "push_provider", .nonEmptyText, "credentials, section push.provider.<name>; the client id if absent")
  let usesDebug = Self.key(
    "debug", .flag, default: false, "the debug. options of those credentials come first, such as APNs' sandbox")
  let language = Self.key(
    "language", .nonEmptyText, "texts for devices in a language that has none of its own")
  package let title = Self.key(
    "notification_title", .text, default: "{{agent}} replied",
    "may say {{agent}}, {{comment}}, {{subject}}, {{ticket_id}}")
  package let body = Self.key("notification_body", .text, default: "{{comment}}", "the same")
  package let titleByLanguage = Self.key(
    "notification_title.", .text, "the same in a language: notification_title.pt-br", .family)
  package let bodyByLanguage = Self.key(
    "notification_body.", .text, "the same in a language: notification_body.de", .family)
  let coalescing = Self.key(
    "coalesce_ms", .milliseconds(0...3_600_000), default: .zero,
    "milliseconds that a notification waits, in which a newer one takes its place")
  let hasConversations = Self.key(
    "conversations", .flag, default: true, "what the SDK is told: users may write comments")
  let hasAttachments = Self.key(
    "attachments", .flag, default: true, "what the SDK is told: users may attach files")

  package init() {}

  private static func key<Value>(
    _ name: String, _ form: OptionForm<Value>, default builtIn: Value, _ summary: String
  ) -> OptionKey<Value> { OptionKey(name, in: [.supportApp], form, default: builtIn, summary, takes: .reload) }

  private static func key<Value>(
    _ name: String, _ form: OptionForm<Value>, _ summary: String, _ traits: OptionSpecification.Traits = []
  ) -> OptionKey<Value?> { OptionKey(name, in: [.supportApp], form, summary, takes: .reload, traits) }
}

extension OptionForm where Value == SupportIntegration? {
  /// `none` is the absence of one.
  fileprivate static var integration: OptionForm<SupportIntegration?> {
    let names: [(String, SupportIntegration?)] = [
      ("none", nil), ("webhook", .webhook), ("airship", .airship), ("direct", .direct),
    ]
    return OptionForm(
      .choice(names.map(\.0)), read: { text in names.first { $0.0 == text }.map(\.1) },
      write: { value in names.first { $0.1 == value }?.0 ?? "" })
  }
}
