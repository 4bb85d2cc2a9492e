import EngineKit
public import SupportDomain

/// An app as the configuration has it: section `support.app.<client id>`.
///
/// | option | |
/// |---|---|
/// | `app_id` | the id by which the SDK asks for its settings |
/// | `identity` | `anonymous` (default) or `jwt` |
/// | `jwt_url`, `jwt_secret` | the customer's endpoint, and the secret it signs with |
/// | `integration` | `none` (default), `webhook`, `airship` or `direct` |
/// | `webhook_url` | unless an operator has set one by the API |
/// | `test` | plain http is allowed |
/// | `debug` | the options `debug.*` of the credentials come first, such as APNs' sandbox |
/// | `push_provider` | name of the credentials (`push.provider.<name>`); the client id if it is not set |
/// | `language` | of the texts for devices in a language without texts of its own |
/// | `notification_title`, `notification_body` | templates; also `notification_title.de`, `notification_title.pt-br`, … |
/// | `coalesce_ms` | a newer comment may replace one that has not been sent for so long; 0 |
/// | `zendesk_signature_secret` | signs webhooks as Zendesk's general ones |
/// | `conversations`, `attachments` | what the SDK is told is switched on; `true` |
///
/// Templates know `{{agent}}`, `{{comment}}`, `{{subject}}` and `{{ticket_id}}`.
public struct SupportAppSettings: Sendable, Equatable {
  public enum Identity: String, Sendable { case anonymous, jwt }

  public let clientID: String
  public let appID: String
  public let identity: Identity
  public let jwtURL: String?
  public let jwtSecret: String?
  /// Nil for none.
  public let integration: SupportIntegration?
  public let webhookURL: String?
  public let isTest: Bool
  public let usesDebug: Bool
  public let pushProvider: String
  public let coalescing: Duration
  public let zendeskSecret: String?
  public let hasConversations: Bool
  public let hasAttachments: Bool
  let language: String?
  /// By language; "" for the default.
  let titles: [String: String]
  let bodies: [String: String]
}

extension SupportAppSettings {
  static let sectionPrefix = "support.app."

  /// Nil if there is no such section.
  init?(_ clientID: String, _ options: Options) {
    guard let section = options.sections[Self.sectionPrefix + clientID] else { return nil }
    func text(_ name: String) -> String? { section[name].flatMap { $0.isEmpty ? nil : $0 } }
    self.clientID = clientID
    appID = text("app_id") ?? clientID
    identity = text("identity").flatMap(Identity.init) ?? .anonymous
    jwtURL = text("jwt_url")
    jwtSecret = text("jwt_secret")
    integration =
      switch text("integration") {
      case "webhook": .webhook
      case "airship": .airship
      case "direct": .direct
      default: nil
      }
    webhookURL = text("webhook_url")
    isTest = text("test") == "true"
    usesDebug = text("debug") == "true"
    pushProvider = text("push_provider") ?? clientID
    coalescing = .milliseconds(text("coalesce_ms").flatMap { Int64($0) }.map { min(max(0, $0), 3_600_000) } ?? 0)
    zendeskSecret = text("zendesk_signature_secret")
    hasConversations = text("conversations") != "false"
    hasAttachments = text("attachments") != "false"
    language = text("language").map(Self.locale)
    titles = Self.templates("notification_title", section)
    bodies = Self.templates("notification_body", section)
  }

  /// Lower case, `_` made `-`. Spec: support requests 3.2.
  static func locale(_ text: String) -> String {
    String(text.lowercased().map { $0 == "_" ? "-" : $0 })
  }

  private static func templates(_ name: String, _ section: [String: String]) -> [String: String] {
    var templates: [String: String] = [:]
    for (option, text) in section where !text.isEmpty {
      if option == name { templates[""] = text }
      if option.hasPrefix(name + ".") { templates[locale(String(option.dropFirst(name.count + 1)))] = text }
    }
    return templates
  }

