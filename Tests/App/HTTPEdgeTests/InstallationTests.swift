import Crypto
import JSONEnvelope
import Testing
import TextEncoding

@testable import HTTPEdge

@Suite("Firebase's web registration", .timeLimit(.minutes(5)))
struct InstallationTests {
  private static let point = Base64.encodeForURL(P256.KeyAgreement.PrivateKey().publicKey.x963Representation)
  private static let secret = Base64.encodeForURL([UInt8](repeating: 7, count: 16))

  private func web(
    token: String, point: String = point, secret: String = secret,
    endpoint: String = "https://fcm.googleapis.com/fcm/send/"
  ) -> String {
    #"{"web":{"applicationPubKey":null,"auth":"\#(secret)","endpoint":"\#(endpoint)\#(token)","p256dh":"\#(point)"}}"#
  }

  @Test("an installation: the client's id, and tokens that nobody asks for again")
  func installation() async throws {
    try await ServerHarness.run { server in
      let caller = MessagingCaller(client: try await server.connect())
      let body = #"{"appId":"1:2:web:3","authVersion":"FIS_v2","fid":"cBc/x+=","sdkVersion":"w:0.6.6"}"#
      let made = try await caller.call("POST", "/v1/projects/shop/installations", body)
      #expect(made.status == 200 && made.json["fid"]?.string == "cBc/x+=")
      #expect(made.json["refreshToken"]?.string?.isEmpty == false)
      #expect(made.json["authToken"]?["token"]?.string?.isEmpty == false)
      #expect(made.json["authToken"]?["expiresIn"]?.string == "604800s")
      let own = try await caller.call("POST", "/v1/projects/shop/installations", "{}").json["fid"]?.string
      #expect(own?.utf8.count == 22)
      // One public client sends these very letters.
      let again = try await caller.call("POST", "/v1/projects/shop/installations/%7Bfid%7D/authTokens:generate", "{}")
      #expect(again.status == 200 && again.json["expiresIn"]?.string == "604800s")
      #expect(try await caller.call("DELETE", "/v1/projects/shop/installations/abc").status == 200)
      for body in ["[]", "{", #"{"fid":5}"#, #"{"fid":"\#(String(repeating: "a", count: 257))"}"#] {
        #expect(try await caller.call("POST", "/v1/projects/shop/installations", body).status == 400)
      }
    }
  }

  @Test("a registration gets the page's keys, and the project's sender may send to it")
  func registration() async throws {
    try await ServerHarness.run { server in
      let token = try await TestDevice(server).token(sender: TestDevice.pageKey)
      let sender = try await server.appServer("4711", project: "shop")
      #expect(try await sender.call("GET", "/iid/info/\(token)").status == 403)
      let caller = MessagingCaller(client: try await server.connect())
      let answer = try await caller.call("POST", "/v1/projects/shop/registrations", web(token: token))
      #expect(answer.status == 200 && answer.json["token"]?.string == token)
      #expect(answer.json["web"]?["p256dh"]?.string == Self.point)
      #expect(try await sender.call("GET", "/iid/info/\(token)").status == 200)
      let patched = try await caller.call("PATCH", "/v1/projects/shop/registrations/\(token)", web(token: token))
      #expect(patched.status == 200)
    }
  }

  @Test("the older form")
  func subscribe() async throws {
    try await ServerHarness.run { server in
      let token = try await TestDevice(server).token(sender: TestDevice.pageKey)
      let caller = MessagingCaller(client: try await server.connect())
      let form =
        "authorized_entity=4711&endpoint=https%3A%2F%2Ffcm.googleapis.com%2Ffcm%2Fsend%2F\(token)"
        + "&encryption_key=\(Self.point)&encryption_auth=\(Self.secret)"
      for path in ["/fcm/connect/subscribe", "/fcm/connect/subscribe/"] {
        let answer = try await caller.call("POST", path, form)
        #expect(answer.status == 200 && answer.json["token"]?.string == token)
        #expect(answer.json["pushSet"]?.string?.isEmpty == false)
      }
      #expect(try await server.appServer("4711").call("GET", "/iid/info/\(token)").status == 200)
    }
  }

  @Test("keys that are none, and tokens that are not there")
  func refused() async throws {
    try await ServerHarness.run { server in
      let token = try await TestDevice(server).token()
      let caller = MessagingCaller(client: try await server.connect())
      let offCurve = Base64.encodeForURL([4] + [UInt8](repeating: 1, count: 64))
      for (body, status) in [
        ("{}", 400), (#"{"web":5}"#, 400), (web(token: token, point: ""), 400),
        (web(token: token, point: offCurve), 400),
        (web(token: token, secret: "AAAA"), 400), (web(token: token, secret: "!"), 400), (web(token: "a b"), 400),
        (web(token: "", endpoint: ""), 400), (web(token: "un:known"), 404),
      ] {
        let answer = try await caller.call("POST", "/v1/projects/shop/registrations", body)
        #expect(answer.status == status, "\(body)")
      }
    }
  }
}
