import EventSourcing
import GCMProtocol
import PushDomain
import Testing

@testable import Engine
@testable import EngineRigs

@Suite("A message to a device")
struct MessagingTests {
  @Test("that is connected arrives at once, and comes again with the same id until it is acknowledged")
  func connected() async throws {
    let rig = try await MessagingRig()
    let device = try await rig.device()
    let link = try await rig.connect(device)
    let id = try await rig.send(to: device.token) { $0.data = [MailPair("score", "5x1")] }
    let mail = try #require(link.mails.first)
    #expect(mail.id == id && mail.origin == MessagingRig.sender && mail.category == MessagingRig.app)
    #expect(mail.pairs == [MailPair("score", "5x1")] && mail.priority == .normal && mail.timeToLive == 2_419_200)
    let second = try await rig.connect(device)
    #expect(second.ids == [id] && link.closing == .replaced)
    try await rig.acknowledge([id], by: device)
    #expect(try await rig.connect(device).ids.isEmpty)
    try await rig.stop()
  }

  @Test("that is away is stored, and comes with all that waits when it connects; also after a restart")
  func away() async throws {
    let first = try await MessagingRig()
    let device = try await first.device()
    let ids = [try await first.send(to: device.token), try await first.send(to: device.token)]
    let rig = try await first.restarted()
    #expect(try await rig.connect(device).ids == ids)
    // Half acknowledged.
    try await rig.acknowledge([ids[0]], by: device)
    let last = try await rig.restarted()
    #expect(try await last.connect(device).ids == [ids[1]])
    // What the device says that it has is acknowledged by that.
    #expect(try await last.connect(device, received: [ids[1]]).ids.isEmpty)
    #expect(await last.pending(device).isEmpty)
    try await last.stop()
  }

