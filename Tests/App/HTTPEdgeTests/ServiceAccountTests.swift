import EntityRuntime
import EventSourcing
import JSONEnvelope
import JWTKit
import Testing

@testable import HTTPEdge

@Suite("A service account", .timeLimit(.minutes(5)))
struct ServiceAccountTests {
  private struct Claims: JWTPayload {
    var iss: String
    var aud: String
    var iat: Int64
    var exp: Int64
    var scope = "https://www.googleapis.com/auth/firebase.messaging"
    func verify(using algorithm: some JWTAlgorithm) throws {}
  }

  /// A key file, and a server that knows its account.
  private struct Rig {
    let rig: SendRig
    let email: String
    let tokenURI: String
    let privateKey: String
    let project: String
    let now = SystemTime().now.milliseconds / 1_000

    static func run(_ body: (Rig) async throws -> Void) async throws {
      try await SendRig.run { rig in
        let key = try ServiceAccountKey(name: "Shop 1", projectID: "shop-1", server: "http://localhost:1/")
        _ = try await rig.server.senderKey(
          "account", SenderGrant(sender: SendRig.sender, projectID: "shop-1", account: key.account))
        let file = try JSONValue(parsing: key.file)
        func text(_ name: String) throws -> String { try #require(file[name]?.string) }
        #expect(try text("type") == "service_account")
        #expect(try text("token_uri") == "http://localhost:1/token")
        try await body(
          Rig(
            rig: rig, email: try text("client_email"), tokenURI: try text("token_uri"),
            privateKey: try text("private_key"), project: try text("project_id")))
      }
    }

    func grant(
      iss: String? = nil, aud: String? = nil, iat: Int64 = 0, lifetime: Int64 = 3_600, key: String? = nil
    ) async throws -> String {
      let keys = await JWTKeyCollection().add(
        rsa: try Insecure.RSA.PrivateKey(pem: key ?? privateKey), digestAlgorithm: .sha256)
      return try await keys.sign(
        Claims(iss: iss ?? email, aud: aud ?? tokenURI, iat: now + iat, exp: now + iat + lifetime))
    }

    func ask(_ grant: String, type: String = ServiceAccountGrant.type) async throws -> RawClient.Response {
      let type = type.replacing(":", with: "%3A")
      return try await rig.send(
        "grant_type=\(type)&assertion=\(grant)", path: "/token", type: "application/x-www-form-urlencoded",
        authorization: "")
    }
  }

  @Test("exchanges a signed grant for an access token, as often as it likes, and sends with it")
  func exchange() async throws {
    try await Rig.run { account in
      let grant = try await account.grant()
      for _ in 0..<2 {
        let answer = try await account.ask(grant)
        #expect(answer.status == 200)
        #expect(answer.json["token_type"] == "Bearer")
        #expect(answer.json["expires_in"] == 3_600)
        let token = try #require(answer.json["access_token"]?.string)
        let sent = try await account.rig.send(
          #"{"message":{"token":"\#(account.rig.token)"}}"#, path: "/v1/projects/shop-1/messages:send",
          authorization: "Bearer \(token)")
        #expect(sent.status == 200)
      }
    }
  }

  @Test("may name the audience that Google's library always names")
  func googleAudience() async throws {
    try await Rig.run { account in
      let answer = try await account.ask(try await account.grant(aud: "https://oauth2.googleapis.com/token"))
      #expect(answer.status == 200)
    }
  }

  @Test("is refused with a grant that is not good")
  func refusals() async throws {
    try await Rig.run { account in
      let stranger = try ServiceAccountKey(name: "x", projectID: "x", server: "http://localhost:1")
      let strangerKey = try #require(try JSONValue(parsing: stranger.file)["private_key"]?.string)
      let grants = [
        "nonsense", "", try await account.grant(iss: "nobody@example.com"),
        try await account.grant(aud: "http://other/token"),
        try await account.grant(iat: -3_700), try await account.grant(iat: 600),
        try await account.grant(lifetime: 86_400),
        try await account.grant(key: strangerKey), try await account.grant().dropLast(4) + "AAAA",
      ]
      for grant in grants {
        let answer = try await account.ask(grant)
        #expect(answer.status == 400)
        #expect(answer.json["error"] == "invalid_grant")
      }
      #expect(try await account.ask("x", type: "password").json["error"] == "unsupported_grant_type")
    }
  }

  @Test("loses its access tokens with its key")
  func revocation() async throws {
    try await Rig.run { account in
      let tokens = account.rig.server.tokens
      let secret = try #require(try await account.ask(try await account.grant()).json["access_token"]?.string)
      #expect(tokens.sender(authorization: "Bearer \(secret)")?.projectID == "shop-1")
      try tokens.revoke("account")
      _ = try tokens.list()  // looks at the file, and so ends the store's belief in what was
      #expect(tokens.sender(authorization: "Bearer \(secret)") == nil)
      #expect(try await account.ask(try await account.grant()).status == 400)
    }
  }

  @Test("holds an access token for an hour that nobody else can make")
  func shortLived() {
    let (mine, other) = (ShortLivedToken(), ShortLivedToken())
    let now = Timestamp(milliseconds: 1_000_000_000)
    let token = mine.make(for: "ab12", now: now)
    #expect(mine.tokenID(of: token, now: now) == "ab12")
    #expect(mine.tokenID(of: token, now: now.advanced(by: .seconds(3_599))) == "ab12")
    #expect(mine.tokenID(of: token, now: now.advanced(by: .seconds(3_600))) == nil)
    #expect(other.tokenID(of: token, now: now) == nil)
    #expect(mine.tokenID(of: token.replacing("ab12", with: "ab13"), now: now) == nil)
  }
}
