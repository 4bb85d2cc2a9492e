import EventSourcing
import PushDomain
import Testing

@Suite("Device")
struct DeviceTests {
  private(set) var device = Device()
  private(set) var journal: [(event: StoredEvent, time: Timestamp)] = []
  var now = Timestamp(milliseconds: 1_770_000_000_000)
  let annas = DeviceRegistration.sample(owner: "anna")

  /// Decides, journals, evolves and reacts; the state must come back from the journal and from its bytes.
  @discardableResult
  mutating func send(_ command: DeviceCommand) throws -> (events: [DeviceEvent], effects: [DeviceEffect]) {
    let events = try device.decide(command, now: now)
    var effects: [DeviceEffect] = []
    for event in events {
      journal.append((StoredEvent(event), now))
      device.evolve(event, at: now)
      effects += device.react(to: event)
    }
    var replayed = Device()
    for (event, time) in journal { replayed.evolve(try event.decoded(as: DeviceEvent.self), at: time) }
    #expect(replayed == device)
    #expect(try Device(stateBytes: device.stateBytes) == device)
    #expect(device.outstandingEffects.isEmpty && !device.isFinished && device.rest == .asleep(until: nil))
    return (events, effects)
  }

  @Test("the first registration makes it live")
  mutating func first() throws {
    #expect(!device.isLive)
    let (events, effects) = try send(.register(annas))
    #expect(events == [.registered(annas)] && effects == [.opened, .changed])
    #expect(device.isLive && device.registration == annas)
    #expect(device.firstRegisteredAt == now && device.registeredAt == now)
  }

  @Test("a repetition is recorded in short, and moves the time", arguments: [0, 1, 90_000])
  mutating func renewal(seconds: Int) throws {
    try send(.register(annas))
    let first = now
    now = now.advanced(by: .seconds(seconds))
    let (events, effects) = try send(.register(annas))
    #expect(events == [.renewed] && effects == [.opened])
    #expect(device.firstRegisteredAt == first && device.registeredAt == now)
  }

  @Test("a change is recorded at once; what a registration leaves open is as it was")
  mutating func partial() throws {
    let full = DeviceRegistration.sample(
      language: "de", authorization: "dTpw", platform: "ios", app: "bank", owner: "anna")
    try send(.register(full))
    #expect(try send(.register(.sample())).events == [.renewed])
    let changes: [(DeviceRegistration, DeviceRegistration)] = [
      (
        .sample(language: "fr"),
        .sample(language: "fr", authorization: "dTpw", platform: "ios", app: "bank", owner: "anna")
      ),
      (
        .sample(authorization: "x"),
        .sample(language: "fr", authorization: "x", platform: "ios", app: "bank", owner: "anna")
      ),
      (
        .sample(platform: "ipados", app: "shop"),
        .sample(language: "fr", authorization: "x", platform: "ipados", app: "shop", owner: "anna")
      ),
    ]
    for (said, becomes) in changes {
      #expect(try send(.register(said)).events == [.registered(becomes)])
      #expect(device.registration == becomes)
    }
  }

  @Test("one that was nobody's gets an owner without being handed over")
  mutating func claimed() throws {
    try send(.register(.sample()))
    #expect(try send(.register(annas)).effects == [.opened, .changed])
    #expect(device.registration?.owner == "anna")
  }

  @Test("registered by another it moves, and its queue is handed over before it is opened")
  mutating func moved() throws {
    try send(.register(annas))
    now = now.advanced(by: .seconds(1))
    let bens = DeviceRegistration.sample(owner: "ben")
    let (events, effects) = try send(.register(bens))
    #expect(events == [.moved(bens)] && effects == [.handedOver(to: "ben"), .opened, .changed])
    #expect(device.registration?.owner == "ben" && device.registeredAt == now)
    #expect(try send(.register(.sample())).events == [.renewed])
  }

  @Test("language and password stay with the former owner; platform and app are the device's")
  mutating func movedParts() throws {
    try send(
      .register(.sample(language: "de", authorization: "dTpw", platform: "ios", app: "bank", owner: "anna")))
    try send(.register(.sample(owner: "ben")))
    #expect(device.registration == .sample(platform: "ios", app: "bank", owner: "ben"))
  }

  @Test("a URL may be many people's: it does not move, and hands nothing over", arguments: ["httpcb", "customhttp"])
  mutating func shared(type: String) throws {
    try send(.register(.sample(type: type, authorization: "dTpw", owner: "anna")))
    let bens = DeviceRegistration.sample(type: type, owner: "ben")
    let (events, effects) = try send(.register(bens))
    #expect(events == [.registered(bens)] && effects == [.opened, .changed])
  }

