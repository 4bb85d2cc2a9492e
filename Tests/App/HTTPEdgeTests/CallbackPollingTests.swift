import Engine
import JSONEnvelope
import ServerKit
import Testing
import TextEncoding

@testable import HTTPEdge

/// Spec: Bayeux 1.0, "The callback-polling Transport"; Bayeux reference, 14.2 and 19.
@Suite("Comet by scripts", .timeLimit(.minutes(5)))
struct CallbackPollingTests {
  private static let handshake =
    #"[{"channel":"/meta/handshake","version":"1.0","supportedConnectionTypes":["callback-polling"],"id":"1"}]"#
  private static let channels = [
    "channels.news": ["patterns": "/news/*", "subscribe": "anyone", "publish": "anyone"]
  ]

  private static func target(_ messages: String, _ callback: String? = "cb") -> String {
    let query = callback.map { "&jsonp=\(PercentEncoding.encode($0))" } ?? ""
    return "/genesys/cometd/any?message=\(PercentEncoding.encode(messages))\(query)&_=1700000000000"
  }

  /// What a browser says of a page that loads a script.
  private static func page(_ origin: String, site: String? = "cross-site") -> String {
    "User-Agent: Mozilla/5.0 (X11)\r\nReferer: \(origin)/a?b\r\n" + (site.map { "Sec-Fetch-Site: \($0)\r\n" } ?? "")
  }

  private func ask(
    _ client: RawClient, _ messages: String, _ callback: String? = "cb", headers: String = ""
  ) async throws -> RawClient.Response {
    try await client.get(Self.target(messages, callback), headers: headers)
    return try await client.response()
  }

