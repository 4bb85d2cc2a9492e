import JSONEnvelope
import Testing

@testable import HTTPEdge

@Suite("The stream of messages' steps", .timeLimit(.minutes(5)))
struct MessageStreamTests {
  @Test("an operator sees what happens to a message, and never what it says")
  func steps() async throws {
    try await SendRig.run { rig in
      let ops = try rig.server.tokens.create(name: "ops", role: .admin)
      let client = try await rig.server.connect()
      try await client.get("/admin/1/messages/stream", headers: "Authorization: Bearer \(ops)\r\n")
      let head = try await client.response(withoutBody: true)
      #expect(head.status == 200)
      #expect(head.header("Content-Type") == "text/event-stream")
      let sent = try await rig.send(#"{"to":"\#(rig.token)","data":{"a":"secret-text"}}"#)
      let id = try #require(sent.json["results"]?[0]?["message_id"]?.string)
      let accepted = try await client.text(through: "\n\n")
      #expect(accepted.contains("event: accepted\n"))
      #expect(accepted.contains(#""messageId":"\#(id)""#))
      #expect(accepted.contains(#""sender":"\#(SendRig.sender)""#))
      #expect(!accepted.contains("secret-text"))
      #expect(!accepted.contains(rig.token))
      #expect(try await client.text(through: "\n\n").contains("event: stored\n"))
      await client.close()
    }
  }

  @Test("a sender sees its own messages, and may not ask for others'")
  func own() async throws {
    try await SendRig.run { rig in
      let other = try await rig.server.senderKey("other", SenderGrant(sender: "99"))
      let client = try await rig.server.connect()
      try await client.get("/admin/1/messages/stream?sender=99", headers: "Authorization: key=\(rig.key)\r\n")
      #expect(try await client.response().status == 403)
      try await client.get("/admin/1/messages/stream", headers: "Authorization: key=\(rig.key)\r\n")
      #expect(try await client.response(withoutBody: true).status == 200)
      _ = try await rig.send(#"{"to":"42"}"#, authorization: "key=\(other)")
      _ = try await rig.send(#"{"to":"43"}"#)
      let event = try await client.text(through: "\n\n")
      #expect(event.contains("event: refused\n"))
      #expect(event.contains(#""sender":"\#(SendRig.sender)""#))
      await client.close()
    }
  }

  @Test("without a token there is none")
  func unauthorized() async throws {
    try await SendRig.run { rig in
      let client = try await rig.server.connect()
      try await client.get("/admin/1/messages/stream")
      #expect(try await client.response().status == 401)
    }
  }
}
