import Engine
import Foundation
import TextEncoding

// Apps of support requests that could not work as they are configured. Spec: support requests 2, 5.
extension ConfigurationJudge {
  mutating func judgeSupport() {
    judgeTLS(of: "events_url", unless: "events_test", in: "support")
    if let secret = value(of: "events_secret", in: "support"), !Self.isWebhookSecret(secret.value) {
      refuse("events_secret", in: "support", "must be whsec_ and \(Self.webhookSecretBytes.words) bytes as base64")
    }
    let apps = sections.keys.filter { SectionKind(section: $0) == .supportApp }.sorted()
    for app in apps {
      judgeIdentity(of: app)
      judgeIntegration(of: app)
      judgeTemplates(of: app)
    }
    judgeIDs(of: apps)
  }

  private mutating func judgeIdentity(of app: String) {
    judgeTLS(of: "jwt_url", unless: "test", in: app)
    if let secret = value(of: "jwt_secret", in: app), !Limits.sharedSecretBytes.contains(secret.value.utf8.count) {
      refuse("jwt_secret", in: app, "must have \(Limits.sharedSecretBytes.words) bytes")
    }
    guard value(of: "identity", in: app)?.value == "jwt" else { return }
    for needed in ["jwt_url", "jwt_secret"] where value(of: needed, in: app) == nil {
      refuse("identity", in: app, "jwt needs option \(needed) beside it")
    }
  }

  private mutating func judgeIntegration(of app: String) {
    judgeTLS(of: "webhook_url", unless: "test", in: app)
    let secret = value(of: "zendesk_signature_secret", in: app)?.value ?? ""
    if secret.utf8.count > Limits.sharedSecretBytes.upperBound {
      refuse("zendesk_signature_secret", in: app, "is longer than \(Limits.sharedSecretBytes.upperBound) bytes")
    }
    guard let (integration, origin) = value(of: "integration", in: app), integration == "webhook",
      value(of: "webhook_url", in: app) == nil
    else { return }
    warn(
      ConfigurationProblem(
        origin, section: app, option: "integration",
        reason: "nobody is notified until webhook_url is set, here or by an operator through the API"))
  }

  /// What the notifications say. Of two spellings of one language, one would win by chance.
  private mutating func judgeTemplates(of app: String) {
    for family in ["notification_title", "notification_body"] {
      var seen: [String: String] = [:]
      for option in (sections[app] ?? [:]).keys.sorted() where option == family || option.hasPrefix(family + ".") {
        if option != family {
          guard let language = TextTable.normalized(option.dropFirst(family.count + 1)) else {
            refuse(option, in: app, "what follows \(family) is no language, such as de or pt-BR")
            continue
          }
          if let other = seen.updateValue(option, forKey: language) { refuse(option, in: app, "is \(other) again") }
        }
        for match in (sections[app]?[option] ?? "").matches(of: /\{\{([^{}]*)\}\}/) {
          let name = String(match.output.1)
          guard !SupportTemplateValues.names.contains(name) else { continue }
          let known = SupportTemplateValues.names.map { "{{\($0)}}" }.joined(separator: ", ")
          refuse(option, in: app, "\("{{\(name)}}".quoted) stands for nothing here; there are \(known)")
        }
      }
    }
  }

  /// The SDK asks by this id alone: it must name one app.
  private mutating func judgeIDs(of apps: [String]) {
    var seen: [String: String] = [:]
    for app in apps {
      let id = value(of: "app_id", in: app)?.value ?? app.removing(prefix: SectionKind.supportAppPrefix) ?? app
      guard let other = seen.updateValue(app, forKey: id) else { continue }
      let (named, twin) = value(of: "app_id", in: app) == nil ? (other, app) : (app, other)
      refuse("app_id", in: named, "is the id of section \(twin) too")
    }
  }

  private mutating func judgeTLS(of option: String, unless test: String, in section: String) {
    guard let (url, _) = value(of: option, in: section), !url.lowercased().hasPrefix("https://"),
      value(of: test, in: section)?.value != "true"
    else { return }
    refuse(option, in: section, "must be an https URL unless option \(test) is true")
  }

  private mutating func refuse(_ option: String, in section: String, _ reason: String) {
    guard let (_, origin) = value(of: option, in: section) else { return }
    refuse(ConfigurationProblem(origin, section: section, option: option, reason: reason))
  }

  /// Spec: Standard Webhooks 1.0.0.
  private static let webhookSecretBytes = 24...64

  private static func isWebhookSecret(_ text: String) -> Bool {
    guard let base64 = text.removing(prefix: "whsec_"), let bytes = Base64.decode(base64) else { return false }
    return webhookSecretBytes.contains(bytes.count)
  }
}

extension ClosedRange<Int> {
  fileprivate var words: String { "\(lowerBound) to \(upperBound)" }
}