  /// The messages that the function is called with.
  private func messages(_ response: RawClient.Response, _ callback: String = "cb") throws -> [JSONValue] {
    let start = "/**/\(callback)("
    try #require(
      response.status == 200 && response.body.hasPrefix(start) && response.body.hasSuffix(");"), "\(response)")
    return try #require(try JSONValue(parsing: String(response.body.dropFirst(start.count).dropLast(2))).array)
  }

  /// Shaken, subscribed and connected once, so that the next connect is held.
  private func session(_ client: RawClient) async throws -> String {
    let shaken = try messages(try await ask(client, Self.handshake)).first
    let id = try #require(shaken?["clientId"]?.string)
    for message in [
      #"{"channel":"/meta/subscribe","clientId":"\#(id)","subscription":"/news/*"}"#, Self.connect(id),
    ] {
      let replies = try messages(try await ask(client, "[\(message)]"))
      #expect(replies.last?["successful"] == true, "\(replies)")
    }
    return id
  }

  private static func connect(_ id: String) -> String {
    #"{"channel":"/meta/connect","clientId":"\#(id)","connectionType":"callback-polling"}"#
  }

  @Test("a handshake is answered with a script, a cookie and the headers of every reply, and never compressed")
  func shaken() async throws {
    try await ServerHarness.run { server in
      let client = try await server.connect()
      let response = try await ask(client, Self.handshake, "a.b$_9", headers: "Accept-Encoding: gzip\r\n")
      let reply = try #require(try messages(response, "a.b$_9").first)
      #expect(reply["supportedConnectionTypes"] == ["websocket", "long-polling", "callback-polling"])
      #expect(response.header("Content-Type") == "text/javascript;charset=UTF-8")
      #expect(response.header("X-Content-Type-Options") == "nosniff")
      #expect(response.header("Cache-Control") == "no-cache, no-store")
      #expect(response.header("Content-Encoding") == nil)
      #expect(response.header("Set-Cookie")?.hasPrefix("BAYEUX_BROWSER=") == true)
      _ = try messages(try await ask(client, Self.handshake, nil), "jsonpcallback")
    }
  }

  @Test("an event ends a held poll; errors of the protocol are scripts too; a disconnect releases what is held")
  func conversation() async throws {
    try await ServerHarness.run(options: Self.channels) { server in
      let (poll, other) = (try await server.connect(), try await server.connect())
      let id = try await session(poll)
      try await poll.get(Self.target("[\(Self.connect(id))]"))
      try await server.holdsPolls(1)
      let published = try messages(
        try await ask(other, #"[{"channel":"/news/a","clientId":"\#(id)","data":{"text":"ä\u2028"},"id":"7"}]"#, "f"),
        "f")
      #expect(published == [["id": "7", "channel": "/news/a", "successful": true]])
      let event = try messages(try await poll.response())
      #expect(event.first?["data"]?["text"] == "ä\u{2028}" && event.last?["channel"] == "/meta/connect")

      try await poll.get(Self.target("[\(Self.connect(id))]"))
      try await server.holdsPolls(1)
      let left = try messages(try await ask(other, #"[{"channel":"/meta/disconnect","clientId":"\#(id)"}]"#))
      #expect(left.last?["successful"] == true)
      #expect(try messages(try await poll.response()).last?["advice"] == ["reconnect": "none"])
      let after = try messages(try await ask(other, "[\(Self.connect(id))]"))
      #expect(after.first?["error"] == "402::Unknown client")
    }
  }

  @Test("a client that leaves a held poll frees it, and what it has not got comes with its next one")
  func leaving() async throws {
    try await ServerHarness.run(options: Self.channels) { server in
      let (poll, other) = (try await server.connect(), try await server.connect())
      let id = try await session(poll)
      try await poll.get(Self.target("[\(Self.connect(id))]"))
      try await server.holdsPolls(1)
      await poll.close()
      try await server.holdsPolls(0)
      _ = try await ask(other, #"[{"channel":"/news/a","clientId":"\#(id)","data":"late"}]"#)
      let next = try messages(try await ask(other, "[\(Self.connect(id))]"))
      #expect(next.map { $0["data"] } == ["late", nil])
    }
  }

  @Test("line ends that old scripts do not know in a text are escaped, wherever they stand")
  func lineEnds() async throws {
    try await ServerHarness.run { server in
      let client = try await server.connect()
      let ids = ["\u{2028}", "a\u{2029}b", "\u{2028}\u{2029}", "\u{2027}\u{202A}", "x"]
      let asked = ids.map { #"{"channel":"/a","clientId":"none","id":"\#($0)"}"# }
      let response = try await ask(client, "[\(asked.joined(separator: ","))]")
      #expect(!response.body.contains("\u{2028}") && !response.body.contains("\u{2029}"))
      #expect(response.body.contains(#"a\u2029b"#) && response.body.contains("\u{2027}\u{202A}"))
      #expect(try messages(response).map { $0["id"]?.string } == ids)
    }
  }

  @Test(
    "what is no poll by a script is 400, and runs nothing",
    arguments: [
      "?message=%5B%5D&jsonp=cb", "?message=&jsonp=cb", "?message=%5B1%5D&jsonp=cb", "?message=%5&jsonp=cb",
      "?jsonp=cb",
      target(handshake, ""), target(handshake, "alert(1)"), target(handshake, "a-b"), target(handshake, "a b"),
      target(handshake, "ä"), target(handshake, "a\r\nb"), target(handshake, String(repeating: "c", count: 65)),
      target(handshake) + "&jsonp=cb", target(handshake) + "&access_token=x",
      target(#"[{"channel":"/meta/handshake","version":"1.0","ext":{"gms_token":"a.b.c"}}]"#),
    ])
  func refused(_ target: String) async throws {
    try await ServerHarness.run { server in
      let client = try await server.connect()
      try await client.get(target.hasPrefix("?") ? "/genesys/cometd" + target : target)
      let response = try await client.response()
      #expect(response.status == 400, "\(response.body)")
      #expect(response.header("Content-Type")?.hasPrefix("application/json") == true)
      // A name of the longest length is one.
      _ = try messages(
        try await ask(client, Self.handshake, String(repeating: "c", count: 64)), String(repeating: "c", count: 64))
    }
  }

  @Test(
    "pages of this server and of allowed origins may, others may not: they could run the answer",
    arguments: [
      (page("https://shop.test"), true), (page("https://shop.test", site: nil), true),
      (page("http://localhost", site: "same-origin"), true), (page("http://localhost", site: nil), true),
      (page("https://thief.test"), false), (page("https://thief.test", site: nil), false),
      (page("https://thief.test", site: "same-site"), false), (page("https://shop.test.thief.test"), false),
      ("Origin: https://thief.test\r\nReferer: https://shop.test/\r\n", false), ("Origin: null\r\n", false),
      // A page may withhold what it is, but not that it is one.
      ("Sec-Fetch-Site: cross-site\r\n", false), ("User-Agent: Mozilla/5.0\r\n", false),
      // Typed by somebody, or no browser.
      ("User-Agent: Mozilla/5.0\r\nSec-Fetch-Site: none\r\n", true), ("User-Agent: curl/8.0\r\n", true), ("", true),
    ])
  func origins(headers: String, isAllowed: Bool) async throws {
    try await ServerHarness.run(origins: .listed(["https://shop.test"])) { server in
      let client = try await server.connect()
      #expect(try await ask(client, Self.handshake, headers: headers).status == (isAllowed ? 200 : 403))
    }
    try await ServerHarness.run(origins: .any) { server in
      let client = try await server.connect()
      #expect(try await ask(client, Self.handshake, headers: headers).status == 200)
    }
  }

  @Test("what a browser has of the console opens nothing here")
  func console() async throws {
    let options = ["server": ["username": "u", "password": "p"]]
    try await ServerHarness.run(options: options) { server in
      let secret = try server.tokens.create(name: "boss", role: .supervisor)
      let console = try await ConsoleCaller(server, secret)
      let client = try await server.connect()
      let refused = try await ask(client, Self.handshake, headers: "Cookie: \(console.cookie)\r\n")
      #expect(refused.status == 401)
      _ = try messages(try await ask(client, Self.handshake, headers: "Authorization: Basic dTpw\r\n"))
    }
  }

  @Test("switched off it is neither offered nor taken")
  func off() async throws {
    try await ServerHarness.run(configureEngine: { $0.browserSettings.takesCallbackPolling = false }) { server in
      let client = try await server.connect()
      #expect(try await ask(client, Self.handshake).status == 400)
      try await client.post("/genesys/cometd", Self.handshake)
      let alone = try JSONValue(parsing: try await client.response().body).array?.first
      #expect(alone?["error"] == "301:callback-polling:Connection types not supported")
      try await client.post(
        "/genesys/cometd", Self.handshake.replacing(#"["callback"#, with: #"["long-polling","callback"#))
      let offered = try JSONValue(parsing: try await client.response().body).array?.first
      #expect(offered?["supportedConnectionTypes"] == ["websocket", "long-polling"])
    }
  }
}
