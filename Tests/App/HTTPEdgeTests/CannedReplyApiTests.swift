import JSONEnvelope
import Testing

@testable import HTTPEdge

@Suite("Canned replies over HTTP", .timeLimit(.minutes(5)))
struct CannedReplyApiTests {
  private static let path = "/agent/1/canned"

  @Test("are kept, found by language, changed and given up; the console reads what it expects")
  func life() async throws {
    try await DeskRig.run { desk in
      let anna = try await desk.requests(try desk.token("anna"))
      let boss = try await desk.requests(try desk.token("boss", .supervisor))
      #expect(try await anna.json("GET", Self.path) == ["replies": []])
      let made = try await anna.call(
        "POST", Self.path, #"{"shortcut":"Hi","language":"de_AT","text":"Hallo {{customer.firstName}}"}"#)
      #expect(made.status == 201)
      let reply = try JSONValue(parsing: made.body)
      #expect(reply["shortcut"] == "hi" && reply["language"] == "de-at" && reply["scope"] == "own")
      #expect(reply["text"] == "Hallo {{customer.firstName}}" && reply["savedBy"] == "anna")
      let id = try #require(reply["id"]?.string)
      let shared = try await boss.call("POST", Self.path, #"{"shortcut":"bye","text":"Bye","scope":"shared"}"#)
      #expect(shared.status == 201)
      let all = try #require(try await anna.json("GET", Self.path)["replies"]?.array)
      #expect(all.map { $0["shortcut"] } == ["hi", "bye"] && all.map { $0["scope"] } == ["own", "shared"])
      #expect(all[1].object?.names.contains("language") == false)
      for (language, found) in [("de", ["hi", "bye"]), ("en", ["bye"]), ("DE-at", ["hi", "bye"])] {
        let some = try await anna.json("GET", "\(Self.path)?language=\(language)")["replies"]?.array
        #expect(some?.compactMap { $0["shortcut"]?.string } == found, "\(language)")
      }
      let changed = try await anna.call("PUT", "\(Self.path)/\(id)", #"{"shortcut":"hi","text":"Hallo"}"#)
      #expect(changed.status == 200)
      #expect(try JSONValue(parsing: changed.body)["id"]?.string == id)
      #expect(try JSONValue(parsing: changed.body)["language"] == nil, "what is not there is empty")
      let gone = try await anna.call("DELETE", "\(Self.path)/\(id)")
      #expect(gone.status == 204 && gone.body.isEmpty)
      #expect(try await anna.call("DELETE", "\(Self.path)/\(id)").status == 404)
      #expect(try await anna.call("PUT", "\(Self.path)/\(id)", #"{"shortcut":"hi","text":"x"}"#).status == 404)
      #expect(try await anna.json("GET", Self.path)["replies"]?.array?.count == 1)
    }
  }

  @Test("agents read what is shared and do not write it; operators have no others; nobody finds another one's own")
  func roles() async throws {
    try await DeskRig.run { desk in
      let anna = try await desk.requests(try desk.token("anna"))
      let bert = try await desk.requests(try desk.token("bert", services: ["help"]))
      let boss = try await desk.requests(try desk.token("boss", .supervisor))
      let ops = try await desk.requests(try desk.token("ops", .admin))
      let (own, shared) = (#"{"shortcut":"a","text":"x"}"#, #"{"shortcut":"s","text":"x","scope":"shared"}"#)
      let annas = try #require(try await anna.json("POST", Self.path, own)["id"]?.string)
      #expect(try await anna.call("POST", Self.path, shared).status == 403)
      let all = try #require(try await ops.json("POST", Self.path, shared)["id"]?.string)
      #expect(try await ops.call("POST", Self.path, own).status == 403)
      #expect(try await boss.call("POST", Self.path, shared).status == 409)
      for (who, status) in [(anna, 403), (bert, 403), (boss, 200), (ops, 200)] {
        #expect(try await who.call("PUT", "\(Self.path)/\(all)", own).status == status)
      }
      for who in [bert, boss, ops] {
        let answer = try await who.call("PUT", "\(Self.path)/\(annas)", own)
        let missing = try await who.call("PUT", "\(Self.path)/nothing", own)
        #expect(answer.status == 404 && answer.body == missing.body)
        #expect(try await who.call("DELETE", "\(Self.path)/\(annas)").status == 404)
      }
      #expect(try await bert.json("GET", Self.path)["replies"]?.array?.compactMap { $0["id"]?.string } == [all])
      #expect(try await anna.call("DELETE", "\(Self.path)/\(all)").status == 403)
      let nobody = CallbackCaller(client: try await desk.server.connect())
      #expect(try await nobody.call("GET", Self.path).status == 401)
      let back = try await desk.requests(try desk.token("back", .publisher))
      #expect(try await back.call("GET", Self.path).status == 403)
      #expect(try await back.call("POST", Self.path, own).status == 403)
    }
  }

  private static let refusals: [(body: String, status: Int, field: String?)] = [
    ("", 400, "shortcut"), ("{}", 400, "shortcut"), ("[]", 400, nil), ("{", 400, nil),
    (#"{"shortcut":null,"text":"x"}"#, 400, "shortcut"), (#"{"shortcut":7,"text":"x"}"#, 400, "shortcut"),
    (#"{"shortcut":"","text":"x"}"#, 400, "shortcut"), (#"{"shortcut":"a b","text":"x"}"#, 400, "shortcut"),
    (#"{"shortcut":"\#(String(repeating: "a", count: 33))","text":"x"}"#, 400, "shortcut"),
    (#"{"shortcut":"a"}"#, 400, "text"), (#"{"shortcut":"a","text":""}"#, 400, "text"),
    (#"{"shortcut":"a","text":["x"]}"#, 400, "text"),
    (#"{"shortcut":"a","text":"\#(String(repeating: "x", count: 4_097))"}"#, 413, "text"),
    (#"{"shortcut":"a","text":"{{customer.x"}"#, 400, "text"), (#"{"shortcut":"a","text":"{{x}}"}"#, 400, "text"),
    (#"{"shortcut":"a","text":"x","language":"german language"}"#, 400, "language"),
    (#"{"shortcut":"a","text":"x","language":""}"#, 400, "language"),
    (#"{"shortcut":"a","text":"x","language":{}}"#, 400, "language"),
    (#"{"shortcut":"a","text":"x","scope":"mine"}"#, 400, "scope"),
    (#"{"shortcut":"a","text":"x","scope":1}"#, 400, "scope"),
  ]

  @Test("what cannot be taken is refused, and says which member it is")
  func badInput() async throws {
    try await DeskRig.run { desk in
      let anna = try await desk.requests(try desk.token("anna"))
      for refusal in Self.refusals {
        let answer = try await anna.call("POST", Self.path, refusal.body)
        #expect(answer.status == refusal.status, "\(refusal.body.prefix(80)): \(answer.status) \(answer.body)")
        if let field = refusal.field { #expect(answer.body.contains("'\(field)'"), "\(answer.body)") }
      }
      for query in ["?language=x", "?language=", "?scope=own", "?language=de&language=en"] {
        let isEmpty = query == "?language="
        #expect(try await anna.call("GET", Self.path + query).status == (isEmpty ? 200 : 400), "\(query)")
      }
      #expect(try await anna.json("GET", Self.path) == ["replies": []])
    }
  }

  @Test("a null is as good as nothing, in each member")
  func nulls() async throws {
    try await DeskRig.run { desk in
      let anna = try await desk.requests(try desk.token("anna"))
      let whole = try JSONValue(parsing: #"{"shortcut":"a","language":"de","text":"x","scope":"own"}"#)
      for member in NulledMember.all(of: whole) {
        var outcomes: [String] = []
        for body in [member.absent, member.nulled] {
          let answer = try await anna.call("POST", Self.path, String(decoding: body.text, as: UTF8.self))
          outcomes.append(answer.status == 201 ? "taken" : "\(answer.status) \(answer.body)")
          guard answer.status == 201, let id = try JSONValue(parsing: answer.body)["id"]?.string else { continue }
          #expect(try await anna.call("DELETE", "\(Self.path)/\(id)").status == 204)
        }
        #expect(outcomes[0] == outcomes[1], "\(member.path)")
      }
    }
  }
}
