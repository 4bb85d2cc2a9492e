import EventSourcing
import JSONEnvelope
import StandInSupport
import Synchronization
import TestSupport
import Testing

@testable import ConsoleAPI
@testable import HTTPEdge

/// A server whose staff an OpenID provider of somebody else's making may sign in.
struct OpenIDRig {
  static let roles = [
    "console.openid.role_claim": "groups", "console.openid.roles": "ops=admin,lead=supervisor,support=agent",
  ]

  let server: ServerHarness
  let provider: StandIn
  let heard: HeardLog
  /// The server's, for what the provider has signed.
  let clock: ClockAhead

  var issuer: String { "http://127.0.0.1:\(provider.port)" }

  /// - Parameter changes: of the options; an empty value takes one away.
  static func run(
    options changes: [String: String] = [:], limits: (inout OpenIDLimits) -> Void = { _ in },
    configure: (inout EdgeConfiguration) -> Void = { _ in }, _ body: (OpenIDRig) async throws -> Void
  ) async throws {
    let provider = try await StandIn.start("identity_provider.py")
    defer { provider.stop() }
    let (heard, clock) = (HeardLog(), ClockAhead())
    let options = Self.options(issuer: "http://127.0.0.1:\(provider.port)", changes)
    try await ServerHarness.run(
      options: options,
      configure: { edge in
        edge.now = { clock.now }
        limits(&edge.openIDLimits)
        configure(&edge)
      }, logger: heard.logger
    ) { server in
      let rig = OpenIDRig(server: server, provider: provider, heard: heard, clock: clock)
      try await rig.serve(["rsa", "ec", "ed", "encryption"])
      try await body(rig)
    }
  }

  static func options(issuer: String, _ changes: [String: String] = [:]) -> [String: [String: String]] {
    let own = [
      "console.openid.issuer": issuer, "console.openid.client_id": "console",
      "console.openid.redirect_url": "http://push.test/console/1/openid/callback", "console.openid.title": "Example",
    ]
    return ["server": own.merging(roles) { $1 }.merging(changes) { $1 }.filter { !$0.value.isEmpty }]
  }

  /// How the provider plays its part from now on.
  func play(_ part: [String: any Sendable] = [:]) async throws { _ = try await provider.answer(to: ["openid": part]) }

  /// As `play`, with other claims.
  func claim(_ claims: [String: any Sendable], without names: [String] = []) async throws {
    try await play(["claims": claims, "without": names])
  }

  func serve(_ keys: [String]) async throws { _ = try await provider.answer(to: ["serve": keys]) }

  /// How often the provider was asked for something, since this was asked last.
  func questions(for path: String) async throws -> Int {
    try provider.send([:])
    var count = 0
    while let line = await provider.next(), line["done"] == nil {
      if let asked = line["asked"] as? String, asked.prefix(while: { $0 != "?" }) == path { count += 1 }
    }
    return count
  }

  func lines(_ kind: String) -> [HeardLog.Line] { heard.lines.filter { $0.metadata["kind"] == kind } }

  /// - Parameter cookies: that it has already.
  func browser(_ cookies: [String: OpenIDBrowser.Cookie] = [:]) async throws -> OpenIDBrowser {
    OpenIDBrowser(
      caller: MessagingCaller(client: try await server.connect()), provider: provider.port, cookies: cookies)
  }
}

/// Somebody's browser: keeps cookies, and sends each where and when it may be sent. Follows what it is told to.
final class OpenIDBrowser: Sendable {
  struct Cookie: Equatable {
    let value: String
    let path: String
    let isStrict: Bool
  }

  let caller: MessagingCaller
  private let provider: Int
  private let jar: Mutex<[String: Cookie]>

  /// - Parameter cookies: that it has already.
  init(caller: MessagingCaller, provider: Int, cookies: [String: Cookie] = [:]) {
    self.caller = caller
    self.provider = provider
    jar = Mutex(cookies)
  }

  var cookies: [String: Cookie] { jar.withLock { $0 } }

  /// - Parameter isLed: whether a page of another site has led there.
  func get(_ path: String, isLed: Bool = false) async throws -> MessagingCaller.Answer {
    let plain = path.prefix { $0 != "?" }
    let sent = cookies.filter { plain.hasPrefix($0.value.path) && !(isLed && $0.value.isStrict) }
    let field = sent.map { "\($0.key)=\($0.value.value)" }.sorted().joined(separator: "; ")
    let answer = try await caller.call("GET", path, adding: field.isEmpty ? [] : [("Cookie", field)])
    if let set = answer.raw.header("Set-Cookie") { try take(set) }
    return answer
  }

  private func take(_ field: String) throws {
    let parts = field.split(separator: "; ").map(String.init)
    let pair = try #require(parts.first).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let path = try #require(parts.first { $0.hasPrefix("Path=") })
    #expect(parts.contains("HttpOnly"))
    let cookie = Cookie(
      value: String(pair[1]), path: String(path.dropFirst("Path=".count)),
      isStrict: parts.contains("SameSite=Strict"))
    jar.withLock { $0[String(pair[0])] = cookie }
  }

  /// Begins. - Returns: where the provider is to be visited.
  func begin() async throws -> String {
    let answer = try await get("/console/1/openid")
    try #require(answer.status == 302, "\(answer.body)")
    return try #require(answer.raw.header("Location"))
  }

  /// Visits the provider. - Returns: where that one sends the browser: path and query.
  func visit(_ url: String) async throws -> String {
    let client = try await RawClient.connect(provider)
    let path = try #require(url.firstRange(of: "/authorize").map { url[$0.lowerBound...] })
    try await client.get(String(path))
    let location = try #require(try await client.response().header("Location"))
    await client.close()
    let origin = "http://push.test"
    #expect(location.hasPrefix(origin))
    return String(location.dropFirst(origin.count))
  }

  /// Comes back from the provider.
  func comeBack(_ path: String) async throws -> MessagingCaller.Answer { try await get(path, isLed: true) }

  /// All of it. - Returns: where one ends up.
  func signIn() async throws -> String {
    let answer = try await comeBack(try await visit(try await begin()))
    #expect(answer.status == 302)
    return try #require(answer.raw.header("Location"))
  }

  /// Who is signed in here; nil for nobody.
  func session() async throws -> JSONValue? {
    let answer = try await get("/console/1/session")
    guard answer.status == 200 else { return nil }
    return answer.json
  }
}
