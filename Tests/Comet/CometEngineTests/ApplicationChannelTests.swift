import Bayeux
import CometEngine
import EngineKit
import JSONEnvelope
import ScriptedClients
import Synchronization
import Testing

@testable import Engine
@testable import EngineRigs

@Suite("Application channels", .timeLimit(.minutes(2)))
struct ApplicationChannelTests {
  private static let sections: [String: [String: String]] = [
    "channels.news": ["patterns": "/news/**", "subscribe": "anyone", "publish": "gms_user"],
    "channels.room": ["patterns": "/room/*,/service/echo", "subscribe": "gms_user", "publish": "gms_user"],
    "channels.slow": ["patterns": "/slow/*", "subscribe": "anyone", "publish": "anyone", "lazy": "true"],
  ]

  private func run(
    _ sections: [String: [String: String]] = sections, configure: (inout EngineConfiguration) -> Void = { _ in },
    _ body: (EngineRig) async throws -> Void
  ) async throws {
    let rig = try await EngineRig(
      directory: try EngineRig.temporaryDirectory(), sections: sections, configure: configure)
    try await body(rig)
    await rig.stop()
  }

  /// A client that has connected once and is subscribed.
  private func client(_ rig: EngineRig, _ user: String?, _ subscriptions: String...) async throws -> ScriptedClient {
    let client = ScriptedClient(rig, user: user)
    try await client.handshake()
    for name in subscriptions {
      #expect(try await client.subscribe(name)["successful"] == true, "\(name)")
    }
    _ = try await client.connect()
    return client
  }

