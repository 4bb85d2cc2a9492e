import Engine
import JSONEnvelope
import PushDomain
import Testing

@testable import HTTPEdge

@Suite("Messages over FCM HTTP v1", .timeLimit(.minutes(5)))
struct SendV1Tests {
  private static let path = "/v1/projects/shop-1/messages:send"

  @Test("a message reaches the device, and its name says which it was")
  func delivery() async throws {
    try await SendRig.run { rig in
      let box = try await rig.connect()
      let answer = try await rig.send(
        """
        {"message":{"token":"\(rig.token)","data":{"a":"1"},"android":{"collapse_key":"k","ttl":"60s"}}}
        """, path: Self.path, authorization: "Bearer \(rig.key)")
      #expect(answer.status == 200)
      let mail = try #require(await box.next())
      #expect(answer.json["name"]?.string == "projects/shop-1/messages/\(mail.id)")
      #expect(mail.collapseKey == "k")
      #expect(mail.timeToLive == 60)
    }
  }

  @Test("a trial delivers nothing")
  func validateOnly() async throws {
    try await SendRig.run { rig in
      let answer = try await rig.send(
        #"{"validate_only":true,"message":{"token":"\#(rig.token)"}}"#, path: Self.path)
      #expect(answer.json["name"]?.string == "projects/shop-1/messages/fake_message_id")
    }
  }

  @Test("a dead token is a 404, a stranger's a 403, nonsense a 400")
  func tokens() async throws {
    try await SendRig.run { rig in
      func outcome(_ token: String) async throws -> String {
        let answer = try await rig.send(#"{"message":{"token":"\#(token)"}}"#, path: Self.path)
        return "\(answer.status) \(answer.json["error"]?["details"]?[0]?["errorCode"]?.string ?? "")"
      }
      let stranger = try await rig.server.engine.installations.register(SendRig.form(sender: "99"), rig.device)
      #expect(try await outcome("42") == "400 INVALID_ARGUMENT")
      #expect(try await outcome(stranger) == "403 SENDER_ID_MISMATCH")
      try await rig.server.engine.installations.unregister(
        app: SendRig.app, subtype: nil, instanceID: nil, senders: [], rig.device)
      #expect(try await outcome(rig.token) == "404 UNREGISTERED")
    }
  }

  @Test("a field of the wrong kind is named")
  func violation() async throws {
    try await SendRig.run { rig in
      let answer = try await rig.send(#"{"message":{"token":"t","data":{"a":5}}}"#, path: Self.path)
      #expect(answer.status == 400)
      let violation = answer.json["error"]?["details"]?[1]?["fieldViolations"]?[0]
      #expect(violation?["field"] == "message.data[0].value")
    }
  }

  @Test("a misspelt field is told in the words of the real service, and nothing is sent")
  func unknownField() async throws {
    try await SendRig.run { rig in
      let answer = try await rig.send(
        #"{"message":{"token":"\#(rig.token)","dta":{"a":"1"}}}"#, path: Self.path)
      #expect(answer.status == 400)
      let text = #"Invalid JSON payload received. Unknown name "dta" at 'message': Cannot find field."#
      #expect(answer.json["error"]?["message"]?.string == text)
      #expect(answer.json["error"]?["status"] == "INVALID_ARGUMENT")
      let violation = answer.json["error"]?["details"]?[1]?["fieldViolations"]?[0]
      #expect(violation?["field"] == "message" && violation?["description"]?.string == text)
    }
  }

  @Test("what is said to Apple's devices only changes nothing for Android's: the message waits")
  func platforms() async throws {
    try await SendRig.run { rig in
      let answer = try await rig.send(
        """
        {"message":{"token":"\(rig.token)","apns":{"headers":{"apns-expiration":"0","apns-collapse-id":"c"}},\
        "webpush":{"headers":{"TTL":"0","Topic":"w"},"data":{"w":"1"}},"fcm_options":{"analytics_label":"spring"},\
        "android":{"notification":{"notification_count":3,"visibility":"PUBLIC"}}}}
        """, path: Self.path)
      #expect(answer.status == 200)
      // It was not there: a message with no time to live would be gone.
      let mail = try #require(await rig.connect().next())
      #expect(mail.timeToLive == 2_419_200 && mail.collapseKey == SendRig.app)
      let pairs = Set(mail.pairs)
      #expect(pairs.contains(MailPair("gcm.notification.notification_count", "3")))
      #expect(pairs.contains(MailPair("gcm.notification.visibility", "1")))
      #expect(pairs.contains(MailPair("google.c.a.m_l", "spring")) && !pairs.contains(MailPair("w", "1")))
    }
  }

  @Test("a key of another project is refused")
  func project() async throws {
    try await SendRig.run { rig in
      let key = try await rig.server.senderKey("other", SenderGrant(sender: SendRig.sender, projectID: "shop-2"))
      let body = #"{"message":{"token":"\#(rig.token)"}}"#
      #expect(try await rig.send(body, path: Self.path, authorization: "Bearer \(key)").status == 403)
      for project in ["shop-2", SendRig.sender] {
        let path = "/v1/projects/\(project)/messages:send"
        #expect(try await rig.send(body, path: path, authorization: "Bearer \(key)").status == 200)
      }
    }
  }
}
