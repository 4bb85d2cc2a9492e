import EventSourcing
import GCMProtocol
import PushDomain
import Testing

@testable import Engine
@testable import EngineRigs
@testable import MessagingEngine

@Suite("A message to many")
struct ManyTargetsTests {
  @Test("tokens are answered in the order of the request, each for itself")
  func tokens() async throws {
    let rig = try await MessagingRig()
    let devices = [try await rig.device(), try await rig.device(senders: ["9"]), try await rig.device()]
    let request = DownstreamRequest(
      target: .tokens([devices[0].token, "nonsense", devices[1].token, devices[2].token]))
    guard case .targets(let results) = try await rig.messaging.send(request, sender: MessagingRig.sender) else {
      throw RigFailure(text: "no results")
    }
    #expect(results[1] == .failed(.invalidRegistration) && results[2] == .failed(.mismatchSenderID))
    for (place, device) in [(0, devices[0]), (3, devices[2])] {
      guard case .accepted(let id, nil) = results[place] else { throw RigFailure(text: "refused") }
      #expect(try await rig.connect(device).ids == [id])
    }
    try await rig.stop()
  }

  @Test("a topic reaches its subscribers, once each, and says which topic it came by; also after a restart")
  func topic() async throws {
    let first = try await MessagingRig()
    let subscriber = try await first.device()
    let other = try await first.device()
    for _ in 1...2 {
      try await first.installations.subscribe(subscriber.token, to: "news", on: true, subscriber.credentials)
    }
    _ = try await first.installations.setTopic("weather", of: other.token, sender: MessagingRig.sender, on: true)
    let rig = try await first.restarted()
    guard
      case .topic(.success(let number)) = try await rig.messaging.send(
        DownstreamRequest(target: .topic("news")), sender: MessagingRig.sender)
    else { throw RigFailure(text: "refused") }
    try await rig.settle()
    let mails = try await rig.connect(subscriber).mails
    #expect(mails.map(\.origin) == ["/topics/news"])
    #expect(mails.first?.id.hasSuffix(String(number, radix: 16)) == true)
    #expect(try await rig.connect(other).ids.isEmpty)
    // Another sender's topic of the same name is another topic.
    _ = try await rig.messaging.send(DownstreamRequest(target: .topic("news")), sender: "9")
    try await rig.settle()
    #expect(await rig.pending(subscriber).count == 1)
    try await rig.installations.subscribe(subscriber.token, to: "news", on: false, subscriber.credentials)
    _ = try await rig.messaging.send(DownstreamRequest(target: .topic("news")), sender: MessagingRig.sender)
    try await rig.settle()
    #expect(await rig.pending(subscriber).count == 1)
    try await rig.stop()
  }

  @Test(
    "a condition reaches whoever it holds for, once each, those without any topic too",
    arguments: [
      ("'a' in topics", [0, 2]), ("'a' in topics || 'b' in topics", [0, 1, 2]), ("'a' in topics && 'b' in topics", [2]),
      ("'a' in topics && !('b' in topics)", [0]), ("!('a' in topics)", [1, 3]), ("'c' in topics", []),
    ])
  func condition(text: String, expected: [Int]) async throws {
    let rig = try await MessagingRig()
    var devices: [TestDevice] = []
    for topics in [["a"], ["b"], ["a", "b"], []] {
      let device = try await rig.device()
      for topic in topics {
        _ = try await rig.installations.setTopic(topic, of: device.token, sender: MessagingRig.sender, on: true)
      }
      devices.append(device)
    }
    let condition = try TopicCondition(parsing: text)
    #expect(try TopicCondition(parsing: condition.text) == condition)
    _ = try await rig.messaging.send(
      DownstreamRequest(target: .condition(condition)), sender: MessagingRig.sender)
    try await rig.settle()
    var reached: [Int] = []
    for (place, device) in devices.enumerated() where await rig.pending(device).count == 1 { reached.append(place) }
    #expect(reached == expected)
    try await rig.stop()
  }

