import Engine
import EventSourcing
import JSONEnvelope
import Testing

@testable import HTTPEdge

@Suite("Making a callback", .timeLimit(.minutes(5)))
struct CallbackCreateTests {
  /// A row of the protocol's table. Spec: GMS 9.1.
  struct Row: Sendable {
    let direction: String
    let media: String
    let waits: Bool
    var confirms = false
    var isScheduled = false
    let dialog: String
    let state: String
  }

  private static func text(_ text: String) -> String {
    #"{"_dialog_id":"0","_action":"ConfirmationDialog","_text":"\#(text)","_ok_title":"Ok","_id":"INSTANCE"}"#
  }

  private static let wait = text("We will notify you when agent is available")
  private static let outbound = text("You will receive the call shortly")
  private static let inbound =
    #"{"_dialog_id":"0","_label":"Connecting ...","_action":"DialNumber","_tel_url":"tel:+4930555010","#
    + #""_access_code":"n/a","_id":"INSTANCE"}"#
  private static let chat =
    #"{"_dialog_id":"1","_action":"StartChat","_label":"Start Chat","#
    + #""_start_chat_url":"http://localhost/genesys/1/service/INSTANCE/ixn/chat","#
    + #""_comet_url":"http://localhost/genesys/cometd","_user_header":"user-5521","_id_to_jump_before":"exit://","#
    + #""_chat_parameters":{"subject":"None"},"_id":"INSTANCE"}"#

