import EventSourcing
import PushDomain

extension EntityCard {
  static let device = EntityCard(
    .device, Device.self, narrator: { DeviceNarrator() }, linking: .links(.device), shownKey: .characters(8))
}