  @Test("a broadcast that a stop interrupts goes on with the next process, and nobody gets it twice")
  func interrupted() async throws {
    let first = try await MessagingRig { $0.limits.broadcastChunk = 1 }
    var devices: [TestDevice] = []
    for _ in 1...5 {
      let device = try await first.device()
      _ = try await first.installations.setTopic("t", of: device.token, sender: MessagingRig.sender, on: true)
      devices.append(device)
    }
    _ = try await first.messaging.send(DownstreamRequest(target: .topic("t")), sender: MessagingRig.sender)
    let rig = try await first.restarted()
    for _ in 1...3 { try await rig.settle() }
    for device in devices { #expect(await rig.pending(device).count == 1) }
    try await rig.stop()
  }

  @Test("a device group is one target; it says who did not get the message, and is unknown to other senders")
  func group() async throws {
    let first = try await MessagingRig()
    let devices = [try await first.device(), try await first.device(), try await first.device()]
    let key = try await first.messaging.createGroup(
      "anna", tokens: devices.prefix(2).map(\.token), sender: MessagingRig.sender)
    await #expect(throws: GroupFailure.exists) {
      try await first.messaging.createGroup("anna", tokens: [devices[0].token], sender: MessagingRig.sender)
    }
    let rig = try await first.restarted()
    #expect(try await rig.messaging.groupKey(of: "anna", sender: MessagingRig.sender) == key)
    #expect(
      try await rig.messaging.changeGroup(
        key, name: "anna", add: [devices[2].token], remove: [devices[0].token], sender: MessagingRig.sender) == key)
    try await rig.installations.unregister(app: MessagingRig.app, subtype: nil, senders: [], devices[1].credentials)
    let answer = try await rig.messaging.send(
      DownstreamRequest(target: .recipient(key)), sender: MessagingRig.sender)
    #expect(answer == .group(success: 1, failed: [devices[1].token]))
    #expect(await rig.pending(devices[2]).count == 1)
    #expect(try await rig.result(to: key, sender: "9") == .failed(.mismatchSenderID))
    for (name, failure) in [("bob", GroupFailure.nameMismatch)] {
      await #expect(throws: failure) {
        try await rig.messaging.changeGroup(
          key, name: name, add: [], remove: [devices[2].token], sender: MessagingRig.sender)
      }
    }
    try await rig.stop()
  }
}

@Suite("A registration of an APNs token")
struct RelayTests {
  @Test("is pushed to through the queue of its address, as a topic's subscriber too, and can end there")
  func relayed() async throws {
    let rig = try await MessagingRig(sections: ["push": ["pushEnabled": "comet,ios"]])
    func importing() async throws -> String {
      try await rig.installations.importAPNs(
        token: String(repeating: "0a", count: 32), application: "org.example.app", isSandbox: true,
        sender: MessagingRig.sender)
    }
    let token = try await importing()
    #expect(try await importing() == token)
    try await rig.send(to: token) { request in
      request.notification = [MailPair("title", "Hi"), MailPair("badge", "3")]
      request.data = [MailPair("k", "v")]
      request.contentAvailable = true
      request.mutableContent = true
    }
    _ = try await rig.installations.setTopic("news", of: token, sender: MessagingRig.sender, on: true)
    _ = try await rig.messaging.send(DownstreamRequest(target: .topic("news")), sender: MessagingRig.sender)
    try await rig.settle()
    let messages = rig.rig.provider.deliveries.map(\.message)
    try #require(messages.count == 2)
    #expect(messages[0].display?.title == "Hi" && messages[0].display?.badge == 3 && messages[0].priority == .high)
    #expect(String(decoding: messages[0].content, as: UTF8.self) == #"{"k":"v"}"# && messages[0].form == .members)
    #expect(messages[0].target.debug && messages[0].collapseKey == nil)
    #expect(messages[0].display?.isContentAvailable == true && messages[0].display?.isMutableContent == true)
    #expect(messages[1].display?.isContentAvailable == true && messages[1].priority == .normal)
    rig.rig.provider.answer { _ in .unregistered(reason: "410", since: nil, isSuspect: false) }
    try await rig.send(to: token)
    #expect(try await rig.result(to: token) == .failed(.notRegistered))
    try await rig.stop()
  }

