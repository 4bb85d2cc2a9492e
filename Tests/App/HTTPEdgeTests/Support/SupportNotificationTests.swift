import JSONEnvelope
import PushDomain
import Testing

@testable import HTTPEdge

@Suite("Support: who is told of a comment", .timeLimit(.minutes(5)))
struct SupportNotificationTests {
  @Test("11.2: a public agent comment is one POST, with both devices, `ticket_id` a string, and no other keys")
  func publicComment() async throws {
    try await SupportRig.run { rig in
      let user = try await rig.user("1")
      #expect(try await user.registerDevice("<0A 0b>").status == 201)
      #expect(try await user.registerDevice("Droid:1", type: "android").status == 201)
      let number = try await user.ask("one")
      try await rig.agent.comment("Have you tried \\\"off\\\"?", on: number)
      let delivery = try await rig.courier.next()
      #expect(delivery.message.target.deviceID == "https://hooks.example.com/push")
      #expect(
        String(decoding: delivery.message.content, as: UTF8.self)
          == #"{"devices":[{"identifier":"0a0b","type":"ios"},{"identifier":"Droid:1","type":"android"}],"#
          + #""notification":{"body":"Have you tried \"off\"?","title":"Anna replied","ticket_id":"1"}}"#)
      try await rig.agent.comment("And on again?", on: number)
      #expect(try await rig.courier.body().contains("And on again?"))
    }
  }

  @Test("11.3: nobody is told of what is private, the requester's own, not the SDK's, or without a device")
  func silence() async throws {
    try await SupportRig.run { rig in
      let (user, bare) = (try await rig.user("1"), try await rig.user("2"))
      #expect(try await user.registerDevice("aa").status == 201)
      let (number, other) = (try await user.ask("one"), try await bare.ask("two"))
      try await rig.agent.comment("private note", on: number, isPublic: false)
      let own = try await user.call(
        "PUT", "/api/v2/requests/\(number)", #"{"request":{"comment":{"body":"by the requester"}}}"#)
      #expect(own.status == 200)
      let written = try await rig.agent.call(
        "PUT", "/api/v2/tickets/\(number)",
        #"{"ticket":{"comment":{"body":"for the requester","author_id":1}}}"#)
      #expect(written.status == 200)
      let mailed = try await rig.agent.call(
        "POST", "/api/v2/tickets",
        #"{"ticket":{"subject":"By mail","requester_id":1,"via":{"channel":"email"},"comment":{"body":"Dear"}}}"#)
      try await rig.agent.comment("to a mail", on: try #require(mailed.json["ticket"]?["id"]?.integer))
      try await rig.agent.comment("without a device", on: other)
      try await rig.agent.comment("the only one", on: number)
      #expect(try await rig.courier.body().contains("the only one"))
    }
  }

  @Test("11.10: a token that is registered by B hears no more of A's comments")
  func moved() async throws {
    try await SupportRig.run { rig in
      let (ann, bob) = (try await rig.user("ann"), try await rig.user("bob"))
      #expect(try await ann.registerDevice("aa").status == 201)
      let (ofAnn, ofBob) = (try await ann.ask("one"), try await bob.ask("two"))
      #expect(try await bob.registerDevice("aa").status == 201)
      try await rig.agent.comment("to Ann", on: ofAnn)
      try await rig.agent.comment("to Bob", on: ofBob)
      let body = try await rig.courier.body()
      #expect(body.contains("to Bob") && body.contains(#""identifier":"aa""#))
      #expect(try await ann.call("DELETE", "/api/mobile/push_notification_devices/aa").status == 404)
    }
  }
}
