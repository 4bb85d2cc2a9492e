import Engine
import JSONEnvelope
import Testing

@testable import HTTPEdge

@Suite("Searching over HTTP", .timeLimit(.minutes(5)))
struct AgentSearchTests {
  private static let path = "/agent/1/search"

  /// A chat whose customer says something; texts go into JSON as they are. - Returns: its id.
  @discardableResult
  private func chat(
    _ rig: DeskRig, of service: String, _ texts: String..., name: String = "Guest", subject: String = ""
  ) async throws -> String {
    let app = CallbackCaller(client: try await rig.server.connect())
    let id = try #require(try await app.json("POST", "/genesys/1/service/\(service)")["_id"]?.string)
    let own = "/genesys/1/service/\(id)/ixn/chat"
    let reply = try await app.json("POST", own, #"{"nickname":"\#(name)","subject":"\#(subject)"}"#)
    for text in texts {
      #expect(try await app.call("POST", own + "/send", #"{"message":"\#(text)"}"#).status == 200)
    }
    return try #require(reply["chatSessionId"]?.string)
  }

  /// Waits until all that was said can be found.
  private func settle(_ rig: DeskRig) async throws { try await until { rig.server.engine.agents.search.isSettled } }

  @Test("a hit says where it is and what has the words; the newest comes first")
  func hits() async throws {
    try await DeskRig.run { rig in
      let chat = try await chat(
        rig, of: "sales", "Where is my parcel?", "<script>alert(1)</script> Größe 42", name: "Ann Archer",
        subject: "Parcel 81")
      let anna = try await rig.requests(rig.token("anna", services: ["sales"]))
      #expect(try await anna.call("POST", "/agent/1/chats/\(chat)/join", #"{"nickname":"Anna"}"#).status == 200)
      #expect(try await anna.call("POST", "/agent/1/chats/\(chat)/private", #"{"text":"parcel lost"}"#).status == 200)
      try await settle(rig)
      let answer = try await anna.json("GET", Self.path + "?q=PARCEL")
      #expect(answer["complete"] == true && answer["gap"]?.isNull == true && answer["next"]?.isNull == true)
      let hits = try #require(answer["hits"]?.array)
      #expect(hits.map { $0["text"] } == ["parcel lost", "Where is my parcel?", "Parcel 81"])
      #expect(hits.map { $0["match"] } == ["text", "text", "subject"])
      #expect(hits.map { $0["visibility"] } == ["agent", "all", "all"])
      #expect(hits.map { $0["position"] ?? .null } == [.null, 2, .null])
      #expect(hits.allSatisfy { $0["chatId"]?.string == chat && $0["customer"] == "Ann Archer" })
      #expect(hits.allSatisfy { $0["subject"] == "Parcel 81" && $0["time"]?.string?.hasSuffix("Z") == true })
      #expect(try await anna.json("GET", Self.path + "?q=archer")["hits"]?[0]?["match"] == "name")
      // What came as markup goes as text.
      #expect(
        try await anna.json("GET", Self.path + "?q=42%20grosse")["hits"]?[0]?["text"]
          == "<script>alert(1)</script> Größe 42")
      #expect(try await anna.json("GET", Self.path + "?q=nothing")["hits"] == [])
    }
  }

  @Test("whoever sees a chat in lists finds it; others, and those who are no agents, do not")
  func sight() async throws {
    try await DeskRig.run { rig in
      try await chat(rig, of: "sales", "parcel of sales")
      try await chat(rig, of: "help", "parcel of help")
      try await settle(rig)
      for (name, role, services, found) in [
        ("anna", TokenRole.agent, ["sales"], ["parcel of sales"]), ("bert", .agent, ["help"], ["parcel of help"]),
        ("cleo", .agent, ["other"], []), ("dora", .supervisor, [], ["parcel of help", "parcel of sales"]),
        ("bot", .bot, ["sales"], ["parcel of sales"]),
      ] {
        let caller = try await rig.requests(rig.token(name, role, services: services))
        let hits = try #require(try await caller.json("GET", Self.path + "?q=parcel")["hits"]?.array)
        #expect(Set(hits.compactMap { $0["text"]?.string }) == Set(found), "\(name)")
      }
      for (secret, status) in [(try rig.token("ops", .admin), 403), ("car_wrong", 401)] {
        let caller = try await rig.requests(secret)
        #expect(try await caller.call("GET", Self.path + "?q=parcel").status == status)
      }
      let nobody = CallbackCaller(client: try await rig.server.connect())
      #expect(try await nobody.call("GET", Self.path + "?q=parcel").status == 401)
      #expect(try await nobody.call("POST", Self.path + "?q=parcel").status == 405)
    }
  }

  @Test("it comes in pages, and says where it goes on, in the answer and in Link")
  func pages() async throws {
    try await DeskRig.run { rig in
      try await chat(rig, of: "sales", "parcel 1", "parcel 2", "parcel 3", "parcel 4", "parcel 5")
      try await settle(rig)
      let anna = try await rig.requests(rig.token("anna"))
      var found: [String] = []
      var path: String? = Self.path + "?q=parcel&limit=2"
      while let next = path {
        let answer = try await anna.call("GET", next)
        let page = try JSONValue(parsing: answer.body)
        found += page["hits"]?.array?.compactMap { $0["text"]?.string } ?? []
        path = answer.header("Link").map { String($0.dropFirst().prefix { $0 != ">" }) }
        #expect((page["next"]?.string == nil) == (path == nil))
      }
      #expect(found == (1...5).reversed().map { "parcel \($0)" })
    }
  }

  @Test("what cannot be looked for is 400 and names its parameter")
  func refusals() async throws {
    try await DeskRig.run { rig in
      let anna = try await rig.requests(rig.token("anna"))
      let long = String(repeating: "x", count: 257)
      let many = (0..<17).map { "w\($0)" }.joined(separator: "+")
      for (query, name) in [
        ("", "q"), ("?q=", "q"), ("?q=%20", "q"), ("?q=%3F%21", "q"), ("?q=\(long)", "q"), ("?q=\(many)", "q"),
        ("?q=a&q=b", "q"), ("?q=%FF", "q"), ("?q=a&limit=0", "limit"), ("?q=a&limit=101", "limit"),
        ("?q=a&limit=x", "limit"), ("?q=a&cursor=x", "cursor"), ("?q=a&cursor=", "cursor"),
        ("?q=a&after=1.2.x", "after"), ("?q=a&service=sales", "service"),
      ] {
        let answer = try await anna.call("GET", Self.path + query)
        #expect(answer.status == 400 && answer.body.contains("'\(name)'"), "\(query): \(answer.body)")
      }
    }
  }

  @Test("while the index is being made, the answer says so; where it is off, there is none")
  func states() async throws {
    try await ServerHarness.run(options: ["server": ["search.enabled": "false"]]) { server in
      let rig = DeskRig(server: server)
      let anna = try await rig.requests(rig.token("anna"))
      let answer = try await anna.call("GET", Self.path + "?q=parcel")
      #expect(answer.status == 404 && answer.body.contains("search.enabled"))
    }
    try await ServerHarness.run(configureEngine: { $0.limits.searchBytesMaximum = 1 }) { server in
      let rig = DeskRig(server: server)
      try await settle(rig)
      let anna = try await rig.requests(rig.token("anna"))
      let answer = try await anna.json("GET", Self.path + "?q=parcel")
      #expect(answer["complete"] == false && answer["gap"] == "full")
    }
  }
}
