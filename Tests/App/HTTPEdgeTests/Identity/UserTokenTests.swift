import EventSourcing
import Foundation
import Logging
import StandInSupport
import TestSupport
import Testing

@testable import HTTPEdge

/// Tokens that PyJWT has signed, at a route that needs a user.
@Suite("Proven by a token", .timeLimit(.minutes(5)), .serialized)
struct UserTokenTests {
  private struct Row {
    var claims: [String: any Sendable] = ["sub": "u", "exp": "now+600", "iat": "now-1"]
    var key = "rsa"
    var alg = "RS256"
    var kid: String?
    var header: [String: any Sendable] = [:]
    /// Nil: it is good.
    var flaw: String?

    init(_ flaw: String?, _ change: (inout Row) -> Void) {
      self.flaw = flaw
      change(&self)
    }
  }

  @Test("what a token has to be like, and what each flaw is told and noted")
  func table() async throws {
    let secret = String(repeating: "s", count: 32)
    try await IdentityRig.run(policy: { policy, directory, _ in
      policy.keySetFile = directory + "/keys.json"
      policy.keyFiles = [directory + "/rsa-next.pem", directory + "/ed.pem"]
      policy.secret = secret
      policy.issuer = "https://id.example.com"
      policy.audience = "chat"
    }) { rig in
      let good: [String: any Sendable] = [
        "sub": "u", "exp": "now+600", "iat": "now-1", "iss": "https://id.example.com", "aud": "chat",
      ]
      func claims(_ change: [String: (any Sendable)?]) -> [String: any Sendable] {
        good.merging(change.compactMapValues { $0 }) { $1 }.filter { change[$0.key].map { $0 != nil } ?? true }
      }
      let rows: [Row] = [
        Row(nil) { $0.kid = "rsa" }, Row(nil) { _ in }, Row(nil) { ($0.key, $0.alg, $0.kid) = ("ec", "ES256", "ec") },
        Row(nil) { ($0.key, $0.alg) = ("ed", "EdDSA") },
        Row(nil) { ($0.key, $0.alg) = ("secret:\(secret)", "HS256") },
        // A key from a file has no name, and answers to any.
        Row(nil) { ($0.key, $0.kid) = ("rsa-next", "whatever") },
        Row(nil) { $0.claims = claims(["aud": ["mail", "chat"] as [String]]) },
        Row(nil) { $0.claims = claims(["exp": "now-30"]) }, Row(nil) { $0.claims = claims(["iat": "now+30"]) },
        Row(nil) { $0.claims = claims(["sub": 815]) }, Row(nil) { $0.claims = claims(["iat": nil]) },
        Row("it is not signed") { $0.key = "none" },
        Row("its signature is wrong") { ($0.key, $0.alg, $0.kid) = ("public:rsa", "HS256", nil) },
        Row("its key is not known") { ($0.key, $0.alg, $0.kid) = ("ec", "ES256", "another") },
        Row("its signature is wrong") { ($0.key, $0.kid) = ("rsa-next", "rsa") },
        // The one in the set that encrypts signs nothing: what is left is the key without a name.
        Row("its signature is wrong") { ($0.key, $0.kid) = ("rsa", "encryption") },
        Row("it is signed by an algorithm that no key here is for") { ($0.key, $0.alg) = ("p384", "ES384") },
        Row("it is signed by an algorithm that no key here is for") { $0.alg = "RS512" },
        Row("it is signed by an algorithm that no key here is for") { $0.alg = "PS256" },
        Row("it has a critical header that is not understood") {
          $0.header = ["crit": ["b64"] as [String], "b64": true]
        },
        Row("it has no exp") { $0.claims = claims(["exp": nil]) },
        Row("it has expired") { $0.claims = claims(["exp": "now-3600"]) },
        Row("it was issued in the future") { $0.claims = claims(["iat": "now+3600", "exp": "now+7200"]) },
        Row("it is not valid yet") { $0.claims = claims(["nbf": "now+3600", "exp": "now+7200"]) },
        Row("another issuer made it") { $0.claims = claims(["iss": "https://other.example.com"]) },
        Row("another issuer made it") { $0.claims = claims(["iss": nil]) },
        Row("it is meant for somebody else") { $0.claims = claims(["aud": ["mail"] as [String]]) },
        Row("it is meant for somebody else") { $0.claims = claims(["aud": nil]) },
        Row("it names no user") { $0.claims = claims(["sub": nil]) },
        Row("it names no user") { $0.claims = claims(["sub": ""]) },
        Row("what it names cannot be a user key") { $0.claims = claims(["sub": "support/1"]) },
        Row("what it names cannot be a user key") { $0.claims = claims(["sub": " u"]) },
        Row("what it names cannot be a user key") { $0.claims = claims(["sub": "ä"]) },
        Row("what it names cannot be a user key") { $0.claims = claims(["sub": String(repeating: "k", count: 257)]) },
      ]
      for (index, row) in rows.enumerated() {
        let claims = row.claims["iss"] == nil && row.claims["aud"] == nil && row.claims.count == 3 ? good : row.claims
        let token = try await rig.token(claims, key: row.key, alg: row.alg, kid: row.kid, header: row.header)
        // Twice: what was found out about a token is remembered.
        for _ in 1...2 {
          let response = try await rig.devices(bearing: token)
          #expect(response.status == (row.flaw == nil ? 200 : 401), "row \(index)")
          guard let flaw = row.flaw else { continue }
          #expect(response.body.contains("The token proves nobody: \(flaw)"), "row \(index): \(response.body)")
          #expect(response.header("WWW-Authenticate")?.contains(#"error="invalid_token""#) == true)
          #expect(rig.heard.lines.contains { $0.message == "security: a user's token was refused: \(flaw)" })
        }
      }
      // None with anything of a token or a key.
      let lines = rig.heard.lines.filter { $0.metadata["kind"] != nil }
      #expect(
        lines.allSatisfy { Set($0.metadata.keys).isSubset(of: ["kind", "address", "reason", "moreSinceLastLine"]) })
      #expect(lines.allSatisfy { $0.level == .warning && $0.metadata["address"] == "127.0.0.1" })
      #expect(rig.lines("token_expired").first?.metadata["reason"]?.contains("is a clock wrong?") == true)
      for malformed in [
        "a.b", "a.b.c", "..", ".", "a.b.c.d.e", "eyJhbGciOiJSUzI1NiJ9.e30.AA", "eyJhbGciOiJSUzI1NiJ9.\u{2A}.AA",
      ] {
        #expect(try await rig.devices(bearing: malformed).status == 401, "\(malformed)")
      }
      let long = "e." + String(repeating: "x", count: EdgeLimits.userTokenBytesMaximum) + ".y"
      #expect(try await rig.devices(bearing: long).body.contains("it is too long"))
    }
  }

  @Test("a bearer of another kind, or none, proves nobody: a gms_user beside it is refused")
  func unproven() async throws {
    try await IdentityRig.run { rig in
      for headers in ["", "Authorization: Bearer car_opaque\r\n", "Authorization: Basic dTpw\r\n"] {
        let response = try await rig.devices(headers + "gms_user: u\r\n")
        #expect(response.status == 401 && response.header("WWW-Authenticate") == "Bearer realm=\"carillon\"")
        // Without one it is nobody's request.
        #expect(try await rig.devices(headers).status == 400)
      }
      let token = try await rig.token(of: "u")
      #expect(try await rig.devices("Authorization: Bearer \(token)\r\ngms_user: u\r\n").status == 200)
      #expect(try await rig.devices("Authorization: Bearer \(token)\r\ngms_user: v\r\n").status == 403)
      #expect(try await rig.devices("Authorization: Bearer \(token)\r\ngms_user: u\r\ngms_user: u\r\n").status == 400)
      #expect(rig.lines("user_unproven").count == 1 && rig.lines("user_other").count == 1)
    }
  }

  @Test("the token may come in a header of its own, with and without Bearer, once")
  func ownHeader() async throws {
    try await IdentityRig.run(policy: { policy, directory, _ in
      policy.keyFiles = [directory + "/rsa.pem", directory + "/ec.pem"]
      policy.header = "x-user-token"
      policy.claim = "https://example.com/customer"
    }) { rig in
      let token = try await rig.token(
        ["https://example.com/customer": "u", "exp": "now+600"], key: "ec", alg: "ES256")
      #expect(try await rig.devices("X-User-Token: \(token)\r\nAuthorization: Basic dTpw\r\n").status == 200)
      #expect(try await rig.devices("X-User-Token: Bearer \(token)\r\n").status == 200)
      #expect(try await rig.devices("X-User-Token: \(token)\r\nX-User-Token: \(token)\r\n").status == 400)
      #expect(try await rig.devices("Authorization: Bearer \(token)\r\n").status == 400)
      #expect(try await rig.devices("X-User-Token: nonsense\r\n").status == 401)
    }
  }

  @Test("a token that is known expires all the same")
  func expires() async throws {
    try await IdentityRig.run { rig in
      let token = try await rig.token(of: "u")
      #expect(try await rig.devices(bearing: token).status == 200)
      rig.setAhead(seconds: 700)
      #expect(try await rig.devices(bearing: token).body.contains("it has expired"))
      // A clock that is an hour off, this way and that.
      rig.setAhead(seconds: 3_600)
      #expect(try await rig.devices(bearing: token).status == 401)
      rig.setAhead(seconds: -3_600)
      let early = try await rig.token(["sub": "u", "exp": "now+600", "iat": "now-1"])
      #expect(try await rig.devices(bearing: early).body.contains("it was issued in the future"))
      #expect(rig.lines("token_issued_in_future").first?.metadata["reason"]?.contains("is a clock wrong?") == true)
    }
  }

  @Test("what was issued before a time is revoked, for one user or for all, once the file is read again")
  func revocations() async throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "carillon-\(UUID().uuidString)").path
    defer { try? FileManager.default.removeItem(atPath: file) }
    try "# nobody\n".write(toFile: file, atomically: true, encoding: .utf8)
    try await IdentityRig.run(policy: { policy, directory, _ in
      policy.keySetFile = directory + "/keys.json"
      policy.revocationsFile = file
    }) { rig in
      let old = try await rig.token(["sub": "u", "exp": "now+600", "iat": 1_000_000_000])
      let fresh = try await rig.token(["sub": "u", "exp": "now+600", "iat": "now-1"])
      let ageless = try await rig.token(["sub": "u", "exp": "now+600"])
      let other = try await rig.token(["sub": "v", "exp": "now+600", "iat": 1_000_000_000])
      func statuses() async throws -> [Int] {
        var statuses: [Int] = []
        for token in [old, fresh, ageless, other] { statuses.append(try await rig.devices(bearing: token).status) }
        return statuses
      }
      #expect(try await statuses() == [200, 200, 200, 200])
      try "2001-09-09T01:46:41Z  u\n".write(toFile: file, atomically: true, encoding: .utf8)
      await rig.server.server.reloadIdentity()
      #expect(try await statuses() == [401, 200, 401, 200])
      try "2001-09-09T01:46:41Z *\n".write(toFile: file, atomically: true, encoding: .utf8)
      await rig.server.server.reloadIdentity()
      #expect(try await statuses() == [401, 200, 401, 401])
      // A file that cannot be read takes nothing back.
      try "yesterday u\n".write(toFile: file, atomically: true, encoding: .utf8)
      await rig.server.server.reloadIdentity()
      #expect(try await statuses() == [401, 200, 401, 401])
      #expect(rig.heard.lines.contains { $0.level == .error && $0.metadata["reason"]?.contains("line 1") == true })
    }
  }

  @Test("a key set that cannot be read lets nobody in and stops nobody's start; later, what it gave counts for a while")
  func unreachable() async throws {
    try await IdentityRig.run(policy: { policy, _, url in
      policy.keySetURL = "http://127.0.0.1:9/keys.json"
      policy.keySetInterval = .seconds(3_600)
      _ = url
    }) { rig in
      let token = try await rig.token(of: "u")
      let response = try await rig.devices(bearing: token)
      #expect(response.status == 503 && response.header("Retry-After") != nil)
      #expect(rig.lines("key_set_unreadable").count == 1 && rig.lines("token_no_keys").count == 1)
      #expect(
        rig.lines("key_set_unreadable").first?.metadata["reason"] == "identity.jwks_url: its URL cannot be reached")
      // Who names nobody is served.
      #expect(try await rig.devices("").status == 400)
    }
  }

  @Test("keys change: an unknown one is refused and asked for, and old ones go with the set")
  func rotation() async throws {
    try await IdentityRig.run(policy: { policy, _, url in
      policy.keySetURL = url
      policy.keySetInterval = .seconds(3_600)
      policy.keySetLife = .seconds(7_200)
    }) { rig in
      let claims: [String: any Sendable] = ["sub": "u", "exp": "now+90000", "iat": "now-1"]
      let old = try await rig.token(claims, kid: "rsa")
      let new = try await rig.token(claims, key: "rsa-next", kid: "rsa-next")
      #expect(try await rig.devices(bearing: old).status == 200)
      #expect(try await rig.devices(bearing: new).body.contains("its key is not known"))
      // Bad sets change nothing.
      for bad: [String: any Sendable] in [
        ["status": 503], ["body": "{}"], ["body": "no JSON"], ["body": String(repeating: " ", count: 300_000)],
        ["status": 302, "location": "/keys.json"],
      ] {
        try await rig.answerKeySet(bad)
        rig.provider.forget()
        await rig.server.server.reloadIdentity()
        #expect(await rig.provider.next()?["asked"] as? String == "/keys.json")
        #expect(try await rig.devices(bearing: old).status == 200)
      }
      for bad in [["rsa", "secret"], ["private"], ["rsa-small"], []] {
        try await rig.answerKeySet([:])
        try await rig.serve(bad)
        rig.provider.forget()
        await rig.server.server.reloadIdentity()
        #expect(await rig.provider.next()?["asked"] as? String == "/keys.json")
        #expect(try await rig.devices(bearing: old).status == 200)
      }
      try await rig.serve(["rsa-next"])
      try await until { try await rig.devices(bearing: new).status == 200 }
      #expect(try await rig.devices(bearing: old).body.contains("its key is not known"))
      // One for another algorithm is asked for as well.
      let other = try await rig.token(claims, key: "ec", alg: "ES256", kid: "ec")
      #expect(try await rig.devices(bearing: other).body.contains("an algorithm that no key here is for"))
      try await rig.serve(["rsa-next", "ec"])
      try await until { try await rig.devices(bearing: other).status == 200 }
      // The provider is gone for longer than its keys count.
      try await rig.answerKeySet(["status": 503])
      rig.setAhead(seconds: 7_100)
      #expect(try await rig.devices(bearing: new).status == 200)
      rig.setAhead(seconds: 20_000)
      #expect(try await rig.devices(bearing: new).status == 503)
      try await rig.answerKeySet([:])
      try await until { try await rig.devices(bearing: new).status == 200 }
    }
  }

  @Test("a clock that differs from the key set's server is told")
  func clock() async throws {
    try await IdentityRig.run(policy: { $0.keySetURL = $2 }) { rig in
      #expect(rig.lines("clock_off").isEmpty)
      rig.setAhead(seconds: 3_600)
      await rig.server.server.reloadIdentity()
      try await until { !rig.lines("clock_off").isEmpty }
      #expect(rig.lines("clock_off").first?.metadata["reason"]?.hasSuffix("s ahead of the key set's server") == true)
    }
  }

  @Test(
    "a server whose keys cannot be used does not start",
    arguments: ["rsa-small.pem", "p384.pem", "rsa-private.pem", "none.pem"])
  func unusable(file: String) async throws {
    await #expect(throws: IdentityUnusable.self) {
      try await IdentityRig.run(policy: { policy, directory, _ in
        policy.keyFiles = [directory + "/" + file]
      }) { _ in }
    }
  }
}

