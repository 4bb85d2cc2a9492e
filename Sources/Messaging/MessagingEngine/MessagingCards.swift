import EngineKit
import EventSourcing
import PushDomain

extension EntityCard {
  static let installation = EntityCard(
    .installation, Installation.self, narrator: { InstallationNarrator() }, links: .installation,
    erasureList: "installations", producing: .keyAndSlash,
    mailbox: MailboxKey.devices)

  static let group = EntityCard(
    .deviceGroup, DeviceGroup.self, narrator: { GroupNarrator() }, links: .group, erasureList: "groups")

  /// A broadcast names a topic; whom it reached, their queues say.
  static let broadcast = EntityCard(
    .broadcast, Broadcast.self, narrator: { BroadcastNarrator() }, tellsOfMessage: { key, _, _, id in key == id })
}
