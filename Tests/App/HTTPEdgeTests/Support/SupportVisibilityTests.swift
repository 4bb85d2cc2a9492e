import JSONEnvelope
import Testing

@testable import HTTPEdge

@Suite("Support: what an end user must not see", .timeLimit(.minutes(5)))
struct SupportVisibilityTests {
  @Test("private comments are in no answer, no count and no tag of an end user's")
  func privateComments() async throws {
    try await SupportRig.run { rig in
      let user = try await rig.user("1")
      let number = try await user.ask("one")
      try await rig.agent.comment("public answer", on: number)
      let paths = [
        "/api/mobile/requests.json?include=last_comment,first_comment,users", "/api/v2/requests/1?include=last_comment",
        "/api/v2/requests/1/comments", "/api/v2/requests/1/comments?role=agent", "/api/v2/requests/updates",
        "/api/v2/requests/show_many?ids=1&include=last_comment,users",
      ]
      var before: [MessagingCaller.Answer] = []
      for path in paths { before.append(try await user.call("GET", path)) }
      let second = try await rig.holder("bea@example.com", .agent)
      try await second.comment("secret note", on: number, isPublic: false)
      let tagged = try await rig.agent.call("PUT", "/api/v2/tickets/1", #"{"ticket":{"assignee_id":2}}"#)
      #expect(tagged.status == 200)
      for (path, known) in zip(paths, before) {
        let now = try await user.call("GET", path)
        #expect(!now.body.contains("secret") && !now.body.contains("bea"), "\(path)")
        #expect(now.json["count"] == known.json["count"], "\(path)")
        if !path.contains("updates"), let comment = now.json["request"]?["last_comment"] {
          #expect(comment["body"] == "public answer")
        }
        #expect(now.json["request"]?["comment_count"] == known.json["request"]?["comment_count"])
        #expect(now.json["request"]?["updated_at"] == known.json["request"]?["updated_at"])
      }
      for path in ["/api/v2/requests/1/comments", "/api/v2/requests/updates"] {
        let known = try #require(before[paths.firstIndex(of: path) ?? 0].raw.header("ETag"))
        #expect(try await user.call("GET", path).raw.header("ETag") == known, "\(path)")
      }
      let seen = try await rig.agent.call("GET", "/api/v2/tickets/1/comments.json")
      #expect(seen.body.contains("secret note") && seen.json["count"] == 3)
    }
  }

  @Test("a comment's answer to its agent is complete, the requester's own is not more than theirs")
  func answers() async throws {
    try await SupportRig.run { rig in
      let user = try await rig.user("1")
      let number = try await user.ask("one")
      try await rig.agent.comment("secret note", on: number, isPublic: false)
      let own = try await user.call(
        "PUT", "/api/v2/requests/1?include=last_comment,first_comment", #"{"request":{"comment":{"body":"more"}}}"#)
      #expect(own.json["request"]?["comment_count"] == 2 && !own.body.contains("secret"))
      let agents = try await rig.agent.call("GET", "/api/v2/tickets/1?include=last_comment")
      #expect(agents.json["ticket"]?["comment_count"] == 3)
    }
  }

  @Test(
    "an anonymous user sees only its own requests: another's are not there",
    arguments: [
      ("GET", "/api/mobile/requests/1.json", ""), ("GET", "/api/v2/requests/1/comments", ""),
      ("PUT", "/api/v2/requests/1", #"{"request":{"comment":{"body":"mine now"}}}"#),
      ("POST", "/api/v2/requests/1/read", "{}"), ("GET", "/api/v2/requests/2", ""), ("GET", "/api/v2/requests/0", ""),
      ("GET", "/api/v2/requests/x", ""), ("GET", "/api/v2/requests/99999999999999999999", ""),
    ])
  func others(method: String, path: String, body: String) async throws {
    try await SupportRig.run { rig in
      let (ann, bob) = (try await rig.user("ann"), try await rig.user("bob"))
      _ = try await ann.ask("one")
      let refused = try await bob.call(method, path, body)
      #expect(refused.status == 404 && refused.body == #"{"error":"RecordNotFound","description":"Not found"}"#)
      #expect(try await bob.call("GET", "/api/v2/requests").json["count"] == 0)
      #expect(try await bob.call("GET", "/api/mobile/requests/show_many?tokens=1").json["count"] == 0)
      #expect(try await bob.call("GET", "/api/mobile/requests/updates").json["count"] == 0)
    }
  }
}