@Suite("What can be known of identity before anybody comes", .timeLimit(.minutes(2)))
struct IdentityCheckTests {
  @Test("keys are counted, obstacles are named")
  func check() async throws {
    let provider = try await StandIn.start("identity_provider.py")
    defer { provider.stop() }
    let (directory, url) = (provider.directory, "http://127.0.0.1:\(provider.port)/keys.json")
    func check(_ change: (inout TokenPolicy) -> Void) async -> IdentityCheck {
      var policy = TokenPolicy()
      change(&policy)
      return await IdentityCheck(.token(policy), proxies: .none)
    }
    let good = await check { ($0.keySetFile, $0.keyFiles) = (directory + "/keys.json", [directory + "/rsa-next.pem"]) }
    #expect(good.summary == "identity jwt: 3 keys: RS256, RS256 rsa, ES256 ec" && good.obstacles.isEmpty)
    let fetched = await check { $0.keySetURL = url }
    #expect(fetched.summary == "identity jwt: 2 keys: RS256 rsa, ES256 ec" && fetched.obstacles.isEmpty)
    func expect(_ obstacle: String, _ change: (inout TokenPolicy) -> Void) async {
      #expect(await check(change).obstacles == [obstacle])
    }
    await expect("identity.jwks_url: its URL cannot be reached") { $0.keySetURL = "http://127.0.0.1:9/" }
    await expect("identity.jwks_file, \(directory)/none: the file cannot be read") {
      $0.keySetFile = directory + "/none"
    }
    await expect("identity.jwks_file, \(directory)/rsa.pem: it is no JSON Web Key Set") {
      $0.keySetFile = directory + "/rsa.pem"
    }
    await expect("identity.key_files, \(directory)/keys.json: no PEM block is in it") {
      $0.keyFiles = [directory + "/keys.json"]
    }
    let isPrivate = "a private key is in it: this server needs the public one only"
    await expect("identity.key_files, \(directory)/rsa-private.pem: \(isPrivate)") {
      $0.keyFiles = [directory + "/rsa-private.pem"]
    }
    let isOther = "a key is neither RSA of 2048 bits or more nor ECDSA on P-256 nor Ed25519"
    for file in ["p384.pem", "rsa-small.pem"] {
      await expect("identity.key_files, \(directory)/\(file): \(isOther)") { $0.keyFiles = [directory + "/" + file] }
    }
    await expect("identity.secret: the secret has not 32 to 1024 bytes") { $0.secret = "short" }
    let pem = try String(contentsOfFile: directory + "/rsa.pem", encoding: .utf8)
    #expect(await check { $0.secret = pem }.obstacles.first?.contains("no secret at all") == true)
    try provider.send(["answer": ["date": "Sun, 06 Nov 1994 08:49:37 GMT"] as [String: any Sendable]])
    // Questions for the key set stand before the word that it is done.
    while let line = await provider.next(), line["done"] == nil {}
    #expect(await check { $0.keySetURL = url }.obstacles.first?.contains("tokens will be refused") == true)
  }

