import Crypto
import Engine
import EntityRuntime
import EventSourcing
import JSONEnvelope
import PushDomain
import Synchronization
import Testing

@testable import HTTPEdge

@Suite("The push service for browsers", .timeLimit(.minutes(5)))
struct WebPushEndpointTests {
  private final class Link: MailLink {
    let mail: AsyncStream<Mail>
    private let continuation: AsyncStream<Mail>.Continuation
    /// The engine may offer one again that has not been acknowledged.
    private let seen = Mutex<Set<String>>([])

    init() { (mail, continuation) = AsyncStream.makeStream() }

    func deliver(_ mail: Mail) {
      if seen.withLock({ $0.insert(mail.id).inserted }) { continuation.yield(mail) }
    }
    func close(_ reason: MailLinkClosing) { continuation.finish() }
  }

  private static let key = VAPIDTests.key
  private static let subtype = "wp:https://a.test/#1"

  /// A browser that has subscribed for `key`, and a sender's connection.
  private func run(
    settings: MessagingEdgeSettings = MessagingEdgeSettings(),
    _ body: (ServerHarness, TestDevice, _ token: String, MessagingCaller) async throws -> Void
  ) async throws {
    try await ServerHarness.run(messaging: settings) { server in
      let device = try await TestDevice(server)
      let token = try await device.token(
        app: "org.chromium.linux", sender: VAPIDTests.publicKey(),
        "&X-subtype=wp%3Ahttps%3A%2F%2Fa.test%2F%231&appid=abcdefghijk&scope=GCM")
      try await body(server, device, token, MessagingCaller(client: try await server.connect()))
    }
  }

