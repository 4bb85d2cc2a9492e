import EventSourcing
import JSONEnvelope
import Testing

@testable import HTTPEdge

@Suite("Chats that are offered, over HTTP", .timeLimit(.minutes(5)))
struct ChatOfferTests {
  private func withDesk(_ body: (DeskRig) async throws -> Void) async throws {
    let distributed = ["chat.distribution": "longest-idle", "chat.offer_seconds": "600"]
    try await ServerHarness.run(
      options: ["service.sales": distributed, "service.help": distributed, "chat": ["chat.agent_capacity": "3"]]
    ) { try await body(DeskRig(server: $0)) }
  }

  @Test("an offer comes over the socket, and whoever else reaches for the chat is refused; it is sent away, and taken")
  func life() async throws {
    try await withDesk { desk in
      let (annas, berts, cleos) = (
        try desk.token("anna"), try desk.token("bert", services: ["sales"]), try desk.token("cleo", services: ["help"])
      )
      let (anna, bert) = (try await desk.socket(annas), try await desk.socket(berts))
      #expect(try await anna.ask(#"{"id":"1","do":"ready","ready":true}"#)["ok"]?["ready"] == true)
      let chat = try await desk.chat()
      let path = "/agent/1/chats/\(chat)"
      let data = try #require(try await anna.event("chatOffered")["data"])
      #expect(data.object?.members.map(\.name) == ["chatId", "serviceId", "agentId", "until"])
      #expect(data["chatId"]?.string == chat && data["agentId"] == "anna")
      let requests = try await desk.requests(berts)
      let seen = try await requests.json("GET", path)
      #expect(seen["waiting"] == true && seen["offer"] == ["agentId": "anna", "until": data["until"] ?? .null])
      for (act, body, exception) in [
        ("join", #"{"nickname":"B"}"#, "ChatOfferedException"), ("release", "", "ChatNotOfferedException"),
      ] {
        let answer = try await requests.call("POST", "\(path)/\(act)", body)
        #expect(answer.status == 409)
        #expect(try JSONValue(parsing: answer.body)["exception"]?.string == exception, "\(act)")
      }
      let stranger = try await desk.requests(cleos)
      #expect(try await stranger.call("POST", path + "/release").status == 404)
      #expect(try await requests.call("POST", "/agent/1/chats/0000000000000000/release").status == 404)
      // With somebody who could have it next.
      #expect(try await bert.ask(#"{"id":"1","do":"ready","ready":true}"#)["ok"]?["ready"] == true)
      #expect(
        try await anna.ask(#"{"id":"2","do":"release","chat":"\#(chat)"}"#)["ok"] == ["position": .null])
      let withdrawn = try #require(try await anna.event("chatOfferWithdrawn")["data"])
      #expect(withdrawn.object?.members.map(\.name) == ["chatId", "serviceId", "agentId", "reason"])
      #expect(withdrawn["reason"] == "released" && withdrawn["agentId"] == "anna")
      #expect(try await anna.ask(#"{"id":"3","do":"me"}"#)["ok"]?["ready"] == false)
      #expect(try await bert.event("chatOffered")["data"]?["agentId"] == "bert")
      #expect(try await requests.call("POST", path + "/join", #"{"nickname":"B"}"#).status == 200)
      #expect(try await requests.json("GET", path)["offer"]?.isNull == true)
      // Of others' offers nobody hears.
      #expect(!anna.events.contains { $0["data"]?["agentId"] == "bert" && $0["event"] != "agent" })
    }
  }

  @Test("a supervisor takes what is offered to another one")
  func supervisor() async throws {
    try await withDesk { desk in
      let anna = try await desk.socket(try desk.token("anna"))
      #expect(try await anna.ask(#"{"id":"1","do":"ready","ready":true}"#)["ok"]?["ready"] == true)
      let chat = try await desk.chat()
      _ = try await anna.event("chatOffered")
      let boss = try await desk.requests(try desk.token("boss", .supervisor))
      #expect(try await boss.call("POST", "/agent/1/chats/\(chat)/join", #"{"nickname":"Boss"}"#).status == 200)
      #expect(try await anna.event("chatOfferWithdrawn")["data"]?["reason"] == "taken")
      let agents = try await boss.json("GET", "/agent/1/agents")
      #expect(agents[0]?["capacity"] == 3 && agents[0]?["chats"] == 0 && agents[0]?["ready"] == true)
      #expect(agents[1]?["capacity"] == 3 && agents[1]?["chats"] == 1)
    }
  }
}
