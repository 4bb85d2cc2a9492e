import JSONEnvelope
import Testing
import TextEncoding

@testable import HTTPEdge

@Suite("Support: agents and tickets", .timeLimit(.minutes(5)))
struct SupportTicketTests {
  @Test("a ticket is made for somebody who writes by mail, changed, and listed")
  func life() async throws {
    try await SupportRig.run { rig in
      let made = try await rig.agent.call(
        "POST", "/api/v2/tickets.json?include=last_comment",
        #"{"ticket":{"subject":"By mail","comment":{"body":"Dear"},"#
          + #""requester":{"email":"c@example.com","name":"Carl"},"via":{"channel":"email"},"#
          + #""status":"open","tags":["vip"]}}"#)
      #expect(made.status == 201 && made.raw.header("Location") == "https://help.test/api/v2/tickets/1.json")
      let ticket = try #require(made.json["ticket"])
      #expect(ticket["status"] == "open" && ticket["tags"] == ["vip"] && ticket["via"]?["channel"] == "email")
      #expect(ticket["url"] == "https://help.test/api/v2/tickets/1.json" && ticket["sdk_client_id"] == .null)
      let changed = try await rig.agent.call(
        "PUT", "/api/v2/tickets/1",
        #"{"ticket":{"status":"pending","tags":[],"custom_fields":[{"id":4,"value":"x"}],"#
          + #""assignee_id":\#(try await me(rig))}}"#)
      #expect(changed.status == 200 && changed.json["ticket"]?["status"] == "pending")
      #expect(changed.json["ticket"]?["tags"] == [] && changed.json["ticket"]?["fields"]?[0]?["value"] == "x")
      let query = "?requester_id=\(ticket["requester_id"]?.integer ?? 0)&assignee_id=\(try await me(rig))&include=users"
      let list = try await rig.agent.call("GET", "/api/v2/tickets.json" + query)
      #expect(list.json["tickets"]?.array?.count == 1 && list.json["count"] == 1)
      #expect(list.json["users"]?.array?.contains { $0["email"] == "c@example.com" && $0["name"] == "Carl" } == true)
      #expect(try await rig.agent.call("GET", "/api/v2/tickets?requester_id=77").json["count"] == 0)
    }
  }

  private func me(_ rig: SupportRig) async throws -> Int {
    try #require(try await rig.agent.call("GET", "/api/v2/users/me").json["user"]?["id"]?.integer)
  }

  @Test("an agent shows its token by Bearer or as Zendesk's API tokens are shown")
  func basic() async throws {
    try await SupportRig.run { rig in
      let secret = try rig.server.tokens.create(name: "bea@example.com", role: .agent)
      let caller = MessagingCaller(
        client: try await rig.server.connect(),
        fields: [("Authorization", "Basic " + Base64.encode("bea@example.com/token:\(secret)".utf8))])
      #expect(try await caller.call("GET", "/api/v2/tickets.json").status == 200)
      #expect(try await caller.call("GET", "/api/v2/users/me").json["user"]?["agent"] == true)
      try rig.server.tokens.revoke("bea@example.com")
      #expect(try await caller.call("GET", "/api/v2/tickets.json").status == 401)
    }
  }

  @Test("comments of a ticket come with their writers only where they are asked for")
  func writers() async throws {
    try await SupportRig.run { rig in
      let number = try await rig.user("1").ask("one")
      let path = "/api/v2/tickets/\(number)/comments.json"
      let plain = try await rig.agent.call("GET", path)
      #expect(plain.json.object?.names.contains("users") == false && plain.json["comments"]?.array?.count == 1)
      let asked = try await rig.agent.call("GET", path + "?include=users")
      #expect(asked.json["users"]?.array?.count == 1)
    }
  }

  @Test("nothing can be added to a closed request")
  func closed() async throws {
    try await SupportRig.run { rig in
      let user = try await rig.user("1")
      let number = try await user.ask("one")
      #expect(try await rig.agent.call("PUT", "/api/v2/tickets/1", #"{"ticket":{"status":"closed"}}"#).status == 200)
      let refused = try await user.call("PUT", "/api/v2/requests/\(number)", #"{"request":{"comment":{"body":"x"}}}"#)
      #expect(refused.status == 422)
      #expect(
        refused.body == #"{"error":"RecordInvalid","description":"Record validation errors","#
          + #""details":{"status":[{"description":"closed prevents any update"}]}}"#)
    }
  }

  // MARK: The agents' own API

  @Test("requests are in the agents' list by state, and in their event stream")
  func agents() async throws {
    try await SupportRig.run { rig in
      let stream = try await rig.server.connect()
      let authorization = rig.agent.fields.map { "\($0.0): \($0.1)\r\n" }.joined()
      try await stream.get("/agent/1/events", headers: authorization)
      let user = try await rig.user("1")
      let number = try await user.ask("one")
      let event = try await stream.text(through: "}\n\n")
      #expect(event.contains("event: support\n") && event.contains(#"data: {"change":"created","request":{"id":1,"#))
      #expect(event.contains(#""url":"https://help.test/api/v2/tickets/1.json""#))
      #expect(try await ids(rig, "waiting") == [1])
      try await rig.agent.comment("note", on: number, isPublic: false)
      #expect(try await stream.text(through: "}\n\n").contains(#""change":"commented","commentId":10002,"#))
      for (state, expected) in [("waiting", []), ("own", []), ("all", [1])] {
        #expect(try await ids(rig, state) == expected, "\(state)")
      }
      _ = try await rig.agent.call("PUT", "/api/v2/tickets/1", #"{"ticket":{"assignee_id":\#(try await me(rig))}}"#)
      #expect(try await ids(rig, "own") == [1])
      #expect(try await rig.agent.call("GET", "/agent/1/requests?state=some").status == 400)
      #expect(try await user.call("GET", "/agent/1/requests").status == 401)
    }
  }

  private func ids(_ rig: SupportRig, _ state: String) async throws -> [Int] {
    let answer = try await rig.agent.call("GET", "/agent/1/requests?state=\(state)")
    #expect(answer.status == 200)
    return answer.json.array?.compactMap { $0["id"]?.integer } ?? []
  }

  @Test("a chat is made a request, which refers to its transcript")
  func chat() async throws {
    try await SupportRig.run { rig in
      let client = try await rig.server.connect()
      try await client.post("/genesys/1/service/request-chat", "{}")
      let service = try JSONValue(parsing: try await client.response().body)["_id"]?.string ?? ""
      try await client.post(
        "/genesys/1/service/\(service)/ixn/chat", #"{"nickname":"Alice","subject":"Order"}"#,
        headers: "gms_user: alice\r\n")
      _ = try await client.response()
      let chat = try #require(try await rig.agent.call("GET", "/agent/1/chats").json[0]?["chatId"]?.string)
      let made = try await rig.agent.call(
        "POST", "/agent/1/chats/\(chat)/request", #"{"comment":{"body":"Call back","public":false}}"#)
      #expect(made.status == 201 && made.json["subject"] == "Order" && made.json["via"]?["channel"] == "chat")
      #expect(made.json["transcript"]?["chat_id"] == .string(chat) && made.json["last_comment"]?["public"] == false)
      #expect(made.json["transcript"]?["service_id"] == .string(service))
      let named = try await rig.agent.call("POST", "/agent/1/chats/\(chat)/request", #"{"subject":"Again"}"#)
      #expect(named.status == 201 && named.json["subject"] == "Again" && named.json["id"] == 2)
      #expect(named.json["requester_id"] == made.json["requester_id"])
      #expect(try await rig.agent.call("POST", "/agent/1/chats/none/request").status == 404)
    }
  }
}
