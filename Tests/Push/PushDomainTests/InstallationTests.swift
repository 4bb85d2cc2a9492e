import EventSourcing
import PushDomain
import Testing

@Suite("A device that has checked in")
struct InstallationTests {
  static let identity = InstallationIdentity(securityDigest: [1, 2], seed: [3, 4])
  static let now = Timestamp(milliseconds: 1_770_000_000_000)

  struct Rig {
    var device = Installation()
    var journal: [StoredEvent] = []

    @discardableResult
    mutating func send(_ command: InstallationCommand) throws -> [InstallationEffect] {
      var effects: [InstallationEffect] = []
      for event in try device.decide(command, now: now) {
        #expect(try StoredEvent(event).decoded(as: InstallationEvent.self) == event)
        journal.append(StoredEvent(event))
        device.evolve(event, at: now)
        effects += device.react(to: event)
      }
      var replayed = Installation()
      for event in journal { replayed.evolve(try event.decoded(as: InstallationEvent.self), at: now) }
      #expect(replayed == device)
      #expect(try Installation(stateBytes: device.stateBytes) == device)
      return effects
    }
  }

  static func rig() throws -> Rig {
    var rig = Rig()
    try rig.send(.checkIn(identity))
    return rig
  }

  static func app(
    _ senders: [String], app: String = "org.example", subtype: String? = nil, instanceID: String? = nil
  ) -> AppRegistration {
    AppRegistration(app: app, senders: senders, subtype: subtype, instanceID: instanceID, platform: "ANDROID")
  }

  @Test("its identity never changes")
  func identity() throws {
    var rig = try Self.rig()
    try rig.send(.checkIn(InstallationIdentity(securityDigest: [9], seed: [9])))
    #expect(rig.device.identity == Self.identity)
  }

  @Test("nothing registers before it")
  func unknown() {
    #expect(throws: InstallationRejection.unknownInstallation) {
      try Installation().decide(.register(Self.app(["1"])), now: Self.now)
    }
  }

  @Test("the same app, subtype, instance and senders, in any order, are one registration")
  func twin() throws {
    var rig = try Self.rig()
    #expect(try rig.send(.register(Self.app(["1", "2"]))) == [.registered(1)])
    #expect(try rig.send(.register(Self.app(["2", "1"]))).isEmpty)
    #expect(try rig.send(.register(Self.app(["1"], subtype: "x"))) == [.registered(2)])
    #expect(try rig.send(.register(Self.app(["1", "2"], instanceID: "abc"))) == [.registered(3)])
    #expect(rig.device.registrations.map(\.number) == [1, 2, 3])
  }

  @Test("one registration for each sender: each is good for its own only, and none takes another's place")
  func oneForEachSender() throws {
    var rig = try Self.rig()
    for sender in ["1", "2"] { try rig.send(.register(Self.app([sender]))) }
    let first = try #require(rig.device[1])
    #expect(first.senders == ["1"])
    #expect(rig.device.canonical(of: first, sender: "1") == nil)
  }

  @Test("the newest registration of an app for a sender takes the place of the older ones")
  func canonical() throws {
    var rig = try Self.rig()
    try rig.send(.register(Self.app(["1"])))
    try rig.send(.register(Self.app(["1", "2"])))
    let (first, second) = (try #require(rig.device[1]), try #require(rig.device[2]))
    #expect(rig.device.canonical(of: first, sender: "1")?.number == 2)
    #expect(rig.device.canonical(of: second, sender: "1") == nil)
  }

  @Test("an ended registration's number stays known, and is never given out again")
  func ended() throws {
    var rig = try Self.rig()
    try rig.send(.register(Self.app(["1"])))
    let ending = RegistrationEnding(app: "org.example", reason: "unregistered")
    #expect(try rig.send(.end(ending)) == [.ended(1, reason: "unregistered")])
    #expect(rig.device[1] == nil && rig.device.hasGiven(1) && !rig.device.hasGiven(2) && !rig.device.hasGiven(0))
    #expect(try rig.send(.register(Self.app(["1"]))) == [.registered(2)])
    #expect(try rig.send(.end(RegistrationEnding(app: "other", reason: ""))).isEmpty)
  }

  @Test("unregistering names the subtype, the instance and, if any, the senders")
  func endsSome() throws {
    var rig = try Self.rig()
    try rig.send(.register(Self.app(["1"])))
    try rig.send(.register(Self.app(["2"])))
    try rig.send(.register(Self.app(["1"], subtype: "x")))
    try rig.send(.register(Self.app(["1"], instanceID: "i")))
    try rig.send(.end(RegistrationEnding(app: "org.example", senders: ["1"], reason: "")))
    #expect(rig.device.registrations.map(\.number) == [2, 3, 4])
    try rig.send(.end(RegistrationEnding(app: "org.example", subtype: "x", reason: "")))
    try rig.send(.end(RegistrationEnding(app: "org.example", instanceID: "i", reason: "")))
    #expect(rig.device.registrations.map(\.number) == [2])
  }

  @Test("an app that is uninstalled loses all that it had registered")
  func uninstalled() throws {
    var rig = try Self.rig()
    try rig.send(.register(Self.app(["1"])))
    try rig.send(.register(Self.app(["1"], subtype: "x", instanceID: "i")))
    try rig.send(.register(Self.app(["1"], app: "other")))
    try rig.send(.end(RegistrationEnding(app: "org.example", isWhole: true, reason: "unregistered")))
    #expect(rig.device.registrations.map(\.app) == ["other"])
  }

  @Test("at the bound the oldest superseded registration goes; without one there is no room")
  func bound() throws {
    var rig = try Self.rig()
    var limits = InstallationLimits()
    limits.registrationsMaximum = 2
    try rig.send(.register(Self.app(["1"]), limits: limits))
    try rig.send(.register(Self.app(["1", "2"]), limits: limits))
    #expect(
      try rig.send(.register(Self.app(["3"]), limits: limits)) == [.ended(1, reason: "superseded"), .registered(3)])
    #expect(throws: InstallationRejection.tooManyRegistrations) {
      try rig.send(.register(Self.app(["4"]), limits: limits))
    }
  }

  @Test("topics are joined once, left once, and bounded")
  func topics() throws {
    var rig = try Self.rig()
    try rig.send(.register(Self.app(["1"])))
    var limits = InstallationLimits()
    limits.topicsMaximum = 2
    let topics = (1...3).map { SenderTopic(sender: "1", name: "t\($0)") }
    #expect(try rig.send(.join(1, topics[0], limits: limits)) == [.joined(1, topics[0])])
    #expect(try rig.send(.join(1, topics[0], limits: limits)).isEmpty)
    try rig.send(.join(1, topics[1], limits: limits))
    #expect(throws: InstallationRejection.tooManyTopics) { try rig.send(.join(1, topics[2], limits: limits)) }
    #expect(try rig.send(.leave(1, topics[0])) == [.left(1, topics[0])])
    #expect(try rig.send(.leave(1, topics[0])).isEmpty)
    #expect(throws: InstallationRejection.unknownRegistration) { try rig.send(.join(9, topics[0])) }
    #expect(rig.device[1]?.topics.map(\.topic) == [topics[1]])
  }

  @Test("erased, nothing is left but which numbers were given out")
  func erased() throws {
    var rig = try Self.rig()
    try rig.send(.register(Self.app(["1"])))
    try rig.send(.setKeys(1, BrowserKeys(publicKey: [1], authenticationSecret: [2], authorizedEntity: "e")))
    try rig.send(.restate)
    #expect(rig.device[1]?.keys?.authorizedEntity == "e")
    try rig.send(.erase)
    #expect(rig.device.identity == nil && rig.device.registrations.isEmpty && rig.device.highestNumber == 1)
  }

  @Test("the tags are frozen")
  func tags() {
    let topic = SenderTopic(sender: "1", name: "t")
    let keys = BrowserKeys(publicKey: [], authenticationSecret: [], authorizedEntity: nil)
    let events: [InstallationEvent] = [
      .checkedIn(Self.identity), .registered(Self.app(["1"])), .registrationEnded(1, reason: ""), .keysSet(1, keys),
      .topicJoined(1, topic), .topicLeft(1, topic), .erased(state: Installation().stateBytes),
    ]
    #expect(events.map(\.tag) == [1, 2, 3, 4, 5, 6, 7])
  }
}