  @Test("is pushed to once, however often one message comes for it, for as long as its id is remembered")
  func once() async throws {
    let rig = try await MessagingRig(sections: ["push": ["pushEnabled": "comet,ios"]])
    let address = PushAddress(type: "ios", deviceID: String(repeating: "0d", count: 32))
    let mail = Mail(
      id: "0:1%2", scope: "77/1", origin: MessagingRig.sender, category: MessagingRig.app,
      sender: MessagingRig.sender, acceptedAt: DeviceRig.start, timeToLive: 86_400)
    for count in [1, 1, 2] {
      #expect(await rig.messaging.relay.push(mail, to: address) == nil)
      try await rig.settle()
      #expect(rig.rig.provider.deliveries.count == count)
      try await rig.advance(by: .milliseconds(RecentIDs.retention.wholeMilliseconds / 2))
    }
    try await rig.stop()
  }

  @Test("texts of the app and their arguments are named as Apple names them; a key is the sender's or none")
  func localized() async throws {
    let rig = try await MessagingRig(sections: ["push": ["pushEnabled": "comet,ios"]])
    let token = try await rig.appleToken()
    try await rig.send(to: token) { request in
      request.collapseKey = "score"
      request.notification = [
        MailPair("body_loc_key", "BK"), MailPair("body_loc_args", #"["a",2]"#), MailPair("title_loc_key", "TK"),
        MailPair("title_loc_args", "b"), MailPair("body", "B"),
      ]
    }
    let message = try #require(rig.rig.provider.deliveries.first?.message)
    #expect(message.collapseKey == "score" && message.display?.body == "B")
    #expect(
      message.display?.aps
        == #"{"alert":{"loc-key":"BK","loc-args":["a","2"],"title-loc-key":"TK","title-loc-args":["b"]}}"#)
    #expect(try await rig.result(to: token) { $0.data = [MailPair("aps", "x")] } == .failed(.invalidDataKey))
    try await rig.stop()
  }

  @Test(
    "of a message with a block for each platform Apple's devices get Apple's, and the others theirs",
    arguments: [false, true])
  func platforms(isTopic: Bool) async throws {
    let rig = try await MessagingRig(sections: ["push": ["pushEnabled": "comet,ios"]])
    let apple = try await rig.appleToken()
    let device = try await rig.device()
    for token in [apple, device.token] {
      _ = try await rig.installations.setTopic("news", of: token, sender: MessagingRig.sender, on: true)
    }
    for target in isTopic ? [#""topic":"news""#] : [apple, device.token].map({ #""token":"\#($0)""# }) {
      let json = """
        {"message":{\(target),"data":{"a":"1"},"android":{"collapse_key":"k","ttl":"60s"},\
        "apns":{"headers":{"apns-expiration":"0","apns-priority":"10"},\
        "payload":{"aps":{"alert":{"title":"T"},"badge":5},"n":18446744073709551616,"a":"2"}}}}
        """
      _ = try await rig.messaging.send(
        DownstreamRequest(v1: Array(json.utf8), now: DeviceRig.start), sender: MessagingRig.sender)
    }
    try await rig.settle()
    // Apple's is now or never, the device's is not: it is not there yet.
    let mail = try #require(try await rig.connect(device).mails.first)
    #expect(mail.collapseKey == "k" && mail.timeToLive == 60 && mail.pairs == [MailPair("a", "1")])
    let pushes = rig.rig.provider.deliveries.map(\.message)
    try #require(pushes.count == 1)
    #expect(pushes[0].isNowOrNever && pushes[0].priority == .high && pushes[0].collapseKey == nil)
    #expect(String(decoding: pushes[0].content, as: UTF8.self) == #"{"a":"2","n":18446744073709551616}"#)
    #expect(pushes[0].display?.aps == #"{"alert":{"title":"T"},"badge":5}"#)
    #expect(pushes[0].display?.isContentAvailable == false)
    try await rig.stop()
  }

  @Test("without APNs credentials says so")
  func noCredentials() async throws {
    let rig = try await MessagingRig()
    let token = try await rig.installations.importAPNs(
      token: String(repeating: "0b", count: 32), application: "a", isSandbox: false, sender: MessagingRig.sender)
    #expect(try await rig.result(to: token) == .failed(.invalidAPNsCredential))
    try await rig.stop()
  }
}

@Suite("A device's message for an app server")
struct UpstreamTests {
  @Test("waits for a connection of its sender, and until that has acknowledged it")
  func stored() async throws {
    let first = try await MessagingRig()
    let device = try await first.device()
    let message = UpstreamMessage(
      id: "1", category: MessagingRig.app, pairs: [MailPair("hello", "server")], timeToLive: 60)
    for _ in 1...2 {
      #expect(
        await first.engine.messaging.send(
          message, to: "\(MessagingRig.sender)@gcm.googleapis.com", from: device.id) == .accepted)
    }
    let rig = try await first.restarted()
    let link = TestLink()
    try await rig.engine.appServers.attach(link, sender: MessagingRig.sender)
    try await rig.settle()
    #expect(link.ids == ["1"] && link.mails.first?.origin == device.token)
    // The connection breaks before its acknowledgement: another one gets it.
    rig.engine.appServers.detach(link, sender: MessagingRig.sender)
    let next = TestLink()
    try await rig.engine.appServers.attach(next, sender: MessagingRig.sender)
    try await rig.settle()
    #expect(next.ids == ["1"])
    // An acknowledgement counts within its connection only.
    rig.engine.appServers.acknowledge("1", sender: MessagingRig.sender, link: link)
    rig.engine.appServers.acknowledge("1", sender: MessagingRig.sender, link: next)
    try await rig.settle()
    let last = TestLink()
    try await rig.engine.appServers.attach(last, sender: MessagingRig.sender)
    try await rig.settle()
    #expect(last.ids.isEmpty)
    try await rig.stop()
  }

