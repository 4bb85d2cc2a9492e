import EventSourcing
import SupportDomain
import Testing

@Suite("Support user, with devices")
struct UserDeviceTests {
  typealias Turn = UserRig.Turn

  @Test("a device is registered once; again, it is only refreshed")
  func twice() throws {
    var rig = try UserRig.given()
    let turn = try rig.when(.register("9f1c"), at: 1)
    let device = try rig.device(1)
    #expect(turn == Turn([.deviceRegistered(device)], [.deviceOpened(device), .changed]))
    #expect(device.isLive && device.locale == "de" && device.app == "mobile" && device.createdAt == .second(1))
    #expect(device.key == SupportDevice.Key(identifier: "9f1c", platform: .ios, address: .pushToken))
    let again = try rig.when(.register("9f1c", locale: "en-us"), at: 2)
    let refreshed = try rig.device(1)
    #expect(again == Turn([.deviceRefreshed(id: 1, locale: "en-us")], [.deviceOpened(refreshed), .changed]))
    #expect(refreshed.locale == "en-us" && refreshed.createdAt == .second(1) && refreshed.updatedAt == .second(2))
    #expect(rig.state.devices.count == 1)
  }

  @Test("identifier, platform and kind of address make one device")
  func key() throws {
    var rig = try UserRig.given()
    let commands: [SupportUserCommand] = [
      .register("a"), .register("b"), .register("a", .android), .register("a", .ios, .airshipChannel),
    ]
    for command in commands + commands { try rig.when(command) }
    #expect(rig.state.devices.map(\.id) == [1, 2, 3, 4] && rig.state.highestDevice == 4)
    #expect(Set(rig.state.devices.map(\.key)).count == 4)
  }