  @Test(
    "each combination is answered with its dialog and begins in its state",
    arguments: [
      Row(direction: "USERORIGINATED", media: "voice", waits: false, dialog: inbound, state: "ROUTING"),
      Row(direction: "USERORIGINATED", media: "voice", waits: true, dialog: wait, state: "QUEUED"),
      Row(direction: "USERORIGINATED", media: "voice", waits: true, confirms: true, dialog: wait, state: "QUEUED"),
      Row(direction: "USERTERMINATED", media: "voice", waits: false, dialog: outbound, state: "QUEUED"),
      Row(direction: "USERTERMINATED", media: "voice", waits: true, dialog: wait, state: "QUEUED"),
      Row(direction: "USERTERMINATED", media: "voice", waits: true, confirms: true, dialog: wait, state: "QUEUED"),
      Row(
        direction: "USERTERMINATED", media: "voice", waits: false, isScheduled: true, dialog: wait, state: "SCHEDULED"),
      Row(
        direction: "USERTERMINATED", media: "voice", waits: true, isScheduled: true, dialog: wait, state: "SCHEDULED"),
      Row(direction: "USERORIGINATED", media: "chat", waits: false, dialog: chat, state: "QUEUED"),
      Row(direction: "USERTERMINATED", media: "chat", waits: false, dialog: chat, state: "QUEUED"),
      Row(direction: "USERORIGINATED", media: "chat", waits: true, dialog: wait, state: "QUEUED"),
      Row(direction: "USERTERMINATED", media: "chat", waits: true, confirms: true, dialog: wait, state: "QUEUED"),
    ])
  func rows(row: Row) async throws {
    try await ServerHarness.runCallbacks(["_access_number": "+49 30 555010"]) { _, app in
      let time = row.isScheduled ? #","_desired_time":"\#(CallbackCaller.fullHour(after: 2).iso8601)""# : ""
      let answer = try await app.call(
        "POST", CallbackCaller.path,
        #"{"_customer_number":"+49301","_call_direction":"\#(row.direction)","_media_type":"\#(row.media)","#
          + #""_wait_for_agent":"\#(row.waits)","_wait_for_user_confirm":"\#(row.confirms)"\#(time)}"#)
      #expect(answer.status == 200)
      let id = try JSONValue(parsing: answer.body)["_id"]?.string ?? ""
      #expect(id.count == 32 && id.allSatisfy { $0.isNumber || ("A"..."Z").contains($0) })
      #expect(answer.body == row.dialog.replacing("INSTANCE", with: id))
      #expect(try await app.state(id) == row.state)
    }
  }

  @Test(
    "the body is JSON or a form, whatever the header says",
    arguments: [
      ("application/x-www-form-urlencoded", "_customer_number=%2B49301&subject=Order+7"),
      ("application/x-www-form-urlencoded", #" {"_customer_number":"+49301","subject":"Order 7"}"#),
      ("application/json", #"{"_customer_number":"+49301","subject":"Order 7"}"#),
      ("", #"{"_customer_number":"+49301","subject":"Order 7"}"#),
    ])
  func bodies(type: String, body: String) async throws {
    try await ServerHarness.runCallbacks { server, app in
      let answer = try await app.call(
        "POST", CallbackCaller.path, body, headers: type.isEmpty ? "" : "Content-Type: \(type)\r\n")
      let id = try JSONValue(parsing: answer.body)["_id"]?.string ?? ""
      let agent = try await server.caller("anna", .agent)
      let data = try await agent.json("GET", "/agent/1/callbacks/\(id)")["data"]
      #expect(data == ["_customer_number": "+49301", "subject": "Order 7"])
    }
  }

  @Test("an app that names no user is given a key of its own for the chat")
  func userKey() async throws {
    try await ServerHarness.runCallbacks { server, _ in
      let stranger = CallbackCaller(client: try await server.connect())
      let id = try await stranger.order(#""_media_type":"chat""#)
      let start = try await stranger.json("GET", "/genesys/1/service/\(id)/get-dialog-start-chat")
      #expect((start["_user_header"]?.string ?? "").count >= 16)
    }
  }

  @Test(
    "bad input is refused with the name of the field",
    arguments: [
      ("{}", 400, "'_customer_number' is missing"), ("", 400, "'_customer_number' is missing"),
      (#"{"_customer_number":""}"#, 400, "'_customer_number' is missing"),
      (#"{"_customer_number":"1","_media_type":"fax"}"#, 400, "'_media_type' is not voice or chat"),
      (#"{"_customer_number":"1","_call_direction":"UP"}"#, 400, "'_call_direction' is not"),
      (#"{"_customer_number":"1","_wait_for_agent":"maybe"}"#, 400, "'_wait_for_agent' is not true or false"),
      (#"{"_customer_number":"1","_provide_code":7}"#, 400, "'_provide_code' is not true or false"),
      (#"{"_customer_number":"1","_desired_time":"tomorrow"}"#, 400, "'_desired_time' is not a time"),
      (#"{"_customer_number":"1","_desired_time":"2026-02-30T09:00:00Z"}"#, 400, "'_desired_time' is not a time"),
      (#"{"_customer_number":"#, 400, "not a JSON object"),
      (#"{"_customer_number":"1","x":"\#(String(repeating: "x", count: 8_193))"}"#, 400, "'x' is longer than 8192"),
    ])
  func badInput(body: String, status: Int, complaint: String) async throws {
    try await ServerHarness.runCallbacks { server, app in
      let answer = try await app.call("POST", CallbackCaller.path, body)
      #expect(answer.status == status)
      #expect(try JSONValue(parsing: answer.body)["message"]?.string?.contains(complaint) == true, "\(answer.body)")
      let made = try await server.engine.callbacks.find(CallbackQuery(service: nil, conditions: []), for: .operator)
      #expect(made.elements.isEmpty)
    }
  }

  @Test("a service that takes no callbacks is not found, and a body of another type not taken")
  func strangers() async throws {
    try await ServerHarness.runCallbacks(options: ["service.talk": ["_service": "request-chat"]]) { _, app in
      for name in ["nobody", "talk"] {
        #expect(
          try await app.call("POST", "/genesys/1/service/callback/\(name)", #"{"_customer_number":"1"}"#).status == 404)
      }
      let xml = try await app.call("POST", CallbackCaller.path, "<x/>", headers: "Content-Type: text/xml\r\n")
      #expect(xml.status == 415)
      let wrong = try await app.call("DELETE", CallbackCaller.path)
      #expect(wrong.status == 405)
      #expect(wrong.header("Allow") == "GET, HEAD, OPTIONS, POST")
    }
  }

  @Test("a service's bound of open callbacks is an honest 503")
  func bound() async throws {
    try await ServerHarness.runCallbacks(["_max_queued_callbacks_per_service": "1"]) { _, app in
      let first = try await app.order()
      let answer = try await app.call("POST", CallbackCaller.path, #"{"_customer_number":"2"}"#)
      #expect(answer.status == 503)
      #expect(answer.header("Retry-After") != nil)
      _ = try await app.act(first, "cancel")
      #expect(try await app.state(try await app.order(number: "2")) == "QUEUED")
    }
  }

  @Test("a full slot is refused with times at which there is room")
  func fullSlot() async throws {
    try await ServerHarness.runCallbacks(
      ["_request_time_bucket": "60", "_max_request_by_time_bucket": "1", "callback.max_days_ahead": "1"]
    ) { _, app in
      let hour = CallbackCaller.fullHour(after: 3)
      func time(_ hours: Int64) -> String { hour.advanced(by: .seconds(hours * 3_600)).iso8601Milliseconds }
      let body = #"{"_customer_number":"1","_desired_time":"\#(hour.iso8601)"}"#
      #expect(try await app.call("POST", CallbackCaller.path, body).status == 200)
      let refused = try await app.call("POST", CallbackCaller.path, body)
      #expect(refused.status == 400)
      #expect(
        refused.body.hasPrefix(
          #"{"message":"The requested time is not available","exception":"SlotUnavailableException","#
            + #""error":"SLOT_UNAVAILABLE","availability":{"\#(time(1))":1,"\#(time(2))":1,"#), "\(refused.body)")
      let object = try JSONValue(parsing: refused.body).object
      #expect(object?.members.map(\.name) == ["message", "exception", "error", "availability"])
    }
  }

  @Test("outside the hours, and too far ahead, there is no callback")
  func outsideHours() async throws {
    try await ServerHarness.runCallbacks(
      ["_business_hours_service": "office"], options: ["service.office": ["_timezone": "Europe/Berlin"]]
    ) { _, app in
      let answer = try await app.call("POST", CallbackCaller.path, #"{"_customer_number":"1"}"#)
      #expect(answer.status == 400)
      #expect(
        answer.body
          == #"{"message":"The requested time is not available","exception":"SlotUnavailableException","#
          + #""error":"SLOT_UNAVAILABLE","availability":{}}"#)
    }
    try await ServerHarness.runCallbacks(["callback.max_days_ahead": "1"]) { _, app in
      let late = CallbackCaller.fullHour(after: 26).iso8601
      let answer = try await app.json(
        "POST", CallbackCaller.path, #"{"_customer_number":"1","_desired_time":"\#(late)"}"#)
      #expect(answer["error"] == "SLOT_UNAVAILABLE")
      #expect((answer["availability"]?.object?.members ?? []).isEmpty == false)
    }
  }
}
