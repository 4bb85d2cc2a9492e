import JSONEnvelope
import Testing

@testable import HTTPEdge

/// Somebody at the Comet endpoint, on a connection of their own.
private struct Poller {
  let caller: MessagingCaller

  /// - Parameter cookie: `name=value`, as a browser shows it.
  init(_ caller: CrossingWorld.Caller, in world: CrossingWorld, cookie: String? = nil) async throws {
    let cookies = cookie.map { [("Cookie", $0)] } ?? []
    self.caller = MessagingCaller(
      client: try await world.rig.server.connect(), fields: world[caller].fields + cookies)
  }

  /// The replies to messages of one request.
  func ask(_ messages: [String]) async throws -> [JSONValue] {
    let answer = try await caller.call("POST", "/genesys/cometd", "[\(messages.joined(separator: ","))]")
    #expect(answer.status == 200, "\(answer.body)")
    return answer.json.array ?? []
  }

  /// Asks without waiting for the answer.
  func say(_ message: String) async throws {
    let lines = caller.fields.map { "\($0.0): \($0.1)\r\n" }.joined()
    try await caller.client.post("/genesys/cometd", "[\(message)]", headers: lines)
  }
}

/// What is said in a session, or in its name.
private struct CometWords {
  let clientID: String
  let channel: String
  /// JSON.
  var ext = "{}"

  static func handshake(ext: String = "{}") -> String {
    #"{"channel":"/meta/handshake","version":"1.0","supportedConnectionTypes":["long-polling"],"ext":\#(ext)}"#
  }

  private func message(_ channel: String, _ members: String = "") -> String {
    #"{"channel":"\#(channel)","clientId":"\#(clientID)","ext":\#(ext)\#(members)}"#
  }