  @Test("follows one of the same id that ran out of time in an app server's hands, once that is acknowledged")
  func outlivedTwin() async throws {
    let rig = try await MessagingRig()
    let device = try await rig.device()
    let link = TestLink()
    try await rig.engine.appServers.attach(link, sender: MessagingRig.sender)
    let message = UpstreamMessage(id: "1", category: MessagingRig.app, pairs: [], timeToLive: 60)
    for round in 1...3 {
      #expect(await rig.engine.messaging.send(message, to: MessagingRig.sender, from: device.id) == .accepted)
      try await rig.settle()
      if round < 3 { try await rig.advance(by: .seconds(61)) }
    }
    // The second has a name of its own and ran out of time, too; the third waits for that name.
    #expect(link.ids.count == 2 && link.deliveries == 2)
    rig.engine.appServers.acknowledge(link.ids[1], sender: MessagingRig.sender, link: link)
    try await rig.settle()
    #expect(link.deliveries == 3)
    try await rig.stop()
  }

  @Test("is accepted and given to nobody if it comes again behind its acknowledgement, after a restart too")
  func repeated() async throws {
    let first = try await MessagingRig()
    let device = try await first.device()
    let message = UpstreamMessage(id: "1", category: MessagingRig.app, pairs: [], timeToLive: 3_600)
    func send(_ rig: MessagingRig) async throws {
      #expect(await rig.engine.messaging.send(message, to: MessagingRig.sender, from: device.id) == .accepted)
      try await rig.settle()
    }
    let link = TestLink()
    try await first.engine.appServers.attach(link, sender: MessagingRig.sender)
    try await send(first)
    #expect(link.ids == ["1"])
    first.engine.appServers.acknowledge("1", sender: MessagingRig.sender, link: link)
    try await first.settle()
    let rig = try await first.restarted()
    let next = TestLink()
    try await rig.engine.appServers.attach(next, sender: MessagingRig.sender)
    try await send(rig)
    #expect(next.deliveries == 0)
    try await rig.advance(by: RecentIDs.retention)
    try await send(rig)
    #expect(next.ids == ["1"])
    try await rig.stop()
  }

  @Test("goes to one connection, to none beyond its bound of unacknowledged ones, and on as they are acknowledged")
  func flowControl() async throws {
    let rig = try await MessagingRig { $0.limits.appServerPendingMaximum = 2 }
    let device = try await rig.device()
    let links = [TestLink(), TestLink()]
    for link in links { try await rig.engine.appServers.attach(link, sender: MessagingRig.sender) }
    for number in 1...5 {
      let message = UpstreamMessage(id: "\(number)", category: MessagingRig.app, pairs: [], timeToLive: 60)
      #expect(await rig.engine.messaging.send(message, to: MessagingRig.sender, from: device.id) == .accepted)
    }
    try await rig.settle()
    #expect(links.map(\.ids.count) == [2, 2])
    let first = try #require(links[0].ids.first)
    rig.engine.appServers.acknowledge(first, sender: MessagingRig.sender, link: links[0])
    try await rig.settle()
    #expect(links[0].ids.last == "5" && Set(links.flatMap(\.ids)).count == 5)
    try await rig.stop()
  }