  @Test("with both payloads carries both, is urgent, and collapses under the app's name")
  func notification() async throws {
    let rig = try await MessagingRig()
    let device = try await rig.device(subtype: "wp:https://shop")
    for _ in 1...2 {
      try await rig.send(to: device.token) { request in
        request.notification = [MailPair("title", "Hi")]
        request.data = [
          MailPair("volume", "3"), MailPair("message_type", "deleted_messages"), MailPair("subtype", "x"),
        ]
      }
    }
    let mails = try await rig.connect(device).mails
    #expect(mails.count == 1)
    let mail = try #require(mails.first)
    #expect(mail.priority == .high && mail.collapseKey == MessagingRig.app)
    #expect(
      mail.pairs == [
        MailPair("volume", "3"), MailPair("gcm.notification.e", "1"), MailPair("gcm.n.e", "1"),
        MailPair("gcm.notification.title", "Hi"), MailPair("subtype", "wp:https://shop"),
      ])
    try await rig.stop()
  }

  @Test("a stated priority goes over the default of its kind")
  func priority() async throws {
    let rig = try await MessagingRig()
    let device = try await rig.device()
    try await rig.send(to: device.token) { request in
      request.notification = [MailPair("title", "Hi")]
      request.priority = .normal
    }
    #expect(try await rig.connect(device).mails.map(\.priority) == [.normal])
    try await rig.stop()
  }

  @Test("now or never: arrives if the device is there, and is never stored")
  func nowOrNever() async throws {
    let rig = try await MessagingRig()
    let device = try await rig.device()
    try await rig.send(to: device.token) { $0.timeToLive = 0 }
    #expect(await rig.pending(device).isEmpty)
    let link = try await rig.connect(device)
    #expect(link.ids.isEmpty)
    let id = try await rig.send(to: device.token) { $0.timeToLive = 0 }
    #expect(link.ids == [id])
    #expect(await rig.pending(device).isEmpty)
    #expect(try await rig.connect(device).ids.isEmpty)
    try await rig.stop()
  }

  @Test("that sleeps gets what is urgent; the rest waits, collapsed, until it wakes up or connects anew")
  func idle() async throws {
    let rig = try await MessagingRig()
    let device = try await rig.device()
    let link = try await rig.connect(device)
    rig.engine.deviceGateway.setIdle(true, device.id, link: link)
    try await rig.send(to: device.token) { $0.collapseKey = "sync" }
    let newest = try await rig.send(to: device.token) { $0.collapseKey = "sync" }
    let patient = try await rig.send(to: device.token) { request in
      request.priority = .high
      request.delayWhileIdle = true
    }
    let urgent = try await rig.send(to: device.token) { $0.priority = .high }
    let now = try await rig.send(to: device.token) { $0.timeToLive = 0 }
    #expect(link.ids == [urgent, now])
    rig.engine.deviceGateway.setIdle(false, device.id, link: link)
    try await rig.settle()
    #expect(link.ids == [urgent, now, newest, patient])
    try await rig.stop()
  }

  @Test("whose time is over while it waits never arrives")
  func expires() async throws {
    let rig = try await MessagingRig()
    let device = try await rig.device()
    try await rig.send(to: device.token) { $0.timeToLive = 3 }
    let lasting = try await rig.send(to: device.token)
    try await rig.advance(by: .seconds(4))
    #expect(await rig.pending(device) == [lasting])
    try await rig.advance(by: .seconds(2_419_200))
    #expect(await rig.pending(device).isEmpty)
    try await rig.stop()
  }

  @Test("that has acknowledged and then stalls gets all of it over its next connection")
  func stalls() async throws {
    let rig = try await MessagingRig()
    let device = try await rig.device()
    let link = try await rig.connect(device)
    let first = try await rig.send(to: device.token)
    try await rig.acknowledge([first], by: device)
    var ids: [String] = []
    for _ in 1...150 { ids.append(try await rig.send(to: device.token)) }
    #expect(link.ids == [first] + ids)
    let next = try await rig.connect(device)
    #expect(next.ids == ids)
    try await rig.stop()
  }

  @Test("that never acknowledges is served on, and its next connection is told how many it was not waited for")
  func neverAcknowledges() async throws {
    let rig = try await MessagingRig()
    let device = try await rig.device()
    let link = try await rig.connect(device)
    var ids: [String] = []
    for _ in 1...150 { ids.append(try await rig.send(to: device.token)) }
    #expect(link.ids == ids)
    let next = try await rig.connect(device)
    #expect(next.mails.first?.pairs == [MailPair("message_type", "deleted_messages"), MailPair("total_deleted", "50")])
    #expect(Array(next.ids.dropFirst()) == Array(ids.suffix(100)))
    try await rig.stop()
  }

  @Test("that is slower than a flood is told of what was dropped while it is there")
  func noticedAtOnce() async throws {
    let rig = try await MessagingRig()
    let device = try await rig.device()
    let link = try await rig.connect(device)
    try await rig.acknowledge([try await rig.send(to: device.token)], by: device)
    let bytes = String(repeating: "x", count: 4_000)
    for _ in 1...200 { try await rig.send(to: device.token) { $0.data = [MailPair("k", bytes)] } }
    let notices = link.mails.compactMap { mail in mail.pairs.first { $0.key == "total_deleted" }?.value }
    let pending = await rig.pending(device).count
    #expect(notices.count == 1)
    #expect(pending - 1 + (notices.first.flatMap { Int($0) } ?? 0) == 200)
    try await rig.stop()
  }

  @Test("the hundred and first of those that wait leaves one notice, which is acknowledged like a message")
  func deletedMessages() async throws {
    let rig = try await MessagingRig()
    let device = try await rig.device()
    for _ in 1...101 { try await rig.send(to: device.token) }
    let link = try await rig.connect(device)
    #expect(
      link.mails.map(\.pairs) == [
        [MailPair("message_type", "deleted_messages"), MailPair("total_deleted", "101")]
      ])
    try await rig.acknowledge(link.ids, by: device)
    #expect(try await rig.connect(device).ids.isEmpty)
    try await rig.stop()
  }
}

@Suite("A registration")
struct RegistrationTests {
  @Test("the same again gives the same token; a token says nothing that helps to guess another")
  func token() async throws {
    let rig = try await MessagingRig()
    let device = try await rig.device()
    let form = RegistrationForm(app: MessagingRig.app, senders: [MessagingRig.sender], platform: "ANDROID")
    #expect(try await rig.installations.register(form, device.credentials) == device.token)
    #expect(device.token.split(separator: ":")[0].count == 11 && device.token.utf8.count == 152)
    let other = try await rig.device()
    #expect(other.token != device.token)
    // One character of the proof changed: never was one.
    var letters = Array(device.token)
    letters[100] = letters[100] == "A" ? "B" : "A"
    #expect(try await rig.result(to: String(letters)) == .failed(.invalidRegistration))
    try await rig.stop()
  }

  @Test(
    "what is no token is refused",
    arguments: ["", "x", ":", "abcdefghijk:APA91b", "abcdefghijk:APA91b====", String(repeating: "a", count: 4_000)])
  func malformed(token: String) async throws {
    let rig = try await MessagingRig()
    #expect(try await rig.result(to: token) == .failed(.invalidRegistration))
    try await rig.stop()
  }

