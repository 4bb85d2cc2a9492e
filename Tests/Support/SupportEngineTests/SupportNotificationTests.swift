import EntityRuntime
import EventSourcing
import PushDomain
import SupportDomain
import Testing

@testable import Engine
@testable import EngineRigs
@testable import SupportEngine

/// The checks of the specification, section 11, by number, where the engine alone can show them.
@Suite("Notifications of support requests", .timeLimit(.minutes(1)))
struct SupportNotificationTests {
  private static let isRetried: PushOutcome = .retryable(reason: "503 Service Unavailable")

  @Test("2: a public comment of an agent's is one post to both devices, with the keys of the specification")
  func onePost() async throws {
    let rig = try await SupportRig()
    let ann = try await rig.user()
    try await rig.register("<AB cd>", by: ann)
    try await rig.register("and-1", type: "android", by: ann)
    let number = try await rig.request(by: ann)
    try await rig.comment("Have you tried \"again\"?", on: number, by: try await rig.agent())
    #expect(
      rig.posted == [
        #"{"devices":[{"identifier":"abcd","type":"ios"},{"identifier":"and-1","type":"android"}],"#
          + #""notification":{"body":"Have you tried \"again\"?","title":"Ben replied","ticket_id":"1"}}"#
      ])
    let delivery = try #require(rig.provider.deliveries.first)
    #expect(delivery.message.target == PushAddress(type: "support-webhook", deviceID: SupportRig.url, provider: "demo"))
    #expect(await rig.support.requests[String(number)]?.peek { $0.duties.isEmpty } == true)
    try await rig.stop()
  }

  enum Silence: String, CaseIterable, CustomTestStringConvertible {
    case privateNote, byTheRequester, asTheRequester, requestByEmail, withoutDevices, statusOnly, withoutIntegration
    var testDescription: String { rawValue }
  }

  @Test("3: nothing is posted otherwise", arguments: Silence.allCases)
  func silence(_ kind: Silence) async throws {
    let rig = try await SupportRig(options: kind == .withoutIntegration ? ["integration": "none"] : [:])
    let (ann, ben) = (try await rig.user(), try await rig.agent())
    if kind != .withoutDevices { try await rig.register("abcd", by: ann) }
    var number = try await rig.request(by: ann)
    switch kind {
    case .privateNote: try await rig.comment("Between us", on: number, by: ben, isPublic: false)
    case .byTheRequester: try await rig.comment("Anybody?", on: number, by: ann)
    case .asTheRequester:
      var update = SupportUpdate()
      update.comment = SupportCommentOrder()
      update.comment?.body = "He says on the phone"
      update.comment?.author = ann.number
      _ = try await rig.support.update(number, update, by: ben)
    case .requestByEmail:
      var order = SupportRequestOrder()
      (order.subject, order.comment.body, order.channel, order.requester) = ("Mail", "Hello", .email, ann.number)
      number = try await rig.support.create(order, by: ben).number
      try await rig.comment("Yes?", on: number, by: ben)
    case .withoutDevices, .withoutIntegration: try await rig.comment("Yes?", on: number, by: ben)
    case .statusOnly:
      var update = SupportUpdate()
      update.status = .solved
      _ = try await rig.support.update(number, update, by: ben)
    }
    try await rig.advance(by: .seconds(10))
    #expect(rig.posted == [])
    #expect(await rig.support.requests[String(number)]?.peek { $0.duties.isEmpty && $0.waiting.isEmpty } == true)
    try await rig.stop()
  }

  @Test("4: 503 twice, then 200: the same id for all three, at the schedule of webhooks")
  func retries() async throws {
    let rig = try await SupportRig()
    let ann = try await rig.user()
    try await rig.register("abcd", by: ann)
    let number = try await rig.request(by: ann)
    rig.provider.answer(Self.isRetried, Self.isRetried)
    try await rig.comment("Yes?", on: number, by: try await rig.agent())
    #expect(rig.provider.deliveries.count == 1)
    try await rig.advance(by: .seconds(6))
    try await rig.advance(by: .seconds(1))
    #expect(rig.provider.deliveries.count == 2)
    try await rig.advance(by: .seconds(361))
    try await rig.advance(by: .seconds(1))
    #expect(rig.provider.deliveries.map(\.attempt) == [1, 2, 3])
    #expect(Set(rig.provider.deliveries.map(\.id)).count == 1 && Set(rig.posted).count == 1)
    try await rig.stop()
  }

  @Test("6: a kill between the comment and the post: posted after the restart, with the same id")
  func kill() async throws {
    let rig = try await SupportRig()
    let ann = try await rig.user()
    try await rig.register("abcd", by: ann)
    let number = try await rig.request(by: ann)
    rig.provider.hold()
    try await rig.comment("Yes?", on: number, by: try await rig.agent())
    await rig.provider.reaches(1)
    let before = rig.provider.deliveries.map(\.id)
    let again = try await rig.restarted()
    #expect(again.provider.deliveries.map(\.id) == before)
    #expect(again.devicesPosted == [["abcd"]])
    // Nothing of it comes a third time.
    let last = try await again.restarted()
    #expect(last.provider.deliveries.isEmpty)
    try await last.stop()
  }

  @Test("7: after a switch to Airship push tokens get nothing, channels do; after the switch back the old rows live")
  func integrations() async throws {
    let rig = try await SupportRig()
    let (ann, ben) = (try await rig.user(), try await rig.agent())
    try await rig.register("abcd", by: ann)
    let number = try await rig.request(by: ann)
    try await rig.reload(["integration": "airship"])
    try await rig.comment("one", on: number, by: ben)
    #expect(rig.provider.deliveries.isEmpty)
    #expect(try await rig.support.devices(of: ann.number).map(\.isStale) == [true])
    #expect(try await rig.support.apps().map(\.staleDevices) == [1])
    try await rig.register("Chan-1", tokenType: "urban_airship_channel_id", by: ann)
    try await rig.register("Chan-2", type: "android", tokenType: "urban_airship_channel_id", by: ann)
    try await rig.comment("two", on: number, by: ben)
    let push = try #require(rig.provider.deliveries.first?.message)
    #expect(push.target.type == "airship" && push.target.deviceID == "ios_channel:Chan-1,android_channel:Chan-2")
    #expect(push.display?.title == "Ben replied" && push.display?.body == "two")
    #expect(String(decoding: push.content, as: UTF8.self) == #"{"zendesk_sdk_request_id":"1","tid":"1"}"#)
    try await rig.reload(["integration": "webhook"])
    try await rig.comment("three", on: number, by: ben)
    #expect(rig.devicesPosted.last == ["abcd"])
    let events = try rig.rig.events(.supportApp, as: SupportAppEvent.self)
    #expect(
      events == [.integrationChanged(.webhook), .integrationChanged(.airship), .integrationChanged(.webhook)])
    try await rig.stop()
  }

  @Test(
    "what waits for an integration that the app has no more ends, and holds nobody up", arguments: ["direct", "none"])
  func switchedMeanwhile(integration: String) async throws {
    let rig = try await SupportRig()
    let ann = try await rig.user()
    try await rig.register("abcd", by: ann)
    let number = try await rig.request(by: ann)
    rig.provider.answer(Self.isRetried)
    try await rig.comment("Yes?", on: number, by: try await rig.agent())
    try await rig.reload(["integration": integration])
    try await rig.advance(by: .seconds(7))
    #expect(rig.provider.deliveries.count == 1)
    #expect(try rig.rig.ends() == [.refused(reason: "the app has another integration now")])
    try await rig.stop()
  }

  @Test("8: bulk unregistering cleans, passes over what is unknown or repeated; nothing is posted then")
  func bulk() async throws {
    let rig = try await SupportRig()
    let ann = try await rig.user()
    try await rig.register("<AB cd>", by: ann)
    try await rig.register("and-1", type: "android", by: ann)
    let number = try await rig.request(by: ann)
    let answer = try await rig.support.unregister(identifiers: ["<ab CD>", "nobody", "abcd", "and-1", "and-1"])
    #expect(answer.removed == 2 && answer.unknown == 1)
    try await rig.comment("Yes?", on: number, by: try await rig.agent())
    #expect(rig.posted == [])
    let again = try await rig.support.unregister(identifiers: ["abcd"])
    #expect(again.removed == 0 && again.unknown == 1)
    try await rig.stop()
  }

  @Test("a device that is unregistered while its post waits for another attempt is left out of that")
  func unregisteredMeanwhile() async throws {
    let rig = try await SupportRig()
    let ann = try await rig.user()
    try await rig.register("abcd", by: ann)
    try await rig.register("and-1", type: "android", by: ann)
    let number = try await rig.request(by: ann)
    rig.provider.answer(Self.isRetried)
    try await rig.comment("Yes?", on: number, by: try await rig.agent())
    try await rig.support.unregisterDevice(identifier: "AB CD", by: ann)
    try await rig.advance(by: .seconds(7))
    #expect(rig.devicesPosted == [["abcd", "and-1"], ["and-1"]])
    try await rig.stop()
  }

  @Test("9: a URL that is rotated during a retry: the retry goes to the new one, with the same id")
  func rotation() async throws {
    let rig = try await SupportRig()
    let ann = try await rig.user()
    try await rig.register("abcd", by: ann)
    let number = try await rig.request(by: ann)
    rig.provider.answer(Self.isRetried)
    try await rig.comment("Yes?", on: number, by: try await rig.agent())
    let app = try await rig.support.setWebhook(
      of: "demo", base: nil, isRandom: true, overlap: .seconds(86_400), by: "olga")
    let fresh = try #require(app.webhookURL)
    #expect(fresh.hasPrefix(SupportRig.url + "/") && fresh.count == SupportRig.url.count + 23)
    #expect(app.previousURL == SupportRig.url && app.rotatedBy == "olga")
    #expect(app.maskedURL == "https://push.example.test/…\(fresh.suffix(4))")
    try await rig.advance(by: .seconds(7))
    #expect(rig.provider.deliveries.map(\.message.target.deviceID) == [SupportRig.url, fresh])
    #expect(Set(rig.provider.deliveries.map(\.id)).count == 1)
    let again = try await rig.restarted(after: .seconds(100_000))
    #expect(try await again.support.apps().map(\.webhookURL) == [fresh])
    #expect(try await again.support.apps().map(\.previousURL) == [nil])
    try await again.stop()
  }

  @Test("10: a token that somebody else registers is theirs alone")
  func moved() async throws {
    let rig = try await SupportRig()
    let (ann, bob, ben) = (try await rig.user(), try await rig.user("guid-bob"), try await rig.agent())
    try await rig.register("abcd", by: ann)
    let number = try await rig.request(by: ann)
    try await rig.register("ABCD", by: bob)
    #expect(try await rig.liveDevices(of: ann) == [])
    #expect(try await rig.liveDevices(of: bob) == ["abcd"])
    #expect(try await rig.support.devices(of: ann.number).map(\.device.ending?.reason) == [.moved])
    try await rig.comment("Yes?", on: number, by: ben)
    #expect(rig.posted == [])
    let again = try await rig.restarted()
    #expect(try await again.liveDevices(of: bob) == ["abcd"])
    try await again.stop()
  }

  @Test("in the mode direct each device gets a push of its own, with both keys")
  func direct() async throws {
    let rig = try await SupportRig(options: ["integration": "direct"])
    let ann = try await rig.user()
    try await rig.register("abcd", by: ann)
    try await rig.register("and-1", type: "android", by: ann)
    let number = try await rig.request(by: ann)
    try await rig.comment("Yes?", on: number, by: try await rig.agent())
    let pushes = rig.provider.deliveries.map(\.message).sorted { $0.target.type > $1.target.type }
    #expect(pushes.map(\.target.type) == ["ios", "fcm"] && pushes.map(\.target.deviceID) == ["abcd", "and-1"])
    #expect(
      pushes.map { String(decoding: $0.content, as: UTF8.self) } == [
        #"{"zendesk_sdk_request_id":"1","tid":"1"}"#,
        #"{"zendesk_sdk_request_id":"1","tid":"1","title":"Ben replied","body":"Yes?"}"#,
      ])
    #expect(pushes.map(\.display?.threadID) == ["ticket-1", nil])
    try await rig.stop()
  }

  @Test("what waits for a device is withdrawn when that is unregistered")
  func withdrawn() async throws {
    let rig = try await SupportRig(options: ["integration": "direct"])
    let ann = try await rig.user()
    try await rig.register("abcd", by: ann)
    let number = try await rig.request(by: ann)
    rig.provider.answer(Self.isRetried)
    try await rig.comment("Yes?", on: number, by: try await rig.agent())
    try await rig.support.unregisterDevice(identifier: "abcd", by: ann)
    try await rig.settle()
    try await rig.advance(by: .seconds(600))
    #expect(rig.provider.deliveries.count == 1)
    #expect(try rig.rig.ends() == [.refused(reason: "the device was unregistered")])
    try await rig.stop()
  }

  @Test("a provider's word ends a device, unless that was registered later", arguments: [false, true])
  func gone(registeredAgain: Bool) async throws {
    let rig = try await SupportRig(options: ["integration": "direct"])
    let ann = try await rig.user()
    try await rig.register("abcd", by: ann)
    let number = try await rig.request(by: ann)
    let since = rig.now
    try await rig.advance(by: .seconds(5))
    if registeredAgain { try await rig.register("abcd", by: ann) }
    rig.provider.answer(
      .unregistered(reason: "410 Unregistered", since: registeredAgain ? since : rig.now))
    try await rig.comment("Yes?", on: number, by: try await rig.agent())
    // 12: the later registration survives.
    #expect(try await rig.liveDevices(of: ann) == (registeredAgain ? ["abcd"] : []))
    if !registeredAgain {
      #expect(try await rig.support.devices(of: ann.number).map(\.device.ending?.reason) == [.provider])
      try await rig.register("abcd", by: ann)
      try await rig.comment("Again", on: number, by: try await rig.agent())
      #expect(rig.provider.deliveries.count == 2)
    }
    try await rig.stop()
  }

  @Test("the language of a device chooses its texts; devices of different texts are told apart")
  func languages() async throws {
    let rig = try await SupportRig(options: [
      "notification_title.de": "{{agent}} antwortet",
      "notification_body.de": "Zu {{subject}} ({{ticket_id}}): {{comment}}",
    ])
    let ann = try await rig.user()
    try await rig.register("aa", locale: "de_CH", by: ann)
    try await rig.register("bb", locale: "de", by: ann)
    try await rig.register("cc", locale: "fr-fr", by: ann)
    let number = try await rig.request(by: ann)
    try await rig.comment("{{agent}}", on: number, by: try await rig.agent())
    #expect(rig.devicesPosted == [["aa", "bb"], ["cc"]])
    #expect(rig.posted[0].contains(#""body":"Zu Help (1): {{agent}}","title":"Ben antwortet""#))
    #expect(rig.posted[1].contains(#""body":"{{agent}}","title":"Ben replied""#))
    try await rig.stop()
  }

  @Test("a long comment is cut on a character's boundary")
  func cut() async throws {
    let rig = try await SupportRig()
    let ann = try await rig.user()
    try await rig.register("aa", by: ann)
    let number = try await rig.request(by: ann)
    let family = "👨‍👩‍👧‍👦"
    try await rig.comment(String(repeating: family, count: 1_001), on: number, by: try await rig.agent())
    #expect(rig.posted[0].contains("\"" + String(repeating: family, count: 999) + "…\""))
    try await rig.stop()
  }

  @Test("comments come in order, each once, also those that wait for the one before")
  func order() async throws {
    let rig = try await SupportRig()
    let (ann, ben) = (try await rig.user(), try await rig.agent())
    try await rig.register("aa", by: ann)
    let number = try await rig.request(by: ann)
    rig.provider.answer(Self.isRetried)
    for text in ["one", "two", "three"] { try await rig.comment(text, on: number, by: ben) }
    #expect(rig.provider.deliveries.count == 1)
    try await rig.advance(by: .seconds(7))
    let bodies = rig.posted.map { text in ["one", "two", "three"].first { text.contains("\"body\":\"\($0)\"") } }
    #expect(bodies == ["one", "one", "two", "three"])
    try await rig.stop()
  }

  @Test("events go to the helpdesk that follows, in order, whatever they are, apart from the devices' notifications")
  func helpdesk() async throws {
    let rig = try await SupportRig(
      sections: ["support": ["events_url": "https://desk.example.test/in", "events_secret": "x"]])
    let (ann, ben) = (try await rig.user(), try await rig.agent())
    let number = try await rig.request(by: ann)
    try await rig.comment("Between us", on: number, by: ben, isPublic: false)
    var update = SupportUpdate()
    update.status = .solved
    _ = try await rig.support.update(number, update, by: ben)
    try await rig.settle()
    let types = rig.posted.map { text in
      ["created", "commented", "updated"].first { text.hasPrefix(#"{"type":"support.request.\#($0)","#) }
    }
    #expect(types == ["created", "commented", "updated"])
    #expect(rig.provider.deliveries.allSatisfy { $0.message.target.deviceID == "https://desk.example.test/in" })
    #expect(rig.provider.deliveries.allSatisfy { $0.options["webhooks.secret"] == "x" })
    try await rig.stop()
  }
}
