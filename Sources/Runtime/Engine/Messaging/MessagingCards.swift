import EventSourcing
import PushDomain

extension EntityCard {
  static let installation = EntityCard(
    .installation, Installation.self, narrator: { InstallationNarrator() }, linking: .links(.installation))

  static let group = EntityCard(
    .deviceGroup, DeviceGroup.self, narrator: { GroupNarrator() }, linking: .links(.group))

  /// A broadcast names a topic; whom it reached, their queues say.
  static let broadcast = EntityCard(
    .broadcast, Broadcast.self, narrator: { BroadcastNarrator() }, linking: .nobody)
}
