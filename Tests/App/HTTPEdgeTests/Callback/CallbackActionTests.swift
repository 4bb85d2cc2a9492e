import JSONEnvelope
import Testing

@testable import HTTPEdge

@Suite("Actions of a callback", .timeLimit(.minutes(5)))
struct CallbackActionTests {
  private static func text(_ text: String) -> String {
    #"{"_dialog_id":"0","_action":"ConfirmationDialog","_text":"\#(text)","_ok_title":"Ok","_id":"INSTANCE"}"#
  }

  private static let wait = text("We will notify you when agent is available")
  private static let outbound = text("You will receive the call shortly")
  private static let dial =
    #"{"_dialog_id":"0","_label":"Connecting ...","_action":"DialNumber","_tel_url":"n/a","#
    + #""_access_code":"n/a","_id":"INSTANCE"}"#
  private static let chat =
    #"{"_dialog_id":"1","_action":"StartChat","_label":"Start Chat","#
    + #""_start_chat_url":"http://localhost/genesys/1/service/INSTANCE/ixn/chat","#
    + #""_comet_url":"http://localhost/genesys/cometd","_user_header":"user-5521","_id_to_jump_before":"exit://","#
    + #""_chat_parameters":{"subject":"Order 7"},"_id":"INSTANCE"}"#

  private static func menu(_ expires: String, tones: Bool) -> String {
    let url = "http://localhost/genesys/1/service/INSTANCE"
    func item(_ id: Int, _ label: String, _ action: String, _ more: String = "") -> String {
      #"{"_dialog_id":"\#(id)","_label":"\#(label)","_action":"MenuItem","_user_action_url":"\#(url)/\#(action)","#
        + #""_method":"POST","_id_to_jump_before":"exit://"\#(more)}"#
    }
    let hint =
      #","confirmation_dialog":{"_text":"You will hear tones immediately after call is connected. This is normal.","#
      + #""_dialog_type":"Notification","_dismiss_timeout":2}"#
    return #"{"_dialog_id":"0","_label":"Agent is available right now","_user_action_url":"\#(url)/not-used","#
      + #""_method":"POST","_action":"DisplayMenu","_expires":"\#(expires)","#
      + #""_resource_url":"\#(url)/get-dialog-user-confirmation","_content":[{"_group_name":"Are you ready?","#
      + #""_group_content":[\#(item(1, "Yes, I'm ready to talk", "connect", tones ? hint : "")),"#
      + item(2, "No, try again in 5 minutes", "snooze") + ","
      + item(3, "Cancel, my problem has been solved", "cancel") + "]}]}"
  }

  /// What only looks, and what it is answered with on a callback that waits for an agent.
  private static let looks: [(action: String, body: String)] = [
    ("get-dialog-user-confirmation-provide_code-true", menu("EXPIRY", tones: true)),
    ("get-dialog-user-confirmation-provide_code-false", menu("EXPIRY", tones: false)),
    ("get-dialog-user-confirmation", menu("EXPIRY", tones: false)),
    ("get-dialog-start-chat", chat), ("connect-inbound", dial), ("connect-outbound", outbound),
    ("wait-for-agent", wait),
    ("not-used", "{}"),
    (
      "check-queue-position",
      #"{"_position":"1","_eta":"60","_total_waiting":"1","_agent_ready_threshold_passed":false}"#
    ),
  ]

  @Test("each dialog is there by POST and by GET, and asking changes nothing", arguments: looks, ["POST", "GET"])
  func looking(look: (action: String, body: String), method: String) async throws {
    try await ServerHarness.runCallbacks { _, app in
      let id = try await app.order(#""subject":"Order 7""#)
      let before = try await app.record(id)
      let answer = try await app.act(id, look.action, by: method)
      #expect(answer.status == 200)
      #expect(answer.header("Content-Type") == "application/json;charset=UTF-8")
      let expiry = before["_expiration_time"]?.string ?? ""
      #expect(
        answer.body == look.body.replacing("INSTANCE", with: id).replacing("EXPIRY", with: expiry), "\(look.action)")
      #expect(try await app.record(id) == before)
    }
  }