  @Test(
    "revocations",
    arguments: [
      ("", 0, false), ("# 2026-03-01T09:15:00Z *", 0, false), ("2026-03-01T09:15:00Z *", 1, true),
      ("2026-03-01T09:15:00Z\tuser one \r\n", 1, true), ("  2026-03-01T09:15:00Z   user one", 1, true),
      ("2026-03-01T09:15:00Z other", 1, false), ("2026-03-01T09:14:59Z user one", 1, false),
      ("2026-03-01T09:15:00Z user one\n2020-01-01T00:00:00Z user one", 1, false),
      ("2020-01-01T00:00:00Z *\r\n2026-03-01T09:15:00Z user one\r\n", 2, true),
      ("2020-01-01T00:00:00Z user one\n2026-03-01T09:15:00Z *", 2, true),
    ] as [(String, Int, Bool)])
  func revocations(text: String, count: Int, isRevoked: Bool) throws {
    let list = try RevocationList(parsing: text)
    let issued = try #require(HTTPDate.read("Sun, 01 Mar 2026 09:14:59 GMT"))
    #expect(list.count == count)
    #expect(list.revokes(ProvenUser(key: "user one", issuedAt: issued, expiresAt: issued)) == isRevoked)
    if isRevoked { #expect(list.revokes(ProvenUser(key: "user one", issuedAt: nil, expiresAt: issued))) }
  }

  @Test(
    "a line that says nothing is an error",
    arguments: ["yesterday u", "2026-03-01T09:15:00Z", "2026-03-01 u", "u 2026-03-01T09:15:00Z"])
  func badRevocations(line: String) {
    #expect(throws: KeyReader.Problem.self) { try RevocationList(parsing: "\n\(line)") }
  }

  @Test(
    "dates of headers",
    arguments: [
      ("Sun, 06 Nov 1994 08:49:37 GMT", "1994-11-06T08:49:37Z"),
      ("Thu, 01 Jan 1970 00:00:00 GMT", "1970-01-01T00:00:00Z"),
      ("Sunday, 06-Nov-94 08:49:37 GMT", nil), ("Sun Nov  6 08:49:37 1994", nil), ("", nil),
      ("Sun, 31 Feb 1994 08:49:37 GMT", nil), ("Sun, 06 Nov 1994 08:49:37 CET", nil),
    ] as [(String, String?)])
  func dates(text: String, time: String?) { #expect(HTTPDate.read(text)?.iso8601 == time) }
}
