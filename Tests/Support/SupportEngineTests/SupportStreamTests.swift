import Bayeux
import JSONEnvelope
import ScriptedClients
import SupportDomain
import Testing

@testable import CometEngine
@testable import Engine
@testable import EngineRigs

/// Spec: support requests 6.2; 11, check 11.
@Suite("An open stream of support requests", .timeLimit(.minutes(1)))
struct SupportStreamTests {
  // MARK: Who may follow what

  @Test("is told of public comments of agents, whether it follows the request or all of its own")
  func comment() async throws {
    let rig = try await StreamRig()
    for channel in ["/support/requests/1", "/support/requests/*", "/**"] {
      let client = try await rig.follow([channel])
      let poll = try client.poll()
      try await rig.comment("Note", isPublic: false)
      try await rig.comment("Mine", by: rig.ann)
      #expect(!poll.isAnswered)
      let number = try await rig.comment("Hello")
      let event = try await poll.reply()[0]
      #expect(event["channel"] == "/support/requests/1")
      #expect(
        event["data"]
          == [
            "type": "request.comment", "request_id": "1", "comment_id": .string(String(10_000 + number)),
            "public": true,
          ])
      _ = try await client.ask(#"[{"channel":"/meta/disconnect","clientId":"$ID"}]"#)
    }
    try await rig.stop()
  }

