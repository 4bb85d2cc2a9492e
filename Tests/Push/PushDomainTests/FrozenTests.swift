import EventSourcing
import PushDomain
import Testing

/// With something in every field. The events of a device and most of a queue's are in their own codec tests.
@Suite("What the entities of push write is frozen")
struct FrozenTests {
  @Test("the mail of a queue", arguments: zip(FrozenSamples.mail, FrozenBytes.mail))
  func mail(event: PushEvent, hex: String) throws { try expect(event, hex) }

  @Test("what a courier reports", arguments: zip(FrozenSamples.reports, FrozenBytes.reports))
  func reports(event: PushEvent, hex: String) throws { try expect(event, hex) }

  @Test("a subscription", arguments: zip(FrozenSamples.subscription, FrozenBytes.subscription))
  func subscription(event: SubscriptionEvent, hex: String) throws { try expect(event, hex) }

  @Test("a device that has checked in", arguments: zip(FrozenSamples.installation, FrozenBytes.installation))
  func installation(event: InstallationEvent, hex: String) throws { try expect(event, hex) }

  @Test("a device group", arguments: zip(FrozenSamples.group, FrozenBytes.group))
  func group(event: DeviceGroupEvent, hex: String) throws { try expect(event, hex) }

  @Test("a broadcast", arguments: zip(FrozenSamples.broadcast, FrozenBytes.broadcast))
  func broadcast(event: BroadcastEvent, hex: String) throws { try expect(event, hex) }

  @Test("each sample has its bytes")
  func counts() {
    #expect(
      FrozenSamples.mail.count == FrozenBytes.mail.count && FrozenSamples.reports.count == FrozenBytes.reports.count)
    #expect(FrozenSamples.subscription.count == FrozenBytes.subscription.count)
    #expect(FrozenSamples.installation.count == FrozenBytes.installation.count)
    #expect(
      FrozenSamples.group.count == FrozenBytes.group.count
        && FrozenSamples.broadcast.count == FrozenBytes.broadcast.count)
  }

  @Test("the states")
  func states() throws {
    try expect(FrozenSamples.queue, FrozenBytes.queue)
    try expect(
      FrozenSamples.state(of: FrozenSamples.subscription.dropLast(2), Subscription.self), FrozenBytes.subscribed)
    try expect(
      FrozenSamples.state(of: FrozenSamples.subscription.dropLast(), Subscription.self), FrozenBytes.unsubscribed)
    try expect(
      FrozenSamples.state(of: FrozenSamples.installation.dropLast(3), Installation.self), FrozenBytes.installed)
    try expect(FrozenSamples.state(of: FrozenSamples.group.prefix(1), DeviceGroup.self), FrozenBytes.grouped)
    try expect(FrozenSamples.state(of: FrozenSamples.broadcast.prefix(2), Broadcast.self), FrozenBytes.running)
    try expect(FrozenSamples.state(of: FrozenSamples.broadcast.prefix(3), Broadcast.self), FrozenBytes.finished)
    try expect(FrozenSamples.state(of: FrozenSamples.device, Device.self), FrozenBytes.replaced)
  }

  private func expect<Event: JournaledEvent & Equatable>(_ event: Event, _ hex: String) throws {
    let stored = StoredEvent(event)
    #expect(stored.payload.hex == hex, "tag \(stored.tag)")
    #expect(try stored.decoded(as: Event.self) == event)
  }

  private func expect<State: RestorableState & Equatable>(_ state: State, _ hex: String) throws {
    #expect(state.stateBytes.hex == hex, "\(State.self)")
    #expect(try State(stateBytes: state.stateBytes) == state)
  }
}

extension [UInt8] {
  var hex: String { map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() }
}
