import EngineKit
package import OptionKit
public import SupportDomain

/// An app as the configuration has it: section `support.app.<client id>`. `SupportAppOptions` says what each of it means.
///
/// Templates know `{{agent}}`, `{{comment}}`, `{{subject}}` and `{{ticket_id}}`.
public struct SupportAppSettings: Sendable, Equatable {
  public enum Identity: String, Sendable, CaseIterable { case anonymous, jwt }

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
  /// Nil if there is no such section.
  init?(_ clientID: String, _ options: Options) {
    guard let section = options.sections[SectionKind.supportAppPrefix + clientID] else { return nil }
    let (app, keys) = (SectionReader(section), SupportAppOptions.keys)
    self.clientID = clientID
    appID = app[keys.appID] ?? clientID
    identity = app[keys.identity]
    jwtURL = app[keys.jwtURL]
    jwtSecret = app[keys.jwtSecret]
    integration = app[keys.integration]
    webhookURL = app[keys.webhookURL]
    isTest = app[keys.isTest]
    usesDebug = app[keys.usesDebug]
    pushProvider = app[keys.pushProvider] ?? clientID
    coalescing = app[keys.coalescing]
    zendeskSecret = app[keys.zendeskSecret]
    hasConversations = app[keys.hasConversations]
    hasAttachments = app[keys.hasAttachments]
    language = app[keys.language].map(Self.locale)
    titles = Self.templates(keys.title.name, keys.titleByLanguage.name, section)
    bodies = Self.templates(keys.body.name, keys.bodyByLanguage.name, section)
  }

  /// Lower case, `_` made `-`. Spec: support requests 3.2.
  static func locale(_ text: String) -> String {
    String(text.lowercased().map { $0 == "_" ? "-" : $0 })
  }

  private static func templates(_ name: String, _ family: String, _ section: [String: String]) -> [String: String] {
    var templates: [String: String] = [:]
    for (option, text) in section where !text.isEmpty {
      if option == name { templates[""] = text }
      if option.hasPrefix(family) { templates[locale(String(option.dropFirst(family.count)))] = text }
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
    let title = language.flatMap { titles[$0] } ?? titles[""] ?? SupportAppOptions.keys.title.builtIn
    let body = language.flatMap { bodies[$0] } ?? bodies[""] ?? SupportAppOptions.keys.body.builtIn
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
    sections.keys.filter { $0.hasPrefix(SectionKind.supportAppPrefix) }
      .map { String($0.dropFirst(SectionKind.supportAppPrefix.count)) }.sorted()
  }

  package var support: SectionReader { section(.support) }
}

/// The app of a client id; nil if none is configured, and what is not may be called anything. Made once: each comment and
/// each device asks.
typealias SupportSettings = OptionCache<String, SupportAppSettings?>
