import EngineKit
import EventSourcing
import PushDomain

extension EntityCard {
  static let device = EntityCard(
    .device, Device.self, narrator: { DeviceNarrator() }, links: .device, erasureList: "devices",
    ownList: "ownDevices", shownKey: .characters(8))
}