  @Test("in another app the same address is another row; the former ends")
  func otherApp() throws {
    var rig = try UserRig.given()
    try rig.when(.register("a"), at: 1)
    let turn = try rig.when(.register("a", app: "second"), at: 2)
    #expect(turn.events == [.deviceEnded(id: 1, .moved), .deviceRegistered(try rig.device(2))])
    #expect(
      turn.effects == [.deviceClosed(try rig.device(1)), .changed, .deviceOpened(try rig.device(2)), .changed])
    try rig.when(.register("a"), at: 3)
    #expect(try rig.device(1).isLive && !rig.device(2).isLive && rig.device(2).app == "second")
  }

  @Test("what has ended comes back under its number")
  func revived() throws {
    var rig = try UserRig.given()
    try rig.when(.register("a"), at: 1)
    try rig.when(.end(["a"]), at: 2)
    try rig.when(.register("b"), at: 3)
    let turn = try rig.when(.register("a", locale: "fr"), at: 4)
    let device = try rig.device(1)
    #expect(turn == Turn([.deviceRegistered(device)], [.deviceOpened(device), .changed]))
    #expect(device.isLive && device.createdAt == .second(1) && device.updatedAt == .second(4) && device.locale == "fr")
    #expect(rig.state.devices.map(\.id) == [1, 2])
  }

  // MARK: Too many

  @Test("of too many, the one that was heard of longest ago is evicted")
  func evicted() throws {
    var rig = try UserRig.given()
    try rig.when(.register("a", most: 2), at: 1)
    try rig.when(.register("b", most: 2), at: 2)
    try rig.when(.register("a", most: 2), at: 3)
    let turn = try rig.when(.register("c", most: 2), at: 4)
    #expect(turn.events == [.deviceEnded(id: 2, .evicted), .deviceRegistered(try rig.device(3))])
    #expect(rig.live == ["a", "c"])
    #expect(try rig.when(.register("c", most: 2), at: 5).events == [.deviceRefreshed(id: 3, locale: "de")])
    #expect(try rig.when(.register("b", most: 2), at: 6).events.map(\.tag) == [6, 4], "also for one that comes back")
    #expect(rig.live == ["b", "c"])
  }

  @Test(
    "a bound that was lowered is kept to, and never below one", arguments: [(2, ["c", "d"]), (1, ["d"]), (0, ["d"])])
  func lowered(most: Int, live: [String]) throws {
    var rig = try UserRig.given()
    for (second, identifier) in ["a", "b", "c"].enumerated() {
      try rig.when(.register(identifier), at: Double(second))
    }
    let events = try rig.when(.register("d", most: most), at: 9).events
    #expect(events.dropLast() == (1...(4 - live.count)).map { .deviceEnded(id: $0, .evicted) }[...])
    #expect(rig.live == live)
  }

  @Test("one that moves to another app makes room for itself")
  func movedAtTheBound() throws {
    var rig = try UserRig.given()
    try rig.when(.register("a", most: 2), at: 1)
    try rig.when(.register("b", most: 2), at: 2)
    #expect(try rig.when(.register("b", app: "second", most: 2), at: 3).events.map(\.tag) == [6, 4])
    #expect(rig.live == ["a", "b"])
  }

  @Test("of those that have ended, the last twenty are kept")
  func ended() throws {
    var rig = try UserRig.given()
    for number in 1...25 {
      try rig.when(.register("\(number)"), at: Double(number))
      try rig.when(.end(["\(number)"]), at: Double(number))
    }
    #expect(rig.state.devices.map(\.id) == Array(6...25))
    try rig.when(.register("5"), at: 30)
    #expect(try rig.device(26).identifier == "5", "what is forgotten comes back as new")
  }

  @Test("what comes back when an eviction makes it forgotten keeps its number and its place")
  func forgottenAndBack() throws {
    var rig = try UserRig.given()
    for number in 1...21 { try rig.when(.register("\(number)", most: 1), at: Double(number)) }
    #expect(rig.state.devices.map(\.id) == Array(1...21) && rig.live == ["21"])
    #expect(try rig.when(.register("1", most: 1), at: 30).events.map(\.tag) == [6, 4])
    #expect(rig.state.devices.map(\.id) == Array(1...21) && rig.live == ["1"])
  }

  @Test("whoever is told of an end sees it, also with the clock set back")
  func clockSetBack() throws {
    var rig = try UserRig.given()
    for number in 1...20 {
      try rig.when(.register("\(number)"), at: 100)
      try rig.when(.end(["\(number)"]), at: 100 + Double(number))
    }
    try rig.when(.register("x"), at: 1)
    let effects = try rig.when(.end(["x"]), at: 2).effects
    #expect(effects == [.deviceClosed(try rig.device(21)), .changed])
    #expect(rig.state.devices.map(\.id) == Array(2...21))
  }

  // MARK: Ends

  static let ends: [(command: SupportUserCommand, ids: [Int])] = [
    (.end(["a"]), [1, 2]), (.end(["a"], app: "mobile"), [1]), (.end(["a"], app: "second"), [2]),
    (.end(["a"], app: "third"), []), (.end(["b", "a", "zzz", "a"], .bulk), [1, 2, 3]), (.end(["zzz", "A", ""]), []),
    (.end([]), []), (.end(["over"]), []),
  ]

  @Test("live devices end by their identifiers, each once", arguments: ends)
  func endDevices(command: SupportUserCommand, ids: [Int]) throws {
    var rig = try UserRig.given()
    try rig.when(.register("a"))
    try rig.when(.register("a", .android, app: "second"))
    try rig.when(.register("b"))
    try rig.when(.register("over"))
    try rig.when(.end(["over"]), at: 1)
    guard case .endDevices(_, let reason, _) = command else { return }
    let turn = try rig.when(command, at: 2)
    #expect(turn.events == ids.map { .deviceEnded(id: $0, reason) })
    #expect(turn.effects == (try ids.flatMap { [.deviceClosed(try rig.device($0)), .changed] }))
    for id in ids {
      let device = try rig.device(id)
      #expect(device.ending?.reason == reason && device.ending?.at == .second(2) && device.updatedAt == .second(0))
    }
    #expect(try rig.when(command, at: 3) == Turn())
  }

  static let gone: [(device: Int, since: Double?, isEnded: Bool)] = [
    (1, nil, true), (1, 5, true), (1, 6, true), (1, 4.999, false), (2, nil, false), (0, nil, false), (-1, 9, false),
    (3, 9, false),
  ]

  @Test("a provider ends what was not registered again since", arguments: gone)
  func provider(device: Int, since: Double?, isEnded: Bool) throws {
    var rig = try UserRig.given()
    try rig.when(.register("a"), at: 1)
    try rig.when(.register("over"), at: 1)
    try rig.when(.end(["over"]), at: 2)
    try rig.when(.register("a"), at: 5)
    let turn = try rig.when(.providerEnded(device: device, since: since.map { .second($0) }), at: 9)
    #expect(turn.events == (isEnded ? [.deviceEnded(id: 1, .provider)] : []))
    #expect(rig.live == (isEnded ? [] : ["a"]))
  }

  @Test("an integration uses what was registered for it", arguments: SupportIntegration.allCases)
  func address(integration: SupportIntegration) {
    #expect(integration.address == (integration == .airship ? .airshipChannel : .pushToken))
  }
}
