import ConsoleEngine
import Engine
import JSONEnvelope
import TestSupport
import Testing

@testable import ConsoleAPI
@testable import HTTPEdge

/// A provider that breaks its word, or somebody who plays it, or a browser that is not the one that has begun.
@Suite("An OpenID provider that lies", .timeLimit(.minutes(5)))
struct OpenIDLiesTests {
  /// A part that the provider plays, and what comes of it: nil for good.
  private typealias Lie = (part: [String: any Sendable], kind: String?)

  private static func claims(_ claims: [String: any Sendable], without names: [String] = []) -> [String: any Sendable] {
    ["claims": claims, "without": names]
  }

  private static let lies: [Lie] = [
    ([:], nil), (claims([:], without: ["at_hash"]), nil), (claims(["exp": "now-30"]), nil),
    (claims(["iat": "now+30"]), nil), (claims(["azp": "console"]), nil),
    (claims(["aud": ["other", "console"], "azp": "console"]), nil),
    (claims(["nonce": "another"]), "token_nonce"), (claims(["nonce": ""]), "token_nonce"),
    (claims([:], without: ["nonce"]), "token_nonce"), (claims(["nonce": 1]), "token_nonce"),
    (claims(["aud": "other"]), "token_audience"), (claims(["aud": ["other"]]), "token_audience"),
    (claims([:], without: ["aud"]), "token_audience"), (claims(["aud": "consol"]), "token_audience"),
    (claims(["aud": ["other", "console"]]), "token_party"), (claims(["azp": "other"]), "token_party"),
    (claims(["azp": ["console"]]), "token_party"),
    (claims(["iss": "https://other.test"]), "token_issuer"), (claims([:], without: ["iss"]), "token_issuer"),
    (claims(["exp": "now-120"]), "token_expired"), (claims([:], without: ["exp"]), "token_endless"),
    (claims(["exp": "soon"]), "token_malformed"), (claims(["exp": 1e300]), "token_malformed"),
    (claims(["iat": "now+600", "exp": "now+900"]), "token_issued_in_future"),
    (claims(["nbf": "now+600", "exp": "now+900"]), "token_not_yet_valid"),
    (claims([:], without: ["iat"]), "token_undated"),
    (claims([:], without: ["sub"]), "token_no_subject"), (claims(["sub": 7]), "token_no_subject"),
    (claims(["sub": ""]), "token_no_subject"),
    (claims(["sub": String(repeating: "s", count: 256)]), "token_no_subject"),
    (claims(["at_hash": "AAAA"]), "token_access_token"), (claims([:], without: ["access_token"]), "token_access_token"),
    (["key": "none"], "token_unsigned"), (["key": "public:rsa", "alg": "HS256", "kid": "rsa"], "token_algorithm"),
    (["key": "secret:" + String(repeating: "s", count: 32), "alg": "HS256"], "token_algorithm"),
    (["alg": "RS512"], "token_algorithm"), (["alg": "PS256"], "token_algorithm"),
    (["key": "p384", "alg": "ES384"], "token_algorithm"),
    (["key": "rsa-next", "kid": "rsa"], "token_signature"), (["key": "rsa-next", "kid": "none"], "token_unknown_key"),
    (["key": "ec", "alg": "ES256", "kid": "rsa"], "token_unknown_key"),
    (["header": ["crit": ["b64"], "b64": true] as [String: any Sendable]], "token_critical_header"),
    (["tokens": ["id_token": "a.b"]], "token_malformed"), (["tokens": ["id_token": ""]], "token_malformed"),
  ]