@Suite("A device group, and a broadcast")
struct GroupAndBroadcastTests {
  static let now = Timestamp(milliseconds: 0)

  @Test("a group is made, changed and ended by its members")
  func group() throws {
    var group = DeviceGroup()
    func send(_ command: DeviceGroupCommand) throws {
      for event in try group.decide(command, now: Self.now) {
        #expect(try StoredEvent(event).decoded(as: DeviceGroupEvent.self) == event)
        group.evolve(event, at: Self.now)
      }
      #expect(try DeviceGroup(stateBytes: group.stateBytes) == group)
    }
    #expect(throws: DeviceGroupRejection.notFound) { try send(.change(add: ["a"], remove: [])) }
    try send(.create(key: "k", tokens: ["a", "b", "a"]))
    #expect(group.members == ["a", "b"])
    #expect(throws: DeviceGroupRejection.exists) { try send(.create(key: "l", tokens: ["a"])) }
    try send(.change(add: ["b", "c"], remove: ["a", "z"]))
    #expect(group.members == ["b", "c"])
    #expect(throws: DeviceGroupRejection.tooManyMembers) {
      try send(.change(add: (1...19).map { "m\($0)" }, remove: []))
    }
    try send(.change(add: (1...18).map { "m\($0)" }, remove: []))
    try send(.change(add: [], remove: group.members))
    #expect(group.key == nil)
    try send(.create(key: "again", tokens: ["a"]))
    #expect(group.key == "again")
  }

  @Test("a broadcast goes on where it was, and ends once")
  func broadcast() throws {
    var broadcast = Broadcast()
    func send(_ command: BroadcastCommand) throws {
      for event in broadcast.decide(command, now: Self.now) {
        #expect(try StoredEvent(event).decoded(as: BroadcastEvent.self) == event)
        broadcast.evolve(event, at: Self.now)
      }
      #expect(try Broadcast(stateBytes: broadcast.stateBytes) == broadcast)
    }
    let work = BroadcastWork(mail: MailCodecTests.full, condition: "'a' in topics")
    try send(.accept(work))
    #expect(broadcast.outstandingEffects == [.run])
    try send(.advance(past: "1/2"))
    #expect(broadcast.work?.past == "1/2")
    try send(.accept(work))
    #expect(broadcast.work?.past == "1/2")
    try send(.finish(receivers: 3))
    #expect(broadcast.isFinished && broadcast.outstandingEffects.isEmpty)
    try send(.accept(work))
    #expect(broadcast.work == nil)
  }
}