  @Test(
    "it ends by the operator, by its provider or by its owner; a second end changes nothing", arguments: [nil, "anna"])
  mutating func end(asker: String?) throws {
    try send(.register(annas))
    now = now.advanced(by: .seconds(9))
    let (events, effects) = try send(.end(reason: "signed out", owner: asker))
    #expect(events == [.ended(reason: "signed out")] && effects == [.closed(reason: "signed out"), .changed])
    #expect(!device.isLive && device.ending?.reason == "signed out" && device.ending?.at == now)
    #expect(device.registration == annas)
    #expect(try send(.end(reason: "410 Unregistered", owner: asker)).events.isEmpty)
  }

  @Test("one that is not there, or another's, is unknown", arguments: ["anna", nil] as [String?])
  mutating func unknown(owner: String?) throws {
    let device = device
    #expect(throws: DeviceRejection.unknown) { try device.decide(.end(reason: "x"), now: .epoch) }
    try send(.register(.sample(owner: owner)))
    let registered = self.device
    #expect(throws: DeviceRejection.unknown) { try registered.decide(.end(reason: "x", owner: "ben"), now: .epoch) }
    try send(.end(reason: "x"))
    let ended = self.device
    #expect(throws: DeviceRejection.unknown) { try ended.decide(.end(reason: "x", owner: "ben"), now: .epoch) }
  }

  @Test("ended, it comes back as new, at once, and keeps its first day")
  mutating func revived() throws {
    try send(.register(.sample(language: "de", owner: "anna")))
    let first = now
    try send(.end(reason: "410 Unregistered"))
    now = now.advanced(by: .seconds(5))
    let (events, effects) = try send(.register(annas))
    #expect(events == [.registered(annas)] && effects == [.opened, .changed])
    #expect(device.isLive && device.ending == nil && device.registration == annas)
    #expect(device.firstRegisteredAt == first && device.registeredAt == now)
  }

  @Test("ended, it is its former owner's no longer: not without a word, and not another's with what was left for her")
  mutating func revivedByAnother() throws {
    try send(.register(annas))
    try send(.end(reason: "signed out", owner: "anna"))
    #expect(try send(.register(.sample())).effects == [.handedOver(to: ""), .opened, .changed])
    #expect(device.isLive && device.registration?.owner == nil)
    try send(.register(annas))
    try send(.end(reason: "signed out", owner: "anna"))
    #expect(
      try send(.register(.sample(owner: "ben"))).effects == [.handedOver(to: "ben"), .opened, .changed])
  }

  @Test("a provider's new address ends it and is remembered until it shows itself again")
  mutating func replaced() throws {
    let successor = PushAddress(type: "fcm", deviceID: "new")
    #expect(try send(.replace(by: successor)).events.isEmpty)
    try send(.register(annas))
    #expect(try send(.replace(by: annas.address)).events.isEmpty)
    let (events, effects) = try send(.replace(by: successor))
    #expect(events == [.replaced(by: successor)])
    #expect(effects == [.closed(reason: "replaced by the provider"), .changed])
    #expect(!device.isLive && device.successor == successor)
    #expect(try send(.replace(by: PushAddress(type: "fcm", deviceID: "newer"))).events.isEmpty)
    try send(.register(annas))
    #expect(device.isLive && device.successor == nil)
  }

  @Test("erased, nothing of its owner is left, and the next registration is its first", arguments: [true, false])
  mutating func erased(hasEnded: Bool) throws {
    #expect(try send(.erase).events.isEmpty)
    try send(.register(.sample(language: "de", platform: "MARK", app: "MARK", owner: "MARK")))
    if hasEnded { try send(.end(reason: "410 Unregistered")) } else { try send(.replace(by: .sample("MARK"))) }
    let effects = try send(.erase).effects
    #expect(effects == [.changed])
    let bytes = try #require(journal.last).event.payload
    #expect(!String(decoding: bytes, as: UTF8.self).contains("MARK"))
    #expect(device.registration == nil && !device.isLive && device.successor == nil)
    #expect(try send(.erase).events.isEmpty)
    journal.removeFirst(journal.count - 1)
    now = now.advanced(by: .seconds(1))
    #expect(try send(.register(annas)).events == [.registered(annas)])
    #expect(device.firstRegisteredAt == now && device.isLive)
  }

  @Test("a restatement is all that replay needs")
  mutating func restated() throws {
    try send(.register(annas))
    try send(.end(reason: "x"))
    let before = device
    #expect(try send(.restate).effects == [.changed])
    #expect(device == before)
    journal.removeFirst(journal.count - 1)
    #expect(try send(.end(reason: "y")).events.isEmpty)
  }
}

extension DeviceRegistration {
  static func sample(
    type: String = "ios", language: String? = nil, authorization: String? = nil, platform: String? = nil,
    app: String? = nil, owner: String? = nil
  ) -> DeviceRegistration {
    DeviceRegistration(
      address: PushAddress(
        type: type, deviceID: type == "ios" ? "token" : "https://h/", language: language, authorization: authorization),
      platform: platform, app: app, owner: owner)
  }
}

extension PushAddress {
  static func sample(_ deviceID: String) -> PushAddress { PushAddress(type: "fcm", deviceID: deviceID) }
}
