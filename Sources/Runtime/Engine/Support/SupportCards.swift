import EventSourcing
import SupportDomain

extension EntityCard {
  static let supportRequest = EntityCard(
    .supportRequest, SupportRequest.self, narrator: { SupportRequestNarrator() }, linking: .links(.supportRequest))

  static let supportUser = EntityCard(
    .supportUser, SupportUser.self, narrator: { SupportUserNarrator() }, linking: .links(.supportUser))

  /// An app's back end is known by the secret path of its URL.
  static let supportApp = EntityCard(
    .supportApp, SupportApp.self, narrator: { SupportAppNarrator() }, linking: .nobody,
    secretMembers: ["url", "webhookURL", "previousURL"])
}