  @Test("what it signs is judged, each part of it, and the log says which was wrong")
  func proofs() async throws {
    try await OpenIDRig.run { rig in
      for (index, lie) in Self.lies.enumerated() {
        try await rig.play(lie.part)
        let browser = try await rig.browser()
        let place = try await browser.signIn()
        guard let kind = lie.kind else {
          #expect(place == "/console/", "row \(index)")
          continue
        }
        #expect(place == "/console/#error=proof", "row \(index)")
        #expect(try await browser.session() == nil, "row \(index)")
        #expect(browser.cookies["carillon_session"] == nil, "row \(index)")
        #expect(!rig.lines("openid_" + kind).isEmpty, "row \(index): no line of \(kind)")
      }
      // None with anything of a token or of what a stranger wrote.
      let lines = rig.heard.lines.filter { $0.metadata["kind"]?.hasPrefix("openid_") == true }
      #expect(
        lines.allSatisfy { Set($0.metadata.keys).isSubset(of: ["kind", "address", "reason", "moreSinceLastLine"]) })
      #expect(rig.lines("openid_token_expired").first?.metadata["reason"]?.contains("is a clock wrong?") == true)
      #expect(rig.server.engine.console.open().count == Self.lies.count { $0.kind == nil })
    }
  }

  @Test("claims that make nobody of somebody: no role, no name, no services that can be read")
  func claims() async throws {
    let long = String(repeating: "n", count: 65)
    let rows: [(part: [String: any Sendable], code: String?)] = [
      (Self.claims(["services": ["a"]]), nil), (Self.claims(["services": "a"]), nil),
      (Self.claims(["groups": "support", "services": ["a"]]), nil),
      (Self.claims([:], without: ["groups"]), "role"), (Self.claims(["groups": ["staff"]]), "role"),
      (Self.claims(["groups": "Support"]), "role"), (Self.claims(["groups": [] as [String]]), "role"),
      (Self.claims(["groups": 5]), "role"), (Self.claims(["groups": true]), "role"),
      (Self.claims(["groups": ["support", 5] as [any Sendable]]), "role"),
      (Self.claims(["groups": ["support": true]]), "role"),
      (Self.claims([:]), "services"), (Self.claims(["services": [] as [String]]), "services"),
      (Self.claims(["services": 5]), "services"), (Self.claims(["services": ["a", 5] as [any Sendable]]), "services"),
      (Self.claims(["services": ["a": "b"]]), "services"), (Self.claims(["services": "a b"]), "services"),
      (Self.claims(["services": ""]), "services"),
      (Self.claims(["services": (0...1_000).map { "s\($0)" }]), "services"),
      (Self.claims(["services": "a"], without: ["preferred_username"]), "name"),
      (Self.claims(["services": "a", "preferred_username": ""]), "name"),
      (Self.claims(["services": "a", "preferred_username": 5]), "name"),
      (Self.claims(["services": "a", "preferred_username": long]), "name"),
      (Self.claims(["services": "a", "preferred_username": "a\u{7}b"]), "name"),
    ]
    try await OpenIDRig.run(options: ["console.openid.services_claim": "services"]) { rig in
      for (index, row) in rows.enumerated() {
        try await rig.play(row.part)
        let browser = try await rig.browser()
        #expect(
          try await browser.signIn() == "/console/" + (row.code.map { "#error=\($0)" } ?? ""), "row \(index)")
        #expect(try await (browser.session() == nil) == (row.code != nil), "row \(index)")
      }
    }
  }

  @Test("a key that has come since is asked for once; one that nobody knows is not asked for again at once")
  func rotation() async throws {
    try await OpenIDRig.run { rig in
      let browser = try await rig.browser()
      #expect(try await browser.signIn() == "/console/")
      try await rig.serve(["rsa-next"])
      try await rig.play(["key": "rsa-next"])
      _ = try await rig.questions(for: "/keys.json")
      #expect(try await browser.signIn() == "/console/")
      #expect(try await rig.questions(for: "/keys.json") == 1)
      try await rig.play(["key": "rsa", "kid": "invented"])
      for _ in 0..<3 { #expect(try await browser.signIn() == "/console/#error=proof") }
      #expect(try await rig.questions(for: "/keys.json") == 0)
      rig.clock.advance(seconds: 11)
      #expect(try await browser.signIn() == "/console/#error=proof")
      #expect(try await rig.questions(for: "/keys.json") == 1)
      // The old one is gone with its set.
      try await rig.play(["key": "rsa"])
      #expect(try await browser.signIn() == "/console/#error=proof")
    }
  }

  @Test("a provider that signs by another algorithm from now on is asked for its keys as well")
  func otherAlgorithm() async throws {
    try await OpenIDRig.run { rig in
      try await rig.serve(["rsa"])
      let browser = try await rig.browser()
      #expect(try await browser.signIn() == "/console/")
      // What no key is ever for is no reason to ask.
      _ = try await rig.questions(for: "/keys.json")
      for part in [["alg": "RS512"], ["key": "secret:" + String(repeating: "s", count: 32), "alg": "HS256"]] {
        try await rig.play(part)
        #expect(try await browser.signIn() == "/console/#error=proof")
      }
      #expect(try await rig.questions(for: "/keys.json") == 0)
      try await rig.serve(["ec"])
      try await rig.play(["key": "ec", "alg": "ES256"])
      #expect(try await browser.signIn() == "/console/")
      #expect(try await rig.questions(for: "/keys.json") == 1)
      // Nor again at once.
      try await rig.play(["key": "ed", "alg": "EdDSA"])
      #expect(try await browser.signIn() == "/console/#error=proof")
      #expect(try await rig.questions(for: "/keys.json") == 0)
    }
  }

  @Test("a state is good once, for the browser that has begun, and for ten minutes; a code is good once")
  func replay() async throws {
    try await OpenIDRig.run { rig in
      let browser = try await rig.browser()
      let back = try await browser.visit(try await browser.begin())
      #expect(try await browser.comeBack(back).raw.header("Location") == "/console/")
      #expect(try await browser.comeBack(back).raw.header("Location") == "/console/#error=again")

      // Somebody leads another browser to where their own sign-in ends: with no cookie, and with one of its own.
      for hasBegun in [false, true] {
        let victim = try await rig.browser()
        if hasBegun { _ = try await victim.begin() }
        let attacker = try await rig.browser()
        let bait = try await attacker.visit(try await attacker.begin())
        #expect(try await victim.comeBack(bait).raw.header("Location") == "/console/#error=again")
        #expect(try await victim.session() == nil)
      }

      // A code that was used, or stolen, in a sign-in of one's own: it was made for another verifier.
      let code = try #require(Self.parameter("code", of: back))
      let state = try #require(Self.parameter("state", of: try await browser.visit(try await browser.begin())))
      let used = try await browser.comeBack("/console/1/openid/callback?code=\(code)&state=\(state)")
      #expect(used.raw.header("Location") == "/console/#error=again")
      let thief = try await rig.browser()
      let stolen = try #require(Self.parameter("code", of: try await browser.visit(try await browser.begin())))
      let own = try #require(Self.parameter("state", of: try await thief.visit(try await thief.begin())))
      let injected = try await thief.comeBack("/console/1/openid/callback?code=\(stolen)&state=\(own)")
      #expect(injected.raw.header("Location") == "/console/#error=again")

      let late = try await browser.visit(try await browser.begin())
      rig.clock.advance(seconds: 601)
      #expect(try await browser.comeBack(late).raw.header("Location") == "/console/#error=again")
    }
  }

  private static func parameter(_ name: String, of url: String) -> String? {
    url.split(whereSeparator: { "?&".contains($0) }).first { $0.hasPrefix(name + "=") }
      .map { String($0.dropFirst(name.count + 1)) }
  }

  @Test("two cookies of one name are none")
  func twoCookies() async throws {
    try await OpenIDRig.run { rig in
      let browser = try await rig.browser()
      let back = try await browser.visit(try await browser.begin())
      let cookie = "carillon_openid=\(try #require(browser.cookies["carillon_openid"]).value)"
      let answer = try await browser.caller.call("GET", back, adding: [("Cookie", "\(cookie); \(cookie)")])
      #expect(answer.raw.header("Location") == "/console/#error=again")
    }
  }

  @Test("what the provider answers by the browser: a no, an error, another issuer")
  func answers() async throws {
    try await OpenIDRig.run { rig in
      let browser = try await rig.browser()
      let rows: [(part: [String: any Sendable], code: String?)] = [
        (["deny": "access_denied"], "denied"), (["deny": "server_error"], "provider"),
        (["deny": "<script>alert(1)</script>"], "provider"),
        (["back": ["iss": "https://other.test"]], "provider"), (["back": ["iss": rig.issuer]], nil),
        (["back": ["session_state": "x", "anything": "y"]], nil),
        (["back": ["error_description": "<b>", "error": "access_denied"]], "denied"),
      ]
      for (index, row) in rows.enumerated() {
        try await rig.play(row.part)
        #expect(
          try await browser.signIn() == "/console/" + (row.code.map { "#error=\($0)" } ?? ""), "row \(index)")
      }
      // One that says that it names itself, and does not.
      rig.clock.advance(seconds: 301)
      try await rig.play(["discovered": ["authorization_response_iss_parameter_supported": true]])
      #expect(try await browser.signIn() == "/console/#error=provider")
    }
  }

  @Test(
    "parameters that no provider sends are refused by their names",
    arguments: [
      ("", "'state' is missing"), ("?code=a", "'state' is missing"), ("?state=&code=a", "'state' is missing"),
      ("?state=a", "'code' is missing"), ("?state=a&code=", "'code' is missing"),
      ("?state=a&state=b&code=c", "'state' is given twice"), ("?state=a&code=b&code=b", "'code' is given twice"),
      ("?state=" + String(repeating: "a", count: 129) + "&code=a", "'state' is longer than 128"),
      ("?state=a&code=" + String(repeating: "a", count: 4_097), "'code' is longer than 4096"),
    ])
  func badInput(query: String, words: String) async throws {
    try await OpenIDRig.run { rig in
      let browser = try await rig.browser()
      let answer = try await browser.comeBack("/console/1/openid/callback" + query)
      #expect(answer.status == 400 && answer.body.contains(words), "\(answer.status) \(answer.body)")
      #expect(try await browser.get("/console/1/openid?prompt=none").status == 400)
      #expect(try await browser.get("/console/1/sign-in-ways?x=1").status == 400)
    }
  }

  @Test("a provider that fails, dawdles or babbles signs nobody in, and holds nobody up")
  func failures() async throws {
    try await OpenIDRig.run(limits: { $0.timeout = .seconds(2) }) { rig in
      let browser = try await rig.browser()
      #expect(try await browser.signIn() == "/console/")
      let huge = String(repeating: " ", count: 70_000)
      let bad: [[String: any Sendable]] = [
        ["status": 500], ["status": 404, "body": "no"], ["body": "no JSON"], ["body": "[]"], ["body": "null"],
        ["body": huge], ["status": 302, "location": "/token", "body": ""], ["delay": 6], ["drip": 0.2],
        ["body": #"{"id_token":5}"#], ["body": "{}"], ["status": 400, "body": #"{"error":"invalid_request"}"#],
      ]
      for (index, answer) in bad.enumerated() {
        try await rig.play(["token": answer])
        #expect(try await browser.signIn() == "/console/#error=provider", "token, row \(index)")
      }
      for (index, answer) in bad.enumerated() {
        // What it has said of itself is forgotten by then.
        rig.clock.advance(seconds: 301)
        try await rig.play(["discovery": answer])
        let refused = try await browser.get("/console/1/openid")
        #expect(refused.status == 302 && refused.raw.header("Location") == "/console/#error=provider", "row \(index)")
      }
      #expect(try await rig.server.connect().isServing())
    }
  }

  @Test("what the provider says of itself must be its own, and lead to nothing that anybody could play")
  func discovery() async throws {
    try await OpenIDRig.run { rig in
      let browser = try await rig.browser()
      let other = "http://evil.test/x"
      let rows: [[String: any Sendable]] = [
        ["discovered": ["issuer": "https://other.test"]], ["discovered": ["issuer": rig.issuer + "/"]],
        ["without": ["issuer"]], ["without": ["token_endpoint"]], ["without": ["jwks_uri"]],
        ["without": ["authorization_endpoint"]], ["discovered": ["token_endpoint": other]],
        ["discovered": ["jwks_uri": other]], ["discovered": ["authorization_endpoint": other]],
        ["discovered": ["authorization_endpoint": "javascript:alert(1)"]],
        ["discovered": ["authorization_endpoint": rig.issuer + "/\r\nSet-Cookie: a=b"]],
        ["discovered": ["authorization_endpoint": rig.issuer + "/#x"]],
        ["discovered": ["token_endpoint": 5]], ["discovered": ["code_challenge_methods_supported": ["plain"]]],
      ]
      for (index, part) in rows.enumerated() {
        rig.clock.advance(seconds: 301)
        try await rig.play(part)
        let refused = try await browser.get("/console/1/openid")
        #expect(refused.status == 302 && refused.raw.header("Location") == "/console/#error=provider", "row \(index)")
      }
      for keys in [["secret"], ["private"], ["encryption"], ["p384"]] {
        try await rig.play()
        try await rig.serve(keys)
        #expect(try await browser.get("/console/1/openid").raw.header("Location") == "/console/#error=provider")
      }
    }
  }

  @Test("beyond so many sign-ins that have begun the oldest is forgotten, and none is kept out")
  func flood() async throws {
    try await OpenIDRig.run(limits: { $0.flowsMaximum = 3 }) { rig in
      let (first, others) = (try await rig.browser(), try await rig.browser())
      let back = try await first.visit(try await first.begin())
      for _ in 0..<3 {
        rig.clock.advance(seconds: 1)
        _ = try await others.begin()
      }
      #expect(try await first.comeBack(back).raw.header("Location") == "/console/#error=again")
      #expect(try await first.signIn() == "/console/")
    }
  }
}

extension RawClient {
  /// Whether the server behind it answers.
  fileprivate func isServing() async throws -> Bool {
    try await get("/health/live")
    return try await response().status == 200
  }
}