  var subscribe: String { message("/meta/subscribe", #","subscription":"\#(channel)""#) }
  var unsubscribe: String { message("/meta/unsubscribe", #","subscription":"\#(channel)""#) }
  var publish: String { message(channel, #","data":{"type":"refreshed","comment_id":10001,"identifier":"x"}"#) }
  var connect: String { message("/meta/connect", #","connectionType":"long-polling""#) }
  /// Is never held.
  var shortConnect: String {
    message("/meta/connect", #","connectionType":"long-polling","advice":{"timeout":0}"#)
  }
  var disconnect: String { message("/meta/disconnect") }

  var all: [String] { [connect, shortConnect, subscribe, publish, unsubscribe, disconnect] }
}

/// The clientId of somebody else's session: it stands in no path, and opens nothing by itself. Over sockets:
/// `CometOwnershipTests`; where users are proven: `IdentitySurfaceTests`.
@Suite("Whose Comet sessions are: for every caller", .timeLimit(.minutes(5)))
struct CrossingCometTests {
  /// Who may not speak for a session, and what they show.
  private struct Stranger {
    let caller: CrossingWorld.Caller
    var cookie: String?
    var ext = "{}"
  }

  private static let foreignCookie = "BAYEUX_BROWSER=anotherBrowser1"

  /// Everybody in another browser, and whoever shows that they are somebody else. On an open server an app may have named
  /// its user in the handshake alone: whoever names none has the id, which is all that it would have.
  private static func strangers(to owner: CrossingWorld.Caller, cookie: String) -> [Stranger] {
    let callers = CrossingWorld.Caller.allCases
    var strangers = callers.map { Stranger(caller: $0, cookie: foreignCookie) }
    let named: [CrossingWorld.Caller] =
      owner == .customer ? [.otherCustomer, .supportUser, .otherSupportUser] : callers.filter { $0 != owner }
    for caller in named {
      strangers += [Stranger(caller: caller), Stranger(caller: caller, cookie: cookie)]
    }
    guard owner == .customer else { return strangers }
    return strangers + [
      Stranger(caller: .otherCustomer, cookie: cookie, ext: #"{"gms_user":"ann"}"#),
      Stranger(caller: .customer, cookie: cookie, ext: #"{"gms_user":"ben"}"#),
      Stranger(caller: .nobody, cookie: cookie, ext: #"{"gms_user":"ben"}"#),
    ]
  }

  /// Each message is refused as one of a session that does not exist, and nothing comes with it.
  private static func refuse(_ stranger: Stranger, _ requests: [[String]], in world: CrossingWorld) async throws {
    let poller = try await Poller(stranger.caller, in: world, cookie: stranger.cookie)
    for request in requests {
      let replies = try await poller.ask(request)
      #expect(replies.count == request.count, "\(stranger)")
      for reply in replies {
        let isRefused = reply["error"]?.string?.hasPrefix("402:") == true
        #expect(isRefused && reply["successful"] == false && reply["data"] == nil, "\(stranger): \(reply)")
      }
    }
  }

  @Test(
    "another gms_user, another access token or none, another browser's cookie: 402, no data, and nothing has happened",
    arguments: [CrossingWorld.Caller.customer, .supportUser])
  func sessions(owner: CrossingWorld.Caller) async throws {
    try await CrossingWorld.run { world in
      var request: Int?
      if owner == .supportUser { request = try await world[.supportUser].ask("Help") }
      let first = try await Poller(owner, in: world)
      let shaken = try await first.caller.call("POST", "/genesys/cometd", "[\(CometWords.handshake())]")
      let setCookie = try #require(shaken.raw.header("Set-Cookie"))
      let cookie = String(setCookie.prefix { $0 != ";" })
      let words = CometWords(
        clientID: try ServerHarness.clientID(in: shaken.body),
        channel: request.map { "/support/requests/\($0)" } ?? "/_genesys")
      let session = try await Poller(owner, in: world, cookie: cookie)
      for message in [words.subscribe, words.connect] {
        #expect(try await session.ask([message]).first?["successful"] == true, "\(message)")
      }
      let strangers = Self.strangers(to: owner, cookie: cookie)

      // Its connect is held meanwhile: nobody takes its place, and its subscription stays.
      try await session.say(words.connect)
      try await world.rig.server.holdsPolls(1)
      for stranger in strangers {
        var words = words
        words.ext = stranger.ext
        try await Self.refuse(stranger, words.all.map { [$0] }, in: world)
      }
      #expect(world.rig.server.server.heldPollCount == 1)
      var chat = ""
      if let request {
        try await world[.agent].comment("It left today.", on: request)
      } else {
        chat = try await world.chat().chat
      }
      let held = try await session.caller.client.response()
      #expect(held.body.contains(#""data""#), "\(held.body)")

      // Now something waits for it.
      if let request {
        try await world[.agent].comment("It has come.", on: request)
      } else {
        let said = try await world[.agent].call("POST", "/agent/1/chats/\(chat)/messages", #"{"text":"for Ann alone"}"#)
        #expect(said.status == 200)
      }
      for stranger in strangers {
        var words = words
        words.ext = stranger.ext
        try await Self.refuse(stranger, [[words.shortConnect], words.all], in: world)
      }
      var heard = ""
      while !heard.contains(request == nil ? "for Ann alone" : #""data""#) {
        heard += try await session.caller.call("POST", "/genesys/cometd", "[\(words.connect)]").body
      }
      #expect(!heard.contains("402::"))
      #expect(try await session.ask([words.disconnect]).contains { $0["successful"] == true })
      #expect(try await session.ask([words.shortConnect]).first?["error"]?.string?.hasPrefix("402:") == true)
    }
  }

  @Test("a session that names somebody's chat by its service id gets nothing of it")
  func binding() async throws {
    try await CrossingWorld.run { world in
      let service = try await world.chat().service
      for caller in CrossingWorld.Caller.allCases {
        let poller = try await Poller(caller, in: world)
        let ext = #"{"serviceId":"\#(service)","transcriptPosition":0}"#
        let shaken = try await poller.caller.call("POST", "/genesys/cometd", "[\(CometWords.handshake(ext: ext))]")
        // Who shows what is no user's is not even greeted.
        guard let clientID = try? ServerHarness.clientID(in: shaken.body) else {
          #expect(caller != .customer && !shaken.body.contains(#""successful":true"#), "\(caller): \(shaken.body)")
          continue
        }
        let words = CometWords(clientID: clientID, channel: "/_genesys", ext: ext)
        let replies = try await poller.ask([words.subscribe, words.shortConnect])
        let hears = replies.contains { $0["data"] != nil }
        #expect(hears == (caller == .customer), "\(caller): \(replies)")
      }
    }
  }
}
