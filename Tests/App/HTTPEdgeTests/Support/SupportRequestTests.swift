import JSONEnvelope
import Testing

@testable import HTTPEdge

@Suite("Support: requests of end users", .timeLimit(.minutes(5)))
struct SupportRequestTests {
  @Test("a request is made as the SDK makes it, and shown as the Requests API shows it", arguments: ["mobile", "v2"])
  func create(api: String) async throws {
    try await SupportRig.run { rig in
      let user = try await rig.user("1")
      let made = try await user.call(
        "POST", "/api/\(api)/requests.json?include=last_comment",
        #"{"request":{"subject":"My printer","comment":{"body":"It's on <fire>\n\nQuick"},"tags":["hot"],"#
          + #""custom_fields":[{"id":7,"value":["a",1]},{"id":"8","value":null}],"ticket_form_id":3,"#
          + #""metadata":{"sdk":{"device_os":"17.1"}}}}"#)
      #expect(made.status == 201 && made.raw.header("Location") == "https://help.test/api/v2/requests/1.json")
      #expect(made.raw.header("Cache-Control") == "no-cache, no-store")
      let at = try #require(made.json["request"]?["created_at"]?.string)
      let comment =
        #"{"id":10001,"type":"Comment","request_id":1,"author_id":1,"body":"It's on <fire>\n\nQuick","#
        + #""html_body":"<div class=\"zd-comment\"><p>It&#39;s on &lt;fire&gt;</p><p>Quick</p></div>","#
        + #""plain_body":"It's on <fire>\n\nQuick","public":true,"attachments":[],"created_at":"\#(at)"}"#
      let fields = #"[{"id":7,"value":["a",1]},{"id":8,"value":null}]"#
      let request =
        #"{"id":1,"url":"https://help.test/api/v2/requests/1.json","status":"new","priority":null,"type":null,"#
        + #""subject":"My printer","description":"It's on <fire>\n\nQuick","requester_id":1,"assignee_id":null,"#
        + #""organization_id":null,"group_id":null,"due_at":null,"recipient":null,"followup_source_id":null,"#
        + #""collaborator_ids":[],"via":{"channel":"mobile_sdk","source":{"from":{},"to":{},"rel":null}},"#
        + #""created_at":"\#(at)","updated_at":"\#(at)","public_updated_at":"\#(at)","comment_count":1,"#
        + #""commenting_agents_ids":[],"custom_fields":\#(fields),"fields":\#(fields),"ticket_form_id":3,"#
        + #""can_be_solved_by_me":true"#
      #expect(made.body == #"{"request":\#(request),"last_comment":\#(comment)}}"#)
      let shown = try await user.call("GET", "/api/\(api)/requests/1.json")
      #expect(shown.status == 200 && shown.body == #"{"request":\#(request)}}"#)
    }
  }

  @Test("both names of a path, with and without `.json`, are one resource")
  func aliases() async throws {
    try await SupportRig.run { rig in
      let user = try await rig.user("1")
      let number = try await user.ask("one")
      for path in ["/requests/\(number)", "/requests/\(number)/comments", "/requests/show_many", "/requests/updates"] {
        var answers: Set<String> = []
        for prefix in ["/api/v2", "/api/mobile"] {
          for suffix in ["", ".json", "/"] {
            let answer = try await user.call("GET", prefix + path + suffix + "?tokens=\(number)")
            #expect(answer.status == 200, "\(prefix + path + suffix)")
            answers.insert(answer.body.replacing("/api/mobile/", with: "/api/v2/"))
          }
        }
        #expect(answers.count == 1, "\(path)")
      }
      #expect(try await user.call("GET", "/api/v2/requests.xml").status == 404)
    }
  }

  @Test("a list is newest first, in pages, by status, with whom it names")
  func list() async throws {
    try await SupportRig.run { rig in
      let (user, other) = (try await rig.user("1"), try await rig.user("2"))
      for subject in ["one", "two", "three"] { _ = try await user.ask(subject) }
      _ = try await other.ask("not theirs")
      try await rig.agent.comment("An answer", on: 2)
      let first = try await user.call("GET", "/api/mobile/requests.json?per_page=2&status=new,open&include=users")
      #expect(subjects(first) == ["three", "two"] && first.json["count"] == 3)
      #expect(
        first.json["next_page"]
          == "https://help.test/api/mobile/requests.json?per_page=2&status=new%2Copen&include=users&page=2")
      #expect(first.json["previous_page"] == .null)
      #expect(first.json["users"]?.array?.map { $0["name"] } == ["Anonymous", "Anna"])
      let second = try await user.call("GET", "/api/mobile/requests.json?per_page=2&page=2")
      #expect(subjects(second) == ["one"] && second.json["next_page"] == .null)
      #expect(second.json["previous_page"] == "https://help.test/api/mobile/requests.json?per_page=2&page=1")
      #expect(subjects(try await user.call("GET", "/api/v2/requests?status=open")) == ["two"])
      #expect(subjects(try await user.call("GET", "/api/v2/requests?page=9")) == [])
      let some = try await user.call("GET", "/api/mobile/requests/show_many.json?tokens=1,3,4,99,x")
      #expect(some.json["requests"]?.array?.count == 2 && some.json["count"] == 2)
    }
  }