  private func authorization(
    aud: String = "http://push.test", key: P256.Signing.PrivateKey = key
  ) throws -> (String, String) {
    let end = SystemTime().now.milliseconds / 1_000 + 3_600
    let token = try VAPIDTests.token(VAPIDTests.claims(aud: #""\#(aud)""#, exp: "\(end)"), key: key)
    return ("Authorization", "vapid t=\(token), k=\(VAPIDTests.publicKey(key))")
  }

  private static let plain = [("TTL", "60"), ("Content-Encoding", "aes128gcm")]

  @Test("a message gets to the device as it came, under the sender's key", arguments: ["/fcm/send", "/wp"])
  func delivered(path: String) async throws {
    try await run { server, device, token, sender in
      let id = try #require(UInt64(device.id))
      let secret = try #require(UInt64(device.securityToken))
      let link = Link()
      let credentials = InstallationCredentials(id: InstallationID(id), securityToken: secret)
      try await server.engine.deviceGateway.logIn(credentials, received: [], link: link)
      server.engine.deviceGateway.drain(credentials.id, link: link)
      let body: [UInt8] = [0, 255, 13, 10, 7]
      let answer = try await sender.call(
        "POST", "\(path)/\(token)", bytes: body,
        adding: Self.plain + [try authorization(), ("Urgency", "high"), ("Topic", "abc_DEF-1")])
      #expect(answer.status == 201)
      #expect(answer.raw.header("Location")?.hasPrefix("http://push.test/") == true)
      #expect(answer.raw.header("TTL") == "60")
      var mail = link.mail.makeAsyncIterator()
      let message = try #require(await mail.next())
      #expect(message.rawData == body)
      #expect(message.origin == VAPIDTests.publicKey())
      #expect(message.category == "org.chromium.linux" && message.collapseKey == "abc_DEF-1")
      #expect(message.timeToLive == 60 && message.priority == .high)
      #expect(Set(message.pairs) == [MailPair("content-encoding", "aes128gcm"), MailPair("subtype", Self.subtype)])

      let older = [
        ("TTL", "60"), ("Content-Encoding", "aesgcm"), ("Encryption", "salt=c2FsdA"),
        ("Crypto-Key", "dh=ZGg;p256ecdsa=\(VAPIDTests.publicKey())"),
        ("Authorization", "WebPush " + (try authorization().1.split(separator: "=")[1].split(separator: ",")[0])),
      ]
      #expect(try await sender.call("POST", "\(path)/\(token)", bytes: body, adding: older).status == 201)
      let second = try #require(await mail.next())
      #expect(
        Set(second.pairs) == [
          MailPair("content-encoding", "aesgcm"), MailPair("crypto-key", "dh=ZGg"),
          MailPair("encryption", "salt=c2FsdA"), MailPair("subtype", Self.subtype),
        ])
    }
  }

  @Test("whose key it has to be")
  func keys() async throws {
    try await run { server, _, token, sender in
      let path = "/fcm/send/\(token)"
      let none = try await sender.call("POST", path, "x", adding: Self.plain)
      #expect(none.status == 401 && none.raw.header("WWW-Authenticate") == "vapid")
      let other = P256.Signing.PrivateKey()
      for (field, status) in [
        (try authorization(key: other), 403), (try authorization(aud: "https://other.test"), 403),
        (("Authorization", "vapid t=a.b.c,k=d"), 401), (("Authorization", "key=x"), 401),
      ] {
        #expect(try await sender.call("POST", path, "x", adding: Self.plain + [field]).status == status)
      }
    }
  }

  @Test("with a name of its own, the server takes tokens for that name and those that browsers know")
  func audiences() async throws {
    let settings = MessagingEdgeSettings(
      publicURL: "https://push.example.com", webPushOrigins: ["https://fcm.googleapis.com"])
    try await run(settings: settings) { _, _, token, sender in
      for (aud, status) in [
        ("https://push.example.com", 201), ("https://fcm.googleapis.com", 201), ("http://push.test", 403),
      ] {
        let answer = try await sender.call(
          "POST", "/fcm/send/\(token)", "x", adding: Self.plain + [try authorization(aud: aud)])
        #expect(answer.status == status)
      }
    }
  }

  @Test(
    "what is refused",
    arguments: [
      ([], 1, 400), ([("TTL", "")], 0, 400), ([("TTL", "-1")], 0, 400), ([("TTL", "1.5")], 0, 400),
      ([("TTL", "1")], 1, 400), ([("TTL", "1"), ("Content-Encoding", "gzip")], 1, 400),
      ([("TTL", "1"), ("Content-Encoding", "aesgcm")], 1, 400),
      ([("TTL", "1"), ("Content-Encoding", "aesgcm"), ("Crypto-Key", "dh=ZGg")], 1, 400),
      ([("TTL", "1"), ("Urgency", "now")], 0, 400), ([("TTL", "1"), ("Topic", "a b")], 0, 400),
      ([("TTL", "1"), ("Topic", String(repeating: "a", count: 33))], 0, 400),
      ([("TTL", "1"), ("Content-Encoding", "aes128gcm")], 4_097, 413),
      // And what is not.
      ([("TTL", "1"), ("Content-Encoding", "aes128gcm")], 4_096, 201), ([("TTL", "1")], 0, 201),
      ([("TTL", "99999999999999999999")], 0, 201), ([("TTL", "1"), ("Urgency", "very-low")], 0, 201),
    ] as [([(String, String)], Int, Int)])
  func refused(fields: [(String, String)], bytes: Int, status: Int) async throws {
    try await run { _, _, token, sender in
      let answer = try await sender.call(
        "POST", "/fcm/send/\(token)", String(repeating: "x", count: bytes), adding: fields + [try authorization()])
      #expect(answer.status == status)
      if fields.first?.1.count == 20 { #expect(answer.raw.header("TTL") == "2419200") }
    }
  }

  @Test("a subscription that has ended, and one that never was")
  func dead() async throws {
    try await run { _, device, token, sender in
      let fields = Self.plain + [try authorization()]
      #expect(
        try await device.register3(
          "app=org.chromium.linux&X-subtype=wp%3Ahttps%3A%2F%2Fa.test%2F%231&appid=abcdefghijk&sender=*&scope=*&delete=true"
        ).hasPrefix("token="))
      #expect(try await sender.call("POST", "/fcm/send/\(token)", "x", adding: fields).status == 410)
      let unknown = try await sender.call("POST", "/fcm/send/un:known", "x", adding: fields)
      #expect([404, 410].contains(unknown.status))
      #expect(try await sender.call("POST", "/fcm/send/a%20b", "x", adding: fields).status == 404)
      #expect(try await sender.call("GET", "/wp/\(token)").status == 405)
    }
  }

  @Test("a page that has subscribed with a sender's id is sent to with the sender's key")
  func senderKey() async throws {
    try await ServerHarness.run { server in
      let token = try await TestDevice(server).token(sender: "4711")
      let path = "/fcm/send/\(token)"
      #expect(try await server.appServer("4711").call("POST", path, "x", adding: Self.plain).status == 201)
      #expect(try await server.appServer("4712").call("POST", path, "x", adding: Self.plain).status == 403)
    }
  }
}