  @Test("the question has the tones if the callback gives a code, and the code is in the dial dialog")
  func code() async throws {
    try await ServerHarness.runCallbacks { _, app in
      let id = try await app.order(#""_provide_code":true"#)
      #expect(try await app.act(id, "get-dialog-user-confirmation").body.contains(#""_dismiss_timeout":2"#))
      let dial = try JSONValue(parsing: try await app.act(id, "connect-inbound").body)
      let code = dial["_access_code"]?.string ?? ""
      #expect(code.count >= 4 && code.allSatisfy(\.isNumber), "\(code)")
    }
  }

  @Test(
    "connect is answered by direction and medium, and the agent is looked for",
    arguments: [
      (#""_call_direction":"USERORIGINATED""#, dial), (#""_call_direction":"USERTERMINATED""#, outbound),
      (#""_media_type":"chat","subject":"Order 7""#, chat),
    ], ["POST", "GET"])
  func connect(terms: (members: String, dialog: String), method: String) async throws {
    try await ServerHarness.runCallbacks { _, app in
      let id = try await app.order(terms.members)
      let answer = try await app.act(id, "connect", by: method)
      #expect(answer.body == terms.dialog.replacing("INSTANCE", with: id))
      #expect(try await app.state(id) == "ROUTING")
      #expect(try await app.act(id, "connect", by: method).body == answer.body)
    }
  }

  @Test("snooze puts off, cancel ends; each says so", arguments: ["POST", "GET"])
  func snoozeAndCancel(method: String) async throws {
    try await ServerHarness.runCallbacks { server, app in
      let id = try await app.order()
      #expect(try await app.act(id, "snooze", by: method).body == Self.wait.replacing("INSTANCE", with: id))
      let agent = try await server.caller("anna", .agent)
      #expect(try await agent.json("GET", "/agent/1/callbacks/\(id)")["snoozedUntil"]?.string != nil)
      #expect(
        try await app.act(id, "cancel").body
          == Self.text("Your request has been cancelled").replacing("INSTANCE", with: id))
      let record = try await app.record(id)
      #expect(record["_callback_state"] == "COMPLETED")
      #expect(record["_callback_reason"] == "CANCELLED")
    }
  }

  @Test("a link that is only followed cancels nothing", arguments: ["GET", "PUT", "DELETE"])
  func followedLink(method: String) async throws {
    try await ServerHarness.runCallbacks { _, app in
      let id = try await app.order()
      let answer = try await app.act(id, "cancel", by: method)
      #expect(answer.status == 405)
      #expect(try await app.record(id)["_callback_state"] != "COMPLETED")
    }
  }

  @Test("the queue is told in texts, as old clients read them")
  func position() async throws {
    try await ServerHarness.runCallbacks { _, app in
      _ = try await app.order()
      let second = try await app.order(number: "+2")
      let answer = try JSONValue(parsing: try await app.act(second, "check-queue-position").body)
      #expect(answer["_position"] == "2")
      #expect(answer["_total_waiting"] == "2")
      #expect(answer["_agent_ready_threshold_passed"] == false)
    }
  }

  @Test(
    "what a push of a callback that is over leads to is gone",
    arguments: [
      ("get-dialog-user-confirmation-provide_code-true", 404), ("get-dialog-user-confirmation-provide_code-false", 404),
      ("get-dialog-user-confirmation", 404), ("get-dialog-start-chat", 404), ("connect", 404), ("snooze", 404),
      ("cancel", 400), ("wait-for-agent", 200), ("connect-inbound", 200), ("connect-outbound", 200), ("not-used", 200),
      ("check-queue-position", 200),
    ])
  func finished(action: String, status: Int) async throws {
    try await ServerHarness.runCallbacks { _, app in
      let id = try await app.order()
      _ = try await app.act(id, "cancel")
      for method in action == "cancel" ? ["POST"] : ["POST", "GET"] {
        let answer = try await app.act(id, action, by: method)
        #expect(answer.status == status, "\(method) \(answer.body)")
        if status == 404 { #expect(try JSONValue(parsing: answer.body)["exception"] == "CallbackEndedException") }
      }
    }
  }

  @Test("other actions, other instances, other methods")
  func strangers() async throws {
    try await ServerHarness.runCallbacks { server, app in
      let id = try await app.order()
      for method in ["POST", "GET"] {
        #expect(try await app.act(id, "dance", by: method).status == 404)
        #expect(try await app.act("7Q2M0D1K4H9A3L0R00512B80C00001A4", "connect", by: method).status == 404)
      }
      let wrong = try await app.act(id, "connect", by: "DELETE")
      #expect(wrong.status == 405)
      #expect(wrong.header("Allow") == "GET, HEAD, OPTIONS, POST")
      // A chat's instance has none of these actions, and keeps its own.
      let chat = try await app.json("POST", "/genesys/1/service/request-chat")["_id"]?.string ?? ""
      #expect(try await app.act(chat, "connect").status == 404)
      #expect(try await app.json("POST", "/genesys/1/service/\(chat)/ixn/chat")["chatIxnState"] == "CONNECTED")
    }
  }

  @Test("a dialog speaks the callback's language, else the request's")
  func languages() async throws {
    try await ServerHarness.runCallbacks { server, app in
      let silent = try await app.order()
      let french = try await app.call(
        "GET", "/genesys/1/service/\(silent)/wait-for-agent", headers: "Accept-Language: it, fr-FR;q=0.8\r\n")
      #expect(french.body.contains("Nous vous préviendrons"))
      let korean = try await app.order(#""_language":"ko-KR""#)
      let answer = try await app.call(
        "GET", "/genesys/1/service/\(korean)/get-dialog-start-chat", headers: "Accept-Language: fr\r\n")
      #expect(answer.body.contains(#""_label":"채팅 시작""#))
    }
  }

  @Test("URLs are those by which the operator says the server is reached")
  func externalURLs() async throws {
    try await ServerHarness.runCallbacks(
      options: ["server": ["comet_url": "https://comet.example.test/c"]],
      messaging: MessagingEdgeSettings(publicURL: "https://chat.example.test/gms/")
    ) { _, app in
      let id = try await app.order()
      let start = try JSONValue(parsing: try await app.act(id, "get-dialog-start-chat").body)
      #expect(start["_start_chat_url"]?.string == "https://chat.example.test/gms/1/service/\(id)/ixn/chat")
      #expect(start["_comet_url"] == "https://comet.example.test/c")
      #expect(
        try await app.record(id)["url"]?.string
          == "https://chat.example.test/gms/1/service/callback/callback-voice/\(id)")
    }
  }
}
