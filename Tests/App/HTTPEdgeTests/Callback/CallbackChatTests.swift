import EventSourcing
import JSONEnvelope
import Testing

@testable import HTTPEdge

@Suite("The chat inside a callback", .timeLimit(.minutes(5)))
struct CallbackChatTests {
  @Test("the dialog's URL and header lead to a chat that an agent joins and closes")
  func life() async throws {
    try await ServerHarness.runCallbacks(["_media_type": "chat"]) { server, app in
      let anna = try await server.caller("anna", .agent)
      let id = try await app.order(#""subject":"Order 7""#)
      let start = try await app.json("POST", "/genesys/1/service/\(id)/connect")
      let url = start["_start_chat_url"]?.string ?? ""
      #expect(start["_user_header"] == "user-5521")
      let chat = try await app.json(
        "POST", url.replacing("http://localhost", with: ""), #"{"notify_by":"comet","nickname":"Guest 7"}"#)
      #expect(chat["chatIxnState"] == "CONNECTED")
      let chatID = chat["chatSessionId"]?.string ?? ""
      #expect(try await anna.json("GET", "/agent/1/chats/\(chatID)")["subject"] == "Order 7")
      #expect(try await anna.json("GET", "/agent/1/callbacks/\(id)")["chatId"]?.string == chatID)
      let stream = try await server.connect()
      try await stream.get("/agent/1/events", headers: anna.headers)
      _ = try await stream.response(withoutBody: true)
      #expect(try await anna.call("POST", "/agent/1/chats/\(chatID)/join", #"{"nickname":"Anna"}"#).status == 200)
      _ = try await stream.text(through: #""change":"connected""#)
      #expect(try await app.state(id) == "PROCESSING")
      #expect(try await anna.call("POST", "/agent/1/chats/\(chatID)/close").status == 200)
      _ = try await stream.text(through: #""change":"completed""#)
      #expect(try await app.record(id)["_callback_reason"] == "AGENT_CONNECTED")
    }
  }

  @Test("the app need not repeat what the callback knows")
  func takenOver() async throws {
    try await ServerHarness.runCallbacks(["_media_type": "chat"]) { server, _ in
      let stranger = CallbackCaller(client: try await server.connect())
      let id = try await stranger.order(#""subject":"Order 7""#)
      let key = try await stranger.json("GET", "/genesys/1/service/\(id)/get-dialog-start-chat")["_user_header"]?.string
      let chat = try await stranger.json("POST", "/genesys/1/service/\(id)/ixn/chat", #"{"notify_by":"comet"}"#)
      // What was made for this callback opens its chat's Comet channel.
      let comet = try await server.connect()
      let client = try await server.cometSession(comet, userKey: key ?? "")
      let anna = try await server.caller("anna", .agent)
      let path = "/agent/1/chats/\(chat["chatSessionId"]?.string ?? "")"
      _ = try await anna.call("POST", path + "/join", #"{"nickname":"Anna"}"#)
      try await comet.post("/genesys/cometd/connect", server.connect(client), headers: "gms_user: \(key ?? "")\r\n")
      #expect(try await comet.response().body.contains("has joined the session"))
    }
  }

  @Test("there is no chat before the time has come, and none when all is over")
  func refused() async throws {
    try await ServerHarness.runCallbacks(["_media_type": "chat"]) { _, app in
      let later = try await app.order(#""_desired_time":"\#(CallbackCaller.fullHour(after: 2).iso8601)""#)
      #expect(try await app.call("POST", "/genesys/1/service/\(later)/ixn/chat", "{}").status == 409)
      _ = try await app.act(later, "cancel")
      #expect(try await app.call("POST", "/genesys/1/service/\(later)/ixn/chat", "{}").status == 400)
    }
  }
}
