package import EngineKit
import EventSourcing
package import OptionKit
import SupportDomain

extension EntityCard {
  static let supportRequest = EntityCard(
    .supportRequest, SupportRequest.self, narrator: { SupportRequestNarrator() }, links: .supportRequest,
    erasureList: "supportRequests", producing: .prefixed(SupportService.prefix), lying: .atDesk)

  static let supportUser = EntityCard(
    .supportUser, SupportUser.self, narrator: { SupportUserNarrator() }, links: .supportUser,
    erasureList: "supportUsers", lying: .atDesk)

  /// An app's back end is known by the secret path of its URL.
  static let supportApp = EntityCard(
    .supportApp, SupportApp.self, narrator: { SupportAppNarrator() }, lying: .atDesk,
    secretMembers: ["url", "webhookURL", "previousURL"])
}

extension SupportService: Feature {
  package static var kinds: [EntityCard] { [.supportRequest, .supportUser, .supportApp] }
  package static var options: [OptionSpecification] {
    SupportLimits.options + SupportOptions.options + SupportAppOptions.options + SupportAgentOptions.options
  }
  package static var metrics: [MetricKey] { SupportMetricKeys.metrics }
}