  @Test("what one publishes everybody gets who is subscribed, once, and the publisher with its answer")
  func fanOut() async throws {
    try await run { rig in
      let readers = [
        try await client(rig, nil, "/news/sport"), try await client(rig, "bob", "/news/*", "/news/**", "/news/sport"),
      ]
      let ann = try await client(rig, "ann", "/news/**")
      let other = try await client(rig, "eve", "/news/weather")
      let held = try [readers[0].poll(), readers[1].poll()]
      let own = try ann.poll()
      let answer = try await ann.ask(
        #"[{"channel":"/news/sport","clientId":"$ID","id":"7","data":{"n":1},"ext":{"gms_user":"ann","x":1}}]"#)
      let event: JSONValue = ["channel": "/news/sport", "data": ["n": 1], "ext": ["x": 1]]
      #expect(answer == [event, ["id": "7", "channel": "/news/sport", "successful": true]])
      for poll in held {
        let replies = try await poll.reply()
        #expect(replies.map { $0["channel"]?.string } == ["/news/sport", "/meta/connect"])
        #expect(replies.first == event)
      }
      #expect(!own.isAnswered)
      #expect(try await other.connect(advice: #"{"timeout":0}"#).count == 1)
    }
  }

  @Test("what a publisher sends arrives in its order")
  func order() async throws {
    try await run { rig in
      let reader = try await client(rig, "bob", "/news/**")
      let ann = try await client(rig, "ann")
      for batch in 0..<10 {
        let messages = (0..<10).map { #"{"channel":"/news/a","clientId":"$ID","data":\#(batch * 10 + $0)}"# }
        #expect(try await ann.ask("[" + messages.joined(separator: ",") + "]").count == 10)
      }
      var got: [Int] = []
      while got.count < 100 { got += try await reader.connect().compactMap { $0["data"]?.integer } }
      #expect(got == Array(0..<100))
    }
  }

  @Test("a batch is worked through in its order: who subscribes behind a publish does not get it")
  func batch() async throws {
    try await run { rig in
      let ann = try await client(rig, "ann")
      let publish = #"{"channel":"/news/a","clientId":"$ID","data":1}"#
      let subscribe = #"{"channel":"/meta/subscribe","clientId":"$ID","subscription":"/news/a"}"#
      let unsubscribe = #"{"channel":"/meta/unsubscribe","clientId":"$ID","subscription":"/news/a"}"#
      let channels = try await ann.ask("[\(publish),\(subscribe),\(publish),\(unsubscribe),\(publish)]")
        .map { $0["data"] == nil ? $0["channel"]?.string : "event" }
      #expect(
        channels == ["event", "/news/a", "/meta/subscribe", "/news/a", "/meta/unsubscribe", "/news/a"])
    }
  }

  @Test(
    "who may not is told so",
    arguments: [
      (nil, "/meta/subscribe", #""subscription":"/room/1""#, "403::subscribe_denied"),
      (nil, "/meta/subscribe", #""subscription":"/**/x""#, "403::subscription_invalid"),
      ("ann", "/meta/subscribe", #""subscription":["/news/a","/meta/connect"]"#, "403::subscribe_denied"),
      ("ann", "/meta/unsubscribe", #""subscription":"/news/nobody""#, "400::channel_missing"),
      (nil, "/news/a", #""data":1"#, "403::publish_denied"),
      ("ann", "/_genesys", #""data":1"#, "403::publish_denied"),
      ("ann", "/news/*", #""data":1"#, "405::channel_invalid"),
      ("ann", "/news/a", #""data":"\#(String(repeating: "x", count: 300))""#, "413:256:message_too_large"),
    ] as [(String?, String, String, String)])
  func refused(user: String?, channel: String, member: String, error: String) async throws {
    try await run(configure: { $0.channelLimits.messageBytesMaximum = 256 }) { rig in
      let client = try await client(rig, user)
      let reply = try await client.ask(#"[{"channel":"\#(channel)","clientId":"$ID",\#(member)}]"#)
      #expect(reply.count == 1)
      #expect(reply[0]["successful"] == false)
      #expect(reply[0]["error"]?.string == error)
    }
  }

  @Test("without a rule nothing is open")
  func closed() async throws {
    try await run([:]) { rig in
      let client = try await client(rig, "ann", "/**")
      #expect(try await client.subscribe("/news/a")["error"]?.string == "403::subscribe_denied")
      let reply = try await client.ask(#"[{"channel":"/news/a","clientId":"$ID","data":1}]"#)
      #expect(reply.first?["error"]?.string == "403::publish_denied")
      #expect(rig.engine.comet.channels.all.isEmpty)
    }
  }

  @Test("a session has so many subscriptions, and those before the one too many stand")
  func subscriptionLimit() async throws {
    try await run(configure: { $0.channelLimits.subscriptionsBySessionMaximum = 2 }) { rig in
      let client = try await client(rig, "ann")
      let reply = try await client.ask(
        #"[{"channel":"/meta/subscribe","clientId":"$ID","subscription":["/news/a","/news/b","/news/c"]}]"#)
      #expect(reply.first?["error"]?.string == "403:2:subscription_limit")
      #expect(Set(rig.engine.comet.channels.all.map(\.name)) == ["/news/a", "/news/b"])
    }
  }

  @Test("a handler may alter, refuse or answer; on a service channel the answer is the sender's alone")
  func handlers() async throws {
    try await run { rig in
      let channels = rig.engine.comet.channels
      channels.handle("/service/echo") { .answered([$0.data, Array("2".utf8)]) }
      channels.handle("/news/**") { $0.data == Array("13".utf8) ? .refused : .passes }
      channels.handle("/news/a") { _ in .replaced(Array(#""seen""#.utf8)) }
      let bob = try await client(rig, "bob", "/news/a", "/service/echo")
      let ann = try await client(rig, "ann")
      let echo = try await ann.ask(#"[{"channel":"/service/echo","clientId":"$ID","id":"1","data":"hi"}]"#)
      #expect(echo.map { $0["data"] } == ["hi", 2, nil])
      #expect(echo.last == ["id": "1", "channel": "/service/echo", "successful": true])
      let refused = try await ann.ask(#"[{"channel":"/news/a","clientId":"$ID","data":13}]"#)
      #expect(refused.first?["error"]?.string == "404::message_deleted")
      _ = try await ann.ask(#"[{"channel":"/news/a","clientId":"$ID","data":1}]"#)
      #expect(try await bob.connect().map { $0["data"] } == ["seen", nil])
      #expect(channels.all.map(\.name) == ["/news/a"])
    }
  }

  @Test("lazy messages wake no connect, and leave when they have waited long enough")
  func lazy() async throws {
    try await run(configure: { $0.channelLimits.lazyMilliseconds = 200 }) { rig in
      let bob = try await client(rig, "bob", "/slow/a")
      let ann = try await client(rig, "ann")
      let poll = try bob.poll()
      _ = try await ann.ask(
        #"[{"channel":"/slow/a","clientId":"$ID","data":1},{"channel":"/slow/a","clientId":"$ID","data":2}]"#)
      #expect(try await poll.reply().map { $0["data"]?.integer } == [1, 2, nil])
    }
  }

  @Test("back ends publish, and are told who gets it and who comes and goes")
  func backEnds() async throws {
    try await run { rig in
      let channels = rig.engine.comet.channels
      let news = try #require(channels.follow("/news/**"))
      let bob = try await client(rig, "bob", "/news/a")
      #expect(channels.audience(of: "/news/a")?.map(\.userKey) == ["bob"])
      #expect(channels.audience(of: "/news/b")?.isEmpty == true)
      #expect(channels.audience(of: "/other") == nil)
      #expect(try channels.publish(Array("1".utf8), on: "/news/a") == 1)
      #expect(throws: ApplicationChannels.Refusal.notOpen) { try channels.publish(Array("1".utf8), on: "/other") }
      #expect(throws: ApplicationChannels.Refusal.notOpen) { try channels.publish(Array("1".utf8), on: "/news/*") }
      #expect(throws: ApplicationChannels.Refusal.needsMember) {
        try channels.publish(Array("1".utf8), on: "/service/echo")
      }
      #expect(try await bob.connect().first?["data"] == 1)
      _ = try await bob.disconnect(position: 0)
      var seen: [ChannelNews.Kind] = []
      for await one in news {
        seen.append(one.kind)
        #expect(one.channel == "/news/a")
        #expect(one.party?.userKey == (one.kind == .message ? nil : "bob"))
        if one.kind == .left { break }
      }
      #expect(seen == [.joined, .message, .left])
      #expect(channels.audience(of: "/news/a")?.isEmpty == true)
    }
  }

  @Test("a back end answers the one session that has spoken on a service channel")
  func serviceAnswer() async throws {
    try await run { rig in
      let channels = rig.engine.comet.channels
      let news = try #require(channels.follow(nil))
      let ann = try await client(rig, "ann")
      _ = try await ann.ask(#"[{"channel":"/service/echo","clientId":"$ID","data":"ask"}]"#)
      let message = await news.first { $0.kind == .message }
      let speaker = try #require(message?.party).member
      #expect(try channels.publish(Array("2".utf8), on: "/service/echo", to: speaker) == 1)
      #expect(try await ann.connect().map { $0["data"]?.integer } == [2, nil])
      #expect(throws: ApplicationChannels.Refusal.unknownMember) {
        try channels.publish(Array("2".utf8), on: "/service/echo", to: ChannelMember(rawValue: 99))
      }
    }
  }

  @Test("a session that ends while its request is worked through is nobody's to answer")
  func endsMeanwhile() async throws {
    try await run { rig in
      let (comet, channels) = (rig.engine.comet, rig.engine.comet.channels)
      let speakers = Mutex<[ChannelMember]>([])
      channels.handle("/service/echo") { message in
        if let party = message.publisher { speakers.withLock { $0.append(party.member) } }
        await comet.dismiss(userKey: "ann")
        return .passes
      }
      let ann = try await client(rig, "ann")
      let publish = #"{"channel":"/service/echo","clientId":"$ID","data":1}"#
      #expect(try await ann.ask("[\(publish),\(publish)]").count == 2)
      // Entered for its first message, and behind its end for its second.
      let members = speakers.withLock { $0 }
      #expect(members.count == 2)
      for member in members {
        #expect(throws: ApplicationChannels.Refusal.unknownMember) {
          try channels.publish(Array("2".utf8), on: "/service/echo", to: member)
        }
      }
    }
  }

  @Test("subscriptions are there again after a restart, unless they are open no more")
  func restart() async throws {
    let directory = try EngineRig.temporaryDirectory()
    let before = try await EngineRig(directory: directory, sections: Self.sections)
    let clientID = try await client(before, "bob", "/news/a", "/room/1").clientID
    await before.stop()
    let rig = try await EngineRig(
      directory: directory, sections: Self.sections.filter { $0.key != "channels.room" })
    let channels = rig.engine.comet.channels
    #expect(channels.all.map(\.name) == ["/news/a"])
    #expect(try channels.publish(Array("1".utf8), on: "/news/a") == 1)
    let bob = ScriptedClient(rig, user: "bob", clientID: clientID)
    #expect(try await bob.connect().first?["data"] == 1)
    await rig.stop()
  }

  @Test("other rules count at once: what is closed ends, and what opens again is subscribed to again")
  func reload() async throws {
    try await run { rig in
      let channels = rig.engine.comet.channels
      let bob = try await client(rig, "bob", "/news/a")
      let options = rig.engine.options
      let former = options.current
      var closing = former
      closing.sections["channels.news"] = nil
      options.replace(closing)
      #expect(throws: ApplicationChannels.Refusal.notOpen) { try channels.publish(Array("1".utf8), on: "/news/a") }
      options.replace(former)
      while channels.audience(of: "/news/a")?.isEmpty != false { await Task.yield() }
      #expect(try channels.publish(Array("2".utf8), on: "/news/a") == 1)
      #expect(try await bob.connect().map { $0["data"]?.integer } == [2, nil])
    }
  }

  @Test("a session that reads nothing is dropped when its queue is full, and is there no more")
  func overflow() async throws {
    try await run(configure: { $0.sessionSettings.queueMessagesMaximum = 4 }) { rig in
      let channels = rig.engine.comet.channels
      let bob = try await client(rig, "bob", "/news/a")
      for number in 1...5 { try channels.publish(Array("\(number)".utf8), on: "/news/a") }
      while channels.audience(of: "/news/a")?.isEmpty != true { await Task.yield() }
      let reply = try await bob.connect()
      #expect(reply.map { $0["error"]?.string } == ["402::Unknown client"])
      #expect(reply.first?["advice"]?["reconnect"]?.string == "handshake")
    }
  }

  @Test("a channel that nobody has subscribed to is forgotten a few seconds after it was published on")
  func sweep() async throws {
    try await run(configure: { $0.channelLimits.sweepMilliseconds = 20 }) { rig in
      let channels = rig.engine.comet.channels
      let receivers = try channels.publish(Array("1".utf8), on: "/news/a")
      #expect(receivers == 0)
      #expect(channels.all.map(\.name) == ["/news/a"])
      while !channels.all.isEmpty { await Task.yield() }
    }
  }
}

extension ScriptedClient {
  /// The reply to a subscription.
  fileprivate func subscribe(_ name: String) async throws -> JSONValue {
    let replies = try await ask(#"[{"channel":"/meta/subscribe","clientId":"$ID","subscription":"\#(name)"}]"#)
    return try #require(replies.first { $0["channel"]?.string == "/meta/subscribe" })
  }
}
