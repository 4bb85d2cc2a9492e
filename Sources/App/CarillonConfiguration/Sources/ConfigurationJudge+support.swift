import Engine
import Foundation
import OptionKit
import SupportDomain
import TextEncoding

// Apps of support requests that could not work as they are configured. Spec: support requests 2, 5.
extension ConfigurationJudge {
  mutating func judgeSupport() {
    let keys = SupportOptions.keys
    judgeTLS(of: keys.eventsURL.name, unless: keys.isEventsTest.name, in: SectionKind.support.form)
    if let secret = value(of: keys.eventsSecret, in: .support), !Self.isWebhookSecret(secret.value) {
      refuse(keys.eventsSecret, in: .support, "must be whsec_ and \(Self.webhookSecretBytes.words) bytes as base64")
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
    let (keys, bytes) = (SupportAppOptions.keys, SharedSecret.byteCounts)
    judgeTLS(of: keys.jwtURL.name, unless: keys.isTest.name, in: app)
    if let secret = value(of: keys.jwtSecret.name, in: app), !bytes.contains(secret.value.utf8.count) {
      refuse(keys.jwtSecret.name, in: app, "must have \(bytes.words) bytes")
    }
    guard keys.identity.written(value(of: keys.identity.name, in: app)?.value) == .jwt else { return }
    for needed in [keys.jwtURL.name, keys.jwtSecret.name] where value(of: needed, in: app) == nil {
      refuse(keys.identity.name, in: app, "jwt needs option \(needed) beside it")
    }
  }

  private mutating func judgeIntegration(of app: String) {
    let (keys, longest) = (SupportAppOptions.keys, SharedSecret.byteCounts.upperBound)
    judgeTLS(of: keys.webhookURL.name, unless: keys.isTest.name, in: app)
    let secret = value(of: keys.zendeskSecret.name, in: app)?.value ?? ""
    if secret.utf8.count > longest {
      refuse(keys.zendeskSecret.name, in: app, "is longer than \(longest) bytes")
    }
    guard let (integration, origin) = value(of: keys.integration.name, in: app),
      keys.integration.written(integration) == .webhook, value(of: keys.webhookURL.name, in: app) == nil
    else { return }
    warn(
      ConfigurationProblem(
        origin, section: app, option: keys.integration.name,
        reason: "nobody is notified until \(keys.webhookURL.name) is set, here or by an operator through the API"))
  }

  /// What the notifications say. Of two spellings of one language, one would win by chance.
  private mutating func judgeTemplates(of app: String) {
    for family in [SupportAppOptions.keys.title.name, SupportAppOptions.keys.body.name] {
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
    let key = SupportAppOptions.keys.appID.name
    var seen: [String: String] = [:]
    for app in apps {
      let id = value(of: key, in: app)?.value ?? app.removing(prefix: SectionKind.supportAppPrefix) ?? app
      guard let other = seen.updateValue(app, forKey: id) else { continue }
      let (named, twin) = value(of: key, in: app) == nil ? (other, app) : (app, other)
      refuse(key, in: named, "is the id of section \(twin) too")
    }
  }

  private mutating func judgeTLS(of option: String, unless test: String, in section: String) {
    guard let (url, _) = value(of: option, in: section), !url.lowercased().hasPrefix("https://"),
      value(of: test, in: section)?.value != "true"
    else { return }
    refuse(option, in: section, "must be an https URL unless option \(test) is true")
  }

  mutating func refuse(_ option: String, in section: String, _ reason: String) {
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
