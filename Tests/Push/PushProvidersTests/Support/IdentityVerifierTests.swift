import EventSourcing
import PushDomain
import StandInSupport
import Testing
import TextEncoding

@testable import PushProviders

/// Asks as an app that is marked as test does.
private struct Asking: Sendable {
  let verifier: IdentityVerifier
  var token = "user-token"
  var secret = IdentitySamples.secret
  var options = ["support.test": "true"]

  init(_ courier: WebhookCourier, _ change: (inout IdentityLimits) -> Void = { _ in }) {
    var limits = IdentityLimits()
    change(&limits)
    verifier = IdentityVerifier(courier: courier, limits: limits)
  }

  func ask(_ url: String) async -> Result<VerifiedIdentity, IdentityFailure> {
    do throws(IdentityFailure) {
      return .success(
        try await verifier.verify(
          token: token, at: url, secret: secret, options: PushOptions(options), now: IdentitySamples.now))
    } catch { return .failure(error) }
  }
}

extension ReceiverServer {
  /// Where the answer is 200 with this text.
  fileprivate func url(saying text: String) -> String { url("/say/\(Base64.encodeForURL(text.utf8))") }
  fileprivate func url(vouching jwt: String) -> String { url(saying: #"{"jwt":"\#(jwt)"}"#) }
}

@Suite("Identity, the question to the customer's backend")
struct IdentityVerifierTests {
  @Test("a form with the token goes out, and the answer is believed")
  func verified() async throws {
    try await withReceiver { server, courier in
      var asking = Asking(courier)
      asking.token = "a+b/c=&d e%ü~"
      let url = server.url(vouching: IdentitySamples.PyJWT.textID)
      #expect(await asking.ask(url) == .success(IdentitySamples.identity(externalID: "u-17")))
      let request = try #require(server.log.requests.first)
      #expect(request.method == "POST")
      #expect(request.text == "user_token=a%2Bb%2Fc%3D%26d%20e%25%C3%BC~")
      #expect(request.headers["content-type"] == "application/x-www-form-urlencoded")
      #expect(request.headers["accept"] == "application/json")
      #expect(request.headers["content-length"] == "\(request.body.count)")
      #expect(!request.headers.keys.contains { $0.hasPrefix("webhook-") })
      #expect(!server.log.requests.contains { $0.path.contains("user") })
    }
  }

  @Test(
    "every byte of the token arrives as it was",
    arguments: [
      ("", "user_token="), ("AZaz09-._~", "user_token=AZaz09-._~"), ("\u{0}\n\u{7F}", "user_token=%00%0A%7F"),
      ("*!'()", "user_token=%2A%21%27%28%29"), ("€", "user_token=%E2%82%AC"),
      ("a&user_token=b", "user_token=a%26user_token%3Db"),
    ])
  func form(token: String, text: String) {
    #expect(IdentityVerifier.form(token).text == text)
  }

  @Test(
    "each status but 200: no identity, or none for now",
    arguments: [
      (201, true, "201 Created"), (204, true, "204 No Content"), (400, true, "400 Bad Request"),
      (401, true, "401 Unauthorized"), (403, true, "403 Forbidden"), (404, true, "404 Not Found"),
      (410, true, "410 Gone"), (422, true, "422 Unprocessable Entity"),
      (301, false, "301 Moved Permanently"), (307, false, "307 Temporary Redirect"),
      (408, false, "408 Request Timeout"), (425, false, "425"), (429, false, "429 Too Many Requests"),
      (500, false, "500 Internal Server Error"), (502, false, "502 Bad Gateway"),
      (503, false, "503 Service Unavailable"), (504, false, "504 Gateway Timeout"), (599, false, "599"),
    ])
  func statuses(status: Int, isRefusal: Bool, reason: String) async throws {
    try await withReceiver { server, courier in
      let failure: IdentityFailure = isRefusal ? .refused(reason: reason) : .unreachable(reason: reason)
      #expect(await Asking(courier).ask(server.url("/status/\(status)")) == .failure(failure))
    }
  }

  @Test("a redirect is not followed")
  func redirect() async throws {
    try await withReceiver { server, courier in
      #expect(
        await Asking(courier).ask(server.url("/redirect")) == .failure(.unreachable(reason: "302 Found")))
      #expect(server.log.requests.map(\.path) == ["/redirect"])
    }
  }

  @Test(
    "200 with something else than a good token",
    arguments: [
      (#"{"jwt":"\#(IdentitySamples.PyJWT.hs512)"}"#, .refused(reason: "jwt: algorithm is not HS256")),
      (#"{"jwt":"\#(IdentitySamples.jwt(["email": nil]))"}"#, .refused(reason: "jwt: email is missing")),
      (#"{"jwt":"x"}"#, .refused(reason: "jwt: malformed")), (#"{"jwt":null}"#, .refused(reason: "200 without a jwt")),
      (#"{"error":"unknown"}"#, .refused(reason: "200 without a jwt")),
      (#"{"jwt":7}"#, .refused(reason: "200 without a jwt")),
      // No answer of a backend that knows the user or does not.
      ("", .unreachable(reason: "200 without a JSON object")),
      ("<html>Back soon</html>", .unreachable(reason: "200 without a JSON object")),
      (#"{"jwt":"ey"#, .unreachable(reason: "200 without a JSON object")),
      (#""jwt""#, .unreachable(reason: "200 without a JSON object")),
    ] as [(String, IdentityFailure)])
  func answers(text: String, failure: IdentityFailure) async throws {
    try await withReceiver { server, courier in
      #expect(await Asking(courier).ask(server.url(saying: text)) == .failure(failure))
    }
  }

  @Test("an endless answer, and one that ends too early", arguments: ["/endless", "/short"])
  func broken(path: String) async throws {
    try await withReceiver { server, courier in
      #expect(
        await Asking(courier).ask(server.url(path))
          == .failure(.unreachable(reason: "200 without a JSON object")))
      #expect(server.log.endlessBytes < 32_000_000)
    }
  }

  @Test("no answer is given up in time", arguments: ["/silent", "/drip"])
  func hangs(path: String) async throws {
    try await withReceiver(.with(connect: .seconds(300), read: .seconds(300))) { server, courier in
      let start = ContinuousClock.now
      let asking = Asking(courier) { $0.answerTimeout = .milliseconds(300) }
      #expect(await asking.ask(server.url(path)) == .failure(.unreachable(reason: "no answer in time")))
      #expect(ContinuousClock.now - start < .seconds(60))
    }
  }

  @Test("a backend that closes, one that is not there, and a courier that has ended")
  func away() async throws {
    let gone = try await withReceiver { server, _ in server.url("/status/200") }
    try await withReceiver { server, courier in
      let asking = Asking(courier)
      #expect(
        await asking.ask(server.url("/closes")) == .failure(.unreachable(reason: "connection closed")))
      #expect(await asking.ask(gone) == .failure(.unreachable(reason: "connection failed")))
      await courier.shutdown()
      #expect(await asking.ask(server.url("/status/200")) == .failure(.unreachable(reason: "shut down")))
    }
  }

  @Test("a question that is cancelled is no refusal")
  func cancelled() async throws {
    try await withReceiver { server, courier in
      let asking = Asking(courier)
      let running = Task { await asking.ask(server.url("/hold")) }
      await server.log.waitUntilHeld(1)
      running.cancel()
      #expect(await running.value == .failure(.unreachable(reason: "cancelled")))
    }
  }

  @Test("too many questions to one backend: the next one is told at once, other backends are not touched")
  func bounded() async throws {
    try await withReceiver { slow, courier in
      let quick = try await ReceiverServer.start()
      let asking = Asking(courier) { $0.inFlightPerEndpointMaximum = 2 }
      let held = slow.url("/hold")
      await withTaskGroup(of: Void.self) { group in
        for _ in 0..<2 { group.addTask { _ = await asking.ask(held) } }
        await slow.log.waitUntilHeld(2)
        #expect(await asking.ask(held) == .failure(.unreachable(reason: "too many questions at once")))
        let other = quick.url(vouching: IdentitySamples.PyJWT.noID)
        #expect(await asking.ask(other) == .success(IdentitySamples.identity()))
        slow.log.release()
      }
      let again = slow.url(vouching: IdentitySamples.PyJWT.noID)
      #expect(await asking.ask(again) == .success(IdentitySamples.identity()))
      try await quick.stop()
    }
  }

  @Test(
    "tokens that are none are not sent", arguments: [("", "empty"), (String(repeating: "t", count: 8_193), "too long")])
  func tokens(token: String, flaw: String) async throws {
    try await withReceiver { server, courier in
      var asking = Asking(courier)
      asking.token = token
      #expect(await asking.ask(server.url("/status/200")) == .failure(.refused(reason: "token: \(flaw)")))
      #expect(server.log.connections == 0)
    }
  }

  @Test(
    "a configuration that is wrong is said beforehand, and refuses nobody",
    arguments: [
      ("http://127.0.0.1/", IdentitySamples.secret, [:], "not https"),
      ("http://127.0.0.1/", IdentitySamples.secret, ["support.test": "false"], "not https"),
      ("ftp://a.test/", IdentitySamples.secret, [:], "invalid URL"), ("", IdentitySamples.secret, [:], "invalid URL"),
      ("https://a.test/", "", [:], "secret: not 32 to 1024 bytes"),
      ("https://a.test/", String(repeating: "s", count: 31), [:], "secret: not 32 to 1024 bytes"),
      ("https://a.test/", String(repeating: "s", count: 1_025), [:], "secret: not 32 to 1024 bytes"),
      (
        "https://a.test/", IdentitySamples.secret, ["webhooks.ca_file": "/does/not/exist"],
        "unreadable: webhooks.ca_file"
      ),
      ("https://10.0.0.1/jwt", String(repeating: "s", count: 32), [:], nil),
    ] as [(String, String, [String: String], String?)])
  func configuration(url: String, secret: String, options: [String: String], obstacle: String?) async throws {
    try await withCourier { courier in
      var asking = Asking(courier)
      (asking.secret, asking.options) = (secret, options)
      #expect(asking.verifier.obstacle(at: url, secret: secret, options: PushOptions(options)) == obstacle)
      guard let obstacle else { return }
      #expect(await asking.ask(url) == .failure(.unreachable(reason: obstacle)))
    }
  }

  @Test("plain http only for a test app; the operator's own network needs no permission")
  func plain() async throws {
    try await withReceiver { server, courier in
      let url = server.url(vouching: IdentitySamples.PyJWT.noID)
      var asking = Asking(courier)
      asking.options = [:]
      #expect(await asking.ask(url) == .failure(.unreachable(reason: "not https")))
      #expect(server.log.connections == 0)
      #expect(await Asking(courier).ask(url) == .success(IdentitySamples.identity()))
    }
  }

  @Test("over TLS the certificate must be one that is trusted")
  func tls() async throws {
    try await withStandIn("webhook.py") { backend, courier in
      let body = #"{"jwt":"\#(IdentitySamples.PyJWT.noID)"}"#
      try await backend.willAnswer(200, body: body)
      let url = "https://127.0.0.1:\(backend.port)/jwt"
      var asking = Asking(courier)
      asking.options = [:]
      #expect(await asking.ask(url) == .failure(.unreachable(reason: "certificate not trusted")))
      asking.options = ["webhooks.ca_file": backend.authority]
      #expect(await asking.ask(url) == .success(IdentitySamples.identity()))
      #expect(await backend.next()?["text"] as? String == "user_token=user-token")
    }
  }
}