  @Test(
    "is refused with a reason if it can never be taken",
    arguments: [
      (
        UpstreamMessage(id: "", category: MessagingRig.app, pairs: [], timeToLive: 1), "1234567890",
        "INVALID_MESSAGE_ID"
      ),
      (UpstreamMessage(id: "1", category: "other", pairs: [], timeToLive: 1), "1234567890", "SENDER_ID_MISMATCH"),
      (UpstreamMessage(id: "1", category: MessagingRig.app, pairs: [], timeToLive: 1), "9", "SENDER_ID_MISMATCH"),
      (
        UpstreamMessage(
          id: "1", category: MessagingRig.app, pairs: [MailPair("k", String(repeating: "x", count: 5_000))],
          timeToLive: 1), "1234567890", "MESSAGE_TOO_BIG"
      ),
    ])
  func refused(message: UpstreamMessage, recipient: String, reason: String) async throws {
    let rig = try await MessagingRig()
    let device = try await rig.device()
    #expect(
      await rig.engine.messaging.send(message, to: recipient, from: device.id) == .refused(reason: reason))
    try await rig.stop()
  }

  @Test("for its group reaches the other members, and nobody who is no member may send it")
  func toGroup() async throws {
    let rig = try await MessagingRig()
    let devices = [try await rig.device(), try await rig.device(), try await rig.device()]
    let key = try await rig.messaging.createGroup(
      "anna", tokens: devices.prefix(2).map(\.token), sender: MessagingRig.sender)
    let message = UpstreamMessage(
      id: "1", category: MessagingRig.app, pairs: [MailPair("dismissed", "7")], timeToLive: 60)
    #expect(await rig.engine.messaging.send(message, to: key, from: devices[0].id) == .accepted)
    #expect(
      await rig.engine.messaging.send(message, to: key, from: devices[2].id)
        == .refused(reason: "SENDER_ID_MISMATCH"))
    try await rig.settle()
    #expect(await rig.pending(devices[0]).isEmpty)
    #expect(try await rig.connect(devices[1]).mails.map(\.pairs) == [[MailPair("dismissed", "7")]])
    try await rig.stop()
  }

  @Test("a receipt tells the sender, under its own id, that the device has confirmed")
  func receipt() async throws {
    let rig = try await MessagingRig()
    let device = try await rig.device()
    try await rig.connect(device)
    let id = try await rig.send(to: device.token) { request in
      request.messageID = "m-7"
      request.wantsReceipt = true
    }
    let link = TestLink()
    try await rig.engine.appServers.attach(link, sender: MessagingRig.sender)
    try await rig.acknowledge([id], by: device)
    let mail = try #require(link.mails.first)
    #expect(mail.id == "dr2:m-7" && mail.receiptFor == "m-7" && mail.origin == device.token)
    try await rig.stop()
  }

  @Test("the tap shows a message's life, and nothing of what it says")
  func tap() async throws {
    let rig = try await MessagingRig()
    let device = try await rig.device()
    var steps = try #require(rig.messaging.tap.follow(MessageTapFilter(sender: MessagingRig.sender)))
      .makeAsyncIterator()
    try await rig.send(to: device.token) { $0.collapseKey = "k" }
    let id = try await rig.send(to: device.token) { $0.collapseKey = "k" }
    let link = try await rig.connect(device)
    try await rig.acknowledge(link.ids, by: device)
    _ = try await rig.result(to: device.token, sender: "9")
    _ = try await rig.result(to: "x")
    var kinds: [MessageStep.Kind] = []
    for _ in 1...8 {
      guard let step = await steps.next() else { break }
      kinds.append(step.kind)
      if step.kind == .sent { #expect(step.messageID == id && step.collapseKey == "k") }
    }
    #expect(kinds == [.accepted, .stored, .accepted, .collapsed, .stored, .sent, .acknowledged, .refused])
    try await rig.stop()
  }
}