  /// The language of the texts for a device: exactly its own, that without the country, the app's, or nil for the
  /// default texts. Spec: support requests 3.2.
  func language(for locale: String) -> String? {
    let alone = String(locale.prefix { $0 != "-" })
    return [locale, alone, language].compactMap(\.self).first { titles[$0] != nil || bodies[$0] != nil }
  }

  /// The texts of one notification. Spec: support requests 5.
  func texts(_ values: SupportTemplateValues, language: String?) -> (title: String, body: String) {
    let title = language.flatMap { titles[$0] } ?? titles[""] ?? "{{agent}} replied"
    let body = language.flatMap { bodies[$0] } ?? bodies[""] ?? "{{comment}}"
    return (
      values.filled(title, maximum: SupportTemplateValues.titleMaximum),
      values.filled(body, maximum: SupportTemplateValues.bodyMaximum)
    )
  }
}

/// What templates can say.
public struct SupportTemplateValues: Sendable, Equatable {
  /// Characters. Spec: support requests 5.
  static let bodyMaximum = 1_000
  static let titleMaximum = 200

  let agent: String
  let comment: String
  let subject: String
  let ticket: String

  /// The names within the double braces.
  public static let names = ["agent", "comment", "subject", "ticket_id"]

  private func value(_ name: Substring) -> String? {
    switch name {
    case "agent": agent
    case "comment": comment
    case "subject": subject
    case "ticket_id": ticket
    default: nil
    }
  }

  /// In one pass: braces within a comment are just text. Cut on a character's boundary with `…`.
  func filled(_ template: String, maximum: Int) -> String {
    var text = ""
    var rest = template[...]
    while let start = rest.firstRange(of: "{{") {
      text += rest[..<start.lowerBound]
      let inner = rest[start.upperBound...]
      guard let end = inner.firstRange(of: "}}"), let value = value(inner[..<end.lowerBound]) else {
        text += "{{"
        rest = inner
        continue
      }
      text += value
      rest = inner[end.upperBound...]
    }
    text += rest
    return text.count > maximum ? text.prefix(maximum - 1) + "…" : text
  }
}

extension Options {
  /// The client ids of the apps that are configured, sorted.
  var supportApps: [String] {
    sections.keys.filter { $0.hasPrefix(SupportAppSettings.sectionPrefix) }
      .map { String($0.dropFirst(SupportAppSettings.sectionPrefix.count)) }.sorted()
  }

  func support(_ name: String) -> String? { sections["support"]?[name].flatMap { $0.isEmpty ? nil : $0 } }

  func support(_ name: String, _ standard: Int, in bounds: ClosedRange<Int>) -> Int {
    support(name).flatMap { Int($0) }.map { min(max($0, bounds.lowerBound), bounds.upperBound) } ?? standard
  }
}

/// The bounds of support that operators set. Spec: support requests 10.
struct SupportLimits: Sendable, Equatable {
  let devicesByUser: Int
  let identifierBytes: Int
  let bulkUnregister: Int
  let devicesByCall: Int
  let refreshGrace: Duration
  let request: SupportRequestLimits

  init(_ options: Options) {
    devicesByUser = options.support("devices_per_user", 20, in: 1...1_000)
    identifierBytes = options.support("identifier_max_bytes", 4_096, in: 64...4_096)
    bulkUnregister = options.support("bulk_unregister_max", 1_000, in: 1...10_000)
    devicesByCall = options.support("webhook_devices_per_call", 500, in: 1...500)
    let seconds = options.support("refresh_grace").flatMap { Double($0) } ?? 2
    refreshGrace = .milliseconds(Int64(min(max(0, seconds), 60) * 1_000))
    var request = SupportRequestLimits()
    request.commentBytesMaximum = options.support("comment_max_bytes", 65_536, in: 1...262_144)
    self.request = request
  }

  var user: SupportUserLimits {
    var limits = SupportUserLimits()
    limits.devicesMaximum = devicesByUser
    return limits
  }
}

/// The app of a client id; nil if none is configured, and what is not may be called anything. Made once: each comment and
/// each device asks.
typealias SupportSettings = OptionCache<String, SupportAppSettings?>
