import HTTPTypes
import JSONEnvelope
import Testing

@testable import HTTPEdge

/// The slow way and the fast one: the same operations, said once.
@Suite("What agents do, by requests and over the socket", .timeLimit(.minutes(5)))
struct AgentWaysTests {
  private struct Case {
    let who: String
    let chat: String
    let word: String
    /// Of the operation's path.
    let name: String
    let body: String
    let status: Int
  }

  /// `own` is Anna's, `other` is a supervisor's, `foreign` waits at a service that is not Bert's, `ended` is over.
  private static let refusals: [Case] = [
    Case(who: "anna", chat: "own", word: "send", name: "messages", body: "{}", status: 400),
    Case(who: "anna", chat: "own", word: "send", name: "messages", body: #"{"text":null}"#, status: 400),
    Case(who: "anna", chat: "own", word: "send", name: "messages", body: #"{"text":3}"#, status: 400),
    Case(who: "anna", chat: "own", word: "send", name: "messages", body: #"{"text":""}"#, status: 400),
    Case(
      who: "anna", chat: "own", word: "send", name: "messages",
      body: #"{"text":"\#(String(repeating: "x", count: 70_000))"}"#, status: 413),
    Case(who: "anna", chat: "own", word: "typing", name: "typing", body: #"{"started":"yes"}"#, status: 400),
    Case(who: "anna", chat: "own", word: "pushurl", name: "pushurl", body: "{}", status: 400),
    Case(who: "anna", chat: "own", word: "pushurl", name: "pushurl", body: #"{"url":"nowhere"}"#, status: 400),
    Case(who: "anna", chat: "own", word: "notice", name: "notice", body: #"{"text":[]}"#, status: 400),
    Case(who: "anna", chat: "own", word: "join", name: "join", body: #"{"nickname":"K"}"#, status: 409),
    Case(who: "anna", chat: "own", word: "release", name: "release", body: "", status: 409),
    Case(who: "anna", chat: "ended", word: "release", name: "release", body: "", status: 400),
    Case(who: "anna", chat: "nowhere", word: "release", name: "release", body: "", status: 404),
    Case(who: "bert", chat: "foreign", word: "release", name: "release", body: "", status: 404),
    Case(who: "anna", chat: "own", word: "request", name: "request", body: #"{"comment":1}"#, status: 422),
    Case(who: "anna", chat: "own", word: "request", name: "request", body: #"{"subject":1}"#, status: 422),
    Case(who: "anna", chat: "other", word: "join", name: "join", body: #"{"nickname":"K"}"#, status: 409),
    Case(who: "anna", chat: "other", word: "send", name: "messages", body: #"{"text":"x"}"#, status: 404),
    Case(who: "anna", chat: "ended", word: "send", name: "messages", body: #"{"text":"x"}"#, status: 400),
    Case(who: "anna", chat: "nowhere", word: "close", name: "close", body: "", status: 404),
    Case(who: "anna", chat: "", word: "ready", name: "me", body: "{}", status: 400),
    Case(who: "anna", chat: "", word: "ready", name: "me", body: #"{"ready":1}"#, status: 400),
    Case(who: "bert", chat: "foreign", word: "join", name: "join", body: #"{"nickname":"K"}"#, status: 404),
    Case(who: "bert", chat: "foreign", word: "leave", name: "leave", body: "", status: 404),
    Case(who: "bert", chat: "foreign", word: "request", name: "request", body: "{}", status: 404),
    Case(who: "cleo", chat: "foreign", word: "send", name: "messages", body: #"{"text":"x"}"#, status: 403),
    Case(who: "cleo", chat: "foreign", word: "join", name: "join", body: "{}", status: 400),
    Case(
      who: "cleo", chat: "foreign", word: "join", name: "join", body: #"{"nickname":"K","role":"CLIENT"}"#,
      status: 400),
    Case(
      who: "cleo", chat: "foreign", word: "join", name: "join", body: #"{"nickname":"K","role":"SUPERVISOR"}"#,
      status: 403),
    Case(who: "boss", chat: "other", word: "join", name: "join", body: #"{"nickname":"K"}"#, status: 409),
  ]

  @Test("each refusal is the same, to the last byte of its text")
  func refusals() async throws {
    try await DeskRig.run { desk in
      let tokens = [
        "anna": try desk.token("anna"), "bert": try desk.token("bert", services: ["help"]),
        "cleo": try desk.token("cleo"), "boss": try desk.token("boss", .supervisor),
      ]
      let chats = [
        "own": try await desk.chat(), "other": try await desk.chat(), "foreign": try await desk.chat(),
        "ended": try await desk.chat(), "nowhere": "0000000000000000", "": "",
      ]
      let (anna, boss) = (try await desk.requests(tokens["anna"] ?? ""), try await desk.requests(tokens["boss"] ?? ""))
      for (who, chat, act) in [
        (anna, "own", "join"), (anna, "ended", "join"), (anna, "ended", "close"), (boss, "other", "join"),
      ] {
        let body = act == "join" ? #"{"nickname":"A"}"# : ""
        #expect(try await who.call("POST", "/agent/1/chats/\(chats[chat] ?? "")/\(act)", body).status == 200)
      }
      for (who, token) in tokens {
        let (requests, socket) = (try await desk.requests(token), try await desk.socket(token))
        for (number, refusal) in Self.refusals.enumerated() where refusal.who == who {
          let chat = try #require(chats[refusal.chat])
          let answer =
            chat.isEmpty
            ? try await requests.call("PUT", "/agent/1/me", refusal.body)
            : try await requests.call("POST", "/agent/1/chats/\(chat)/\(refusal.name)", refusal.body)
          let message = try await socket.ask(Self.message(number, refusal, chat))
          #expect(answer.status == refusal.status, "\(refusal): \(answer.body)")
          #expect(message["status"]?.integer == answer.status, "\(refusal): \(message)")
          #expect(message["error"].map { $0.text } == Array(answer.body.utf8), "\(refusal)")
        }
      }
    }
  }

  private static func message(_ number: Int, _ call: Case, _ chat: String) -> String {
    let members = call.body.dropFirst().dropLast()
    return #"{"id":"\#(number)","do":"\#(call.word)""# + (chat.isEmpty ? "" : #","chat":"\#(chat)""#)
      + (members.isEmpty ? "" : ",\(members)") + "}"
  }

  @Test("each answer is the same")
  func answers() async throws {
    let acts: [(word: String, name: String, members: String)] = [
      ("join", "join", #""nickname":"K""#), ("send", "messages", #""text":"Hello""#),
      ("typing", "typing", #""started":true"#), ("pushurl", "pushurl", #""url":"https://a.test""#),
      ("notice", "notice", #""text":"n""#), ("leave", "leave", ""),
    ]
    try await DeskRig.run { desk in
      let token = try desk.token("anna")
      let (requests, socket) = (try await desk.requests(token), try await desk.socket(token))
      let (slow, fast) = (try await desk.chat(), try await desk.chat())
      for (word, name, members) in acts {
        let answer = try await requests.call("POST", "/agent/1/chats/\(slow)/\(name)", "{\(members)}")
        let message = try await socket.ask(
          #"{"id":"\#(word)","do":"\#(word)","chat":"\#(fast)""# + (members.isEmpty ? "" : ",\(members)") + "}")
        #expect(answer.status == 200)
        #expect(message["ok"].map { $0.text } == Array(answer.body.utf8), "\(word)")
      }
      let who = try await requests.call("GET", "/agent/1/me")
      #expect(try await socket.ask(#"{"id":"me","do":"me"}"#)["ok"].map { $0.text } == Array(who.body.utf8))
      let ticket = try await socket.ask(#"{"id":"request","do":"request","chat":"\#(fast)","subject":"Order"}"#)
      #expect(ticket["ok"]?["subject"] == "Order", "\(ticket)")
    }
  }

  @Test("no member of a body is one of a message's own, every act of a chat has a word, and each is described")
  func words() throws {
    let document = APIDocument.carillon
    let socket = try #require(document.operations.first { $0.id == "openAgentSocket" })
    // A file is no message.
    let inChats = document.operations.filter {
      $0.path.hasPrefix("/agent/1/chats/{chat}/") && $0.method == .post && $0.id != "sendAgentFile"
    }
    #expect(inChats.count == 16)
    for operation in inChats { #expect(socket.about?.contains(": `\(operation.id)`") == true, "\(operation.id)") }
    for operation in inChats {
      for schema in operation.body?.content.map(\.schema) ?? [] {
        let names = schema.json["properties"]?.object?.names ?? []
        #expect(Set(names).isDisjoint(with: ["id", "do", "chat"]), "\(operation.id)")
      }
    }
  }
}