  @Test("hears nothing of requests that it does not follow, nor do the streams of others")
  func others() async throws {
    let rig = try await StreamRig()
    let second = try await rig.support.request(by: rig.ann)
    let client = try await rig.follow(["/support/requests/\(second)"])
    let stranger = try await rig.follow(["/support/requests/*"], token: try await rig.signIn("bob"))
    let chat = rig.client(user: "ann")
    _ = try await chat.comeOnline()
    let polls = [try client.poll(), try stranger.poll(), try chat.poll()]
    try await rig.comment("Hello")
    for poll in polls { #expect(!poll.isAnswered) }
    try await rig.stop()
  }

  @Test(
    "belongs to its user: another access token or none gets 402", arguments: [ConnectionType.longPolling, .webSocket])
  func otherToken(transport: ConnectionType) async throws {
    let rig = try await StreamRig()
    let comet = rig.support.rig.rig.engine.comet
    let owner = CometCaller(transport: transport, token: rig.token)
    let clientID = try #require(try await owner.handshake(comet)["clientId"]?.string)
    let bob = try await rig.signIn("bob")
    for _ in 1...2 {
      for (user, token) in [(nil, nil), (nil, bob), (nil, "car_nothing"), ("ann", nil), ("support/1", nil)] {
        let stranger = CometCaller(transport: transport, user: user, token: token)
        #expect(try await stranger.connect(clientID, comet)["error"]?.string == "402::Unknown client")
      }
      #expect(try await owner.connect(clientID, comet)["successful"] == true)
    }
    // Nor does a chat's session answer to somebody's access token.
    let chat = CometCaller(transport: transport, user: "ann")
    let other = try #require(try await chat.handshake(comet)["clientId"]?.string)
    let withToken = CometCaller(transport: transport, user: "ann", token: bob)
    #expect(try await withToken.connect(other, comet)["error"]?.string == "402::Unknown client")
    #expect(try await chat.connect(other, comet)["successful"] == true)
    try await rig.stop()
  }

  @Test(
    "may not be opened for what is not its user's",
    arguments: [
      ("/support/requests/2", "403::subscribe_denied"), ("/support/requests/99", "403::subscribe_denied"),
      ("/support/requests/01", "403::subscribe_denied"), ("/support/requests/-1", "403::subscribe_denied"),
      ("/support/requests/99999999999999999999", "403::subscribe_denied"),
      ("/support/requests/**", "403::subscribe_denied"), ("/support/*", "403::subscribe_denied"),
    ])
  func foreign(channel: String, error: String) async throws {
    let rig = try await StreamRig()
    let token = try await rig.signIn("bob")
    let bob = try #require(rig.support.support.endUser(bearing: token))
    #expect(try await rig.support.request(by: bob) == 2)
    let client = rig.client(token: rig.token)
    try await client.handshake()
    #expect(try await rig.subscribe(client, [channel])["error"]?.string == error)
    // What stood before the refused one stands.
    #expect(try await rig.subscribe(client, ["/support/requests/1", channel])["error"]?.string == error)
    let session = try #require(rig.support.engine.comet.directory[client.clientID ?? ""])
    #expect(await session.channels == ["/support/requests/1"])
    try await rig.stop()
  }

  @Test("is opened by an access token only")
  func anonymous() async throws {
    let rig = try await StreamRig()
    let client = rig.client(user: "ann")
    try await client.handshake()
    for channel in ["/support/requests/1", "/support/requests/*"] {
      #expect(try await rig.subscribe(client, [channel])["successful"] == false)
    }
    try await rig.stop()
  }

  @Test("follows so many requests and no more, and can let go of them")
  func bound() async throws {
    let rig = try await StreamRig { $0.limits.supportChannelsBySessionMaximum = 2 }
    for _ in 2...3 { _ = try await rig.support.request(by: rig.ann) }
    let client = try await rig.follow(["/support/requests/1", "/support/requests/2"])
    #expect(try await rig.subscribe(client, ["/support/requests/3"])["successful"] == false)
    #expect(try await rig.subscribe(client, ["/support/requests/*"])["successful"] == true)
    let left = try await client.ask(
      #"[{"channel":"/meta/unsubscribe","clientId":"$ID","subscription":["/support/requests/*","/support/requests/2"]}]"#
    )
    #expect(left[0]["successful"] == true)
    #expect(try await rig.subscribe(client, ["/support/requests/3"])["successful"] == true)
    try await rig.stop()
  }

  // MARK: The handshake

  @Test(
    "is refused for good to a token that opens nothing, and to a user key that passes for a token's",
    arguments: [
      ("nonsense", nil, "401::unknown_token"), (nil, "support/1", "400:gms_user:reserved"),
      ("own", "ann", "400:gms_user:not_with_an_access_token"),
    ] as [(String?, String?, String)])
  func handshake(token: String?, userKey: String?, error: String) async throws {
    let rig = try await StreamRig()
    let client = rig.client(token: token == "own" ? rig.token : token)
    let ext = userKey.map { #","ext":{"gms_user":"\#($0)"}"# } ?? ""
    let reply = try await client.ask(
      #"[{"channel":"/meta/handshake","version":"1.0","supportedConnectionTypes":["long-polling"]\#(ext)}]"#)[0]
    #expect(reply["successful"] == false)
    #expect(reply["error"]?.string == error)
    #expect(reply["advice"] == ["reconnect": "none"])
    try await rig.stop()
  }

  @Test("ends with the identity that it was opened for")
  func identity() async throws {
    let rig = try await StreamRig()
    let client = try await rig.follow(["/support/requests/*"])
    let poll = try client.poll()
    _ = try await rig.signIn("ann", name: "Ann, married")
    try await rig.support.settle()
    #expect(try await poll.reply()[0]["error"]?.string == "402::Unknown client")
    #expect(rig.support.support.endUser(bearing: rig.token) == nil)
    try await rig.stop()
  }

  @Test("survives a restart of the server: what it follows is remembered")
  func restart() async throws {
    let rig = try await StreamRig()
    let client = try await rig.follow(["/support/requests/1"])
    let next = try await StreamRig(after: rig)
    let back = next.client(token: next.token, clientID: client.clientID)
    _ = try await back.connect()
    let poll = try back.poll()
    try await next.comment("Hello again")
    #expect(try await poll.reply()[0]["data"]?["request_id"] == "1")
    try await next.stop()
  }

  // MARK: Acknowledgements

  @Test("a device that has shown a comment within the grace is left out, the others are told")
  func acknowledged() async throws {
    let rig = try await StreamRig()
    let client = try await rig.follow(["/support/requests/1"])
    let comment = try await rig.comment("Hello")
    #expect(rig.calls.isEmpty)
    // As an app prints its token that has not read the documentation.
    let reply = try await rig.acknowledge(client, comment: comment, identifier: "<AB cd>")
    #expect(reply["successful"] == true)
    #expect(reply["channel"] == "/support/requests/1")
    try await rig.advance(by: .seconds(3))
    #expect(rig.calls == [["tablet"]])
    try await rig.stop()
  }

  @Test("when every device has shown it nobody is told; without a word all are, as soon as the grace is over")
  func silence() async throws {
    let rig = try await StreamRig()
    let client = try await rig.follow(["/support/requests/*"])
    let first = try await rig.comment("One")
    for identifier in ["abcd", "tablet", "tablet"] {
      #expect(try await rig.acknowledge(client, comment: first, identifier: identifier)["successful"] == true)
    }
    try await rig.advance(by: .seconds(3))
    #expect(rig.calls == [])
    try await rig.comment("Two")
    try await rig.advance(by: .seconds(1))
    #expect(rig.calls == [], "the grace is not over")
    try await rig.advance(by: .seconds(2))
    #expect(rig.calls == [["abcd", "tablet"]])
    // Too late is no error: the app need not know.
    #expect(try await rig.acknowledge(client, comment: first + 1, identifier: "abcd")["successful"] == true)
    try await rig.stop()
  }

  @Test("nobody waits where there is no stream, nor where it follows another request")
  func noStream() async throws {
    let rig = try await StreamRig()
    try await rig.comment("One")
    #expect(rig.calls.count == 1)
    let second = try await rig.support.request(by: rig.ann)
    _ = try await rig.follow(["/support/requests/\(second)"])
    try await rig.comment("Two")
    #expect(rig.calls.count == 2)
    try await rig.stop()
  }

  @Test(
    "an acknowledgement of something else is answered with why",
    arguments: [
      (
        "/support/requests/1", #"{"type":"refreshed","comment_id":"10099","identifier":"abcd"}"#, "404::unknown_comment"
      ),
      (
        "/support/requests/1", #"{"type":"refreshed","comment_id":"20001","identifier":"abcd"}"#, "404::unknown_comment"
      ),
      (
        "/support/requests/1", #"{"type":"refreshed","comment_id":"10003","identifier":"abcd"}"#, "404::unknown_comment"
      ),
      (
        "/support/requests/1", #"{"type":"refreshed","comment_id":"10002","identifier":"other"}"#, "404::unknown_device"
      ),
      ("/support/requests/1", #"{"type":"refreshed","comment_id":"10002","identifier":""}"#, "404::unknown_device"),
      ("/support/requests/1", #"{"type":"refreshed","comment_id":-10002,"identifier":"abcd"}"#, "400::malformed"),
      ("/support/requests/1", #"{"type":"refreshed","identifier":"abcd"}"#, "400::malformed"),
      ("/support/requests/1", #"{"type":"typing"}"#, "400::malformed"),
      ("/support/requests/1", "null", "400::malformed"),
      (
        "/support/requests/2", #"{"type":"refreshed","comment_id":"20001","identifier":"abcd"}"#, "404::unknown_request"
      ),
      (
        "/support/requests/7", #"{"type":"refreshed","comment_id":"70001","identifier":"abcd"}"#, "404::unknown_request"
      ),
      ("/support/other", #"{"type":"refreshed","comment_id":"10002","identifier":"abcd"}"#, "403::publish_denied"),
      ("/_genesys", #"{"type":"refreshed","comment_id":"10002","identifier":"abcd"}"#, "403::publish_denied"),
    ])
  func refusals(channel: String, data: String, error: String) async throws {
    let rig = try await StreamRig()
    let token = try await rig.signIn("bob")
    let bob = try #require(rig.support.support.endUser(bearing: token))
    _ = try await rig.support.request(by: bob)
    let client = try await rig.follow(["/support/requests/*"])
    #expect(try await rig.comment("Hello") == 2)
    #expect(try await rig.comment("Note", isPublic: false) == 3)
    let reply = try await client.ask(#"[{"channel":"\#(channel)","clientId":"$ID","id":"7","data":\#(data)}]"#).last
    #expect(reply?["error"]?.string == error)
    #expect(reply?["successful"] == false && reply?["id"] == "7")
    try await rig.advance(by: .seconds(3))
    #expect(rig.calls == [["abcd", "tablet"]])
    try await rig.stop()
  }
}

/// Ann, who has a phone and a tablet and a request, and an agent who answers it; the clock stands still.
struct StreamRig {
  let support: SupportRig
  let token: String
  let ann: SupportActor
  let agent: SupportActor

  init(configure: (inout EngineConfiguration) -> Void = { _ in }) async throws {
    support = try await SupportRig(configure: configure)
    token = try await support.support.signIn(anonymous: "ann", name: "Ann", email: nil, app: SupportRig.app)
    ann = try #require(support.support.endUser(bearing: token))
    agent = try await support.agent()
    try await support.register("abcd", by: ann)
    try await support.register("tablet", type: "android", by: ann)
    #expect(try await support.request(by: ann) == 1)
  }

  /// The next process on the data of another.
  init(after rig: StreamRig) async throws {
    support = try await rig.support.restarted()
    (token, ann, agent) = (rig.token, rig.ann, rig.agent)
  }

  func stop() async throws { try await support.stop() }
  func advance(by duration: Duration) async throws { try await support.advance(by: duration) }
  /// Of each notification the devices.
  var calls: [[String]] { support.devicesPosted }

  func signIn(_ guid: String, name: String? = nil) async throws -> String {
    try await support.support.signIn(anonymous: guid, name: name, email: nil, app: SupportRig.app)
  }

  func client(token: String? = nil, user: String? = nil, clientID: String? = nil) -> ScriptedClient {
    ScriptedClient(support.rig.rig, user: user, accessToken: token, clientID: clientID)
  }

  /// A client that follows these channels and has connected once.
  func follow(_ channels: [String], token: String? = nil) async throws -> ScriptedClient {
    let client = client(token: token ?? self.token)
    try await client.handshake()
    #expect(try await subscribe(client, channels)["successful"] == true)
    _ = try await client.connect()
    return client
  }

  func subscribe(_ client: ScriptedClient, _ channels: [String]) async throws -> JSONValue {
    let list = String(decoding: JSONValue.array(channels.map { .string($0) }).text, as: UTF8.self)
    return try await client.ask(#"[{"channel":"/meta/subscribe","clientId":"$ID","subscription":\#(list)}]"#)[0]
  }

  /// - Returns: the number of the comment, once what follows at once is done.
  @discardableResult
  func comment(_ text: String, isPublic: Bool = true, by actor: SupportActor? = nil) async throws -> Int {
    try await support.comment(text, on: 1, by: actor ?? agent, isPublic: isPublic)
    return try await support.support.request(1, for: agent).lastComment?.number ?? 0
  }

  /// - Returns: the reply; events that wait for the client come before it.
  func acknowledge(_ client: ScriptedClient, comment: Int, identifier: String) async throws -> JSONValue {
    let replies = try await client.ask(
      """
      [{"channel":"/support/requests/1","clientId":"$ID","data":\
      {"type":"refreshed","comment_id":"\(10_000 + comment)","identifier":"\(identifier)"}}]
      """)
    return try #require(replies.last)
  }
}