  private func subjects(_ answer: MessagingCaller.Answer) -> [String] {
    answer.json["requests"]?.array?.compactMap { $0["subject"]?.string } ?? []
  }

  @Test("comments are added, and come oldest first, by side, by date, in pages, with who wrote them")
  func comments() async throws {
    try await SupportRig.run { rig in
      let user = try await rig.user("1")
      let number = try await user.ask("one", "first")
      try await rig.agent.comment("second", on: number)
      let path = "/api/mobile/requests/\(number)"
      let added = try await user.call(
        "PUT", path + ".json?include=last_comment,first_comment", #"{"request":{"comment":{"body":"third"}}}"#)
      #expect(added.status == 200 && added.json["request"]?["comment_count"] == 3)
      #expect(added.json["request"]?["last_comment"]?["body"] == "third")
      #expect(added.json["request"]?["first_comment"]?["body"] == "first")
      #expect(added.json["request"]?["commenting_agents_ids"]?.array?.count == 1)
      let all = try await user.call("GET", path + "/comments.json")
      #expect(bodies(all) == ["first", "second", "third"] && all.json["count"] == 3)
      #expect(all.json["users"]?.array?.map { $0["agent"] } == [false, true])
      #expect(all.json["users"]?.array?.allSatisfy { $0["email"] == nil } == true)
      let agents = try await user.call("GET", path + "/comments.json?role=agent")
      #expect(bodies(agents) == ["second"] && agents.json["users"]?.array?.map { $0["name"] } == ["Anna"])
      #expect(bodies(try await user.call("GET", path + "/comments?role=end_user")) == ["first", "third"])
      #expect(bodies(try await user.call("GET", path + "/comments?per_page=2&page=2")) == ["third"])
      #expect(bodies(try await user.call("GET", path + "/comments?since=2000-01-01T00:00:00Z")).count == 3)
      #expect(bodies(try await user.call("GET", path + "/comments?since=2200-01-01T00:00:00Z")) == [])
      // What is shown of a comment is what is compared: the last one that was shown does not come again.
      let last = try #require(all.json["comments"]?.array?.last?["created_at"]?.string)
      #expect(bodies(try await user.call("GET", path + "/comments?since=\(last)")) == [])
    }
  }

  private func bodies(_ answer: MessagingCaller.Answer) -> [String] {
    answer.json["comments"]?.array?.compactMap { $0["body"]?.string } ?? []
  }

  @Test("an end user may say that it is solved, and nothing else that is the agents'")
  func changes() async throws {
    try await SupportRig.run { rig in
      let user = try await rig.user("1")
      let path = "/api/v2/requests/\(try await user.ask("one"))"
      for (change, field) in [
        (#""tags":["x"]"#, "tags"), (#""custom_fields":[{"id":1,"value":1}]"#, "custom_fields"),
        (#""status":"pending""#, "status"),
      ] {
        let refused = try await user.call("PUT", path, #"{"request":{\#(change)}}"#)
        #expect(refused.status == 422 && refused.json["details"]?.object?.names == [field])
      }
      let solved = try await user.call("PUT", path, #"{"request":{"solved":true}}"#)
      #expect(solved.status == 200 && solved.json["request"]?["status"] == "solved")
      #expect(solved.json["request"]?["can_be_solved_by_me"] == false)
      let again = try await user.call("PUT", path, #"{"request":{"comment":{"body":"not yet","public":false}}}"#)
      #expect(again.json["request"]?["status"] == "open" && again.json["request"]?["comment_count"] == 2)
    }
  }

  @Test("what is unread is counted anew each time, by device")
  func reading() async throws {
    try await SupportRig.run { rig in
      let user = try await rig.user("1")
      #expect(try await user.registerDevice("aa").status == 201)
      #expect(try await user.registerDevice("bb").status == 201)
      let (one, two) = (try await user.ask("one"), try await user.ask("two"))
      func updates(_ device: String) async throws -> String {
        try await user.call("GET", "/api/mobile/requests/updates.json?device=\(device)").body
      }
      #expect(try await updates("aa") == #"{"updates":[],"count":0}"#)
      try await rig.agent.comment("A", on: one)
      try await rig.agent.comment("B", on: one)
      try await rig.agent.comment("C", on: two, isPublic: false)
      #expect(try await updates("aa") == #"{"updates":[{"request_id":1,"unread":2}],"count":1}"#)
      let read = try await user.call("POST", "/api/v2/requests/1/read.json", #"{"comment_id":10002,"device":"<A a>"}"#)
      #expect(read.status == 204)
      #expect(try await updates("aa") == #"{"updates":[{"request_id":1,"unread":1}],"count":1}"#)
      #expect(try await updates("bb") == #"{"updates":[{"request_id":1,"unread":2}],"count":1}"#)
      #expect(try await user.call("GET", "/api/mobile/requests/1/comments.json?device=bb").status == 200)
      #expect(try await updates("bb") == #"{"updates":[],"count":0}"#)
      let foreign = try await user.call("POST", "/api/v2/requests/1/read", #"{"comment_id":20001}"#)
      #expect(foreign.status == 422 && foreign.json["details"]?.object?.names == ["comment_id"])
    }
  }

  // MARK: Conditional reads

  @Test(
    "what has not changed is not sent again, and a tag changes with what shows",
    arguments: ["/api/v2/requests", "/api/mobile/requests/1.json", "/api/mobile/requests/1/comments.json"])
  func entityTags(path: String) async throws {
    try await SupportRig.run { rig in
      let user = try await rig.user("1")
      _ = try await user.ask("one")
      try await rig.agent.comment("an answer", on: 1)
      let first = try await user.call("GET", path)
      let tag = try #require(first.raw.header("ETag"))
      #expect(tag.hasPrefix("\"") && first.raw.header("Cache-Control") == "private, no-cache")
      // A private note does not show, so nothing of it may.
      try await rig.agent.comment("a private note", on: 1, isPublic: false)
      for header in [tag, "W/\(tag)", "\"x\", \(tag)", "*"] {
        let unchanged = try await user.call("GET", path, adding: [("If-None-Match", header)])
        #expect(unchanged.status == 304 && unchanged.body.isEmpty && unchanged.raw.header("ETag") == tag)
      }
      try await rig.agent.comment("another answer", on: 1)
      let changed = try await user.call("GET", path, adding: [("If-None-Match", tag)])
      #expect(changed.status == 200 && changed.raw.header("ETag") != tag)
      let head = MessagingCaller(client: try await rig.server.connect(), fields: user.fields)
      let answer = try await rig.head(path, head)
      #expect(answer.header("ETag") == changed.raw.header("ETag"))
    }
  }
}

extension SupportRig {
  func head(_ path: String, _ caller: MessagingCaller) async throws -> RawClient.Response {
    let lines = caller.fields.map { "\($0.0): \($0.1)\r\n" }.joined()
    try await caller.client.write("HEAD \(path) HTTP/1.1\r\nHost: x\r\n\(lines)\r\n")
    return try await caller.client.response(withoutBody: true)
  }
}