  @Test("a sender that it was not made for is refused; one of several is not")
  func senders() async throws {
    let rig = try await MessagingRig()
    let device = try await rig.device(senders: ["1", "2"])
    #expect(try await rig.result(to: device.token, sender: "3") == .failed(.mismatchSenderID))
    try await rig.send(to: device.token, sender: "2")
    try await rig.send(to: device.token, sender: "1")
    #expect(try await rig.connect(device).mails.map(\.origin) == ["2", "1"])
    try await rig.stop()
  }

  @Test("a package that must be this one has to be")
  func package() async throws {
    let rig = try await MessagingRig()
    let device = try await rig.device()
    #expect(
      try await rig.result(to: device.token) { $0.restrictedPackageName = "other" } == .failed(.invalidPackageName))
    try await rig.send(to: device.token) { $0.restrictedPackageName = MessagingRig.app }
    try await rig.stop()
  }

  @Test("ended, it is not registered any more, and what waited for it is gone; also after a restart")
  func unregistered() async throws {
    let first = try await MessagingRig()
    let device = try await first.device()
    try await first.send(to: device.token)
    try await first.installations.unregister(
      app: MessagingRig.app, subtype: nil, senders: [], device.credentials)
    try await first.settle()
    #expect(await first.pending(device).isEmpty)
    #expect(try await first.result(to: device.token) == .failed(.notRegistered))
    let rig = try await first.restarted()
    #expect(try await rig.result(to: device.token) == .failed(.notRegistered))
    try await rig.stop()
  }

  @Test("a newer one of the same app is named as the canonical one, and the older one still works")
  func canonical() async throws {
    let rig = try await MessagingRig()
    let device = try await rig.device()
    let form = RegistrationForm(app: MessagingRig.app, senders: [MessagingRig.sender, "2"], platform: "ANDROID")
    let newer = try await rig.installations.register(form, device.credentials)
    guard case .accepted(_, let canonical) = try await rig.result(to: device.token) else {
      throw RigFailure(text: "refused")
    }
    #expect(canonical == newer)
    #expect(try await rig.connect(device).ids.count == 1)
    try await rig.stop()
  }

  @Test("a hundred senders are enough")
  func tooManySenders() async throws {
    let rig = try await MessagingRig()
    let credentials = try await rig.installations.checkIn(nil)
    for (count, isFine) in [(100, true), (101, false)] {
      let form = RegistrationForm(
        app: MessagingRig.app, senders: (1...count).map(String.init), platform: "ANDROID")
      let token = try? await rig.installations.register(form, credentials)
      #expect((token != nil) == isFine)
    }
    try await rig.stop()
  }

  @Test("checking in again needs the security token")
  func checkIn() async throws {
    let rig = try await MessagingRig()
    let known = try await rig.installations.checkIn(nil)
    #expect(try await rig.installations.checkIn(known) == known)
    let wrong = InstallationCredentials(id: known.id, securityToken: known.securityToken ^ 1)
    await #expect(throws: InstallationFailure.unauthenticated) { try await rig.installations.checkIn(wrong) }
    try await rig.stop()
  }

  @Test("one rate for each registration, if there is one")
  func rates() async throws {
    let rig = try await MessagingRig { $0.messaging.perMinuteMaximum = 2 }
    let device = try await rig.device()
    for _ in 1...2 { try await rig.send(to: device.token) }
    #expect(try await rig.result(to: device.token) == .failed(.deviceMessageRateExceeded))
    try await rig.advance(by: .seconds(60))
    try await rig.send(to: device.token)
    try await rig.stop()
  }

  @Test("collapsible messages beyond the burst wait, and go as the newest one when their time has come")
  func throttled() async throws {
    let rig = try await MessagingRig { configuration in
      configuration.messaging.collapseBurst = 2
      configuration.messaging.collapseRefillSeconds = 180
    }
    let device = try await rig.device()
    let link = try await rig.connect(device)
    var ids: [String] = []
    for _ in 1...4 { ids.append(try await rig.send(to: device.token) { $0.collapseKey = "score" }) }
    #expect(link.ids == Array(ids.prefix(2)))
    let free = try await rig.send(to: device.token) { request in
      request.collapseKey = "score"
      request.timeToLive = 0
    }
    #expect(link.ids == ids.prefix(2) + [free])
    try await rig.advance(by: .seconds(181))
    #expect(link.ids == ids.prefix(2) + [free, ids[3]])
    try await rig.stop()
  }
}
