import EventSourcing
import JSONEnvelope
import Testing
import TextEncoding

@testable import HTTPEdge

@Suite("Managing callbacks", .timeLimit(.minutes(5)))
struct CallbackManageTests {
  @Test("a record has both spellings, and the fields that callbacks are found by")
  func record() async throws {
    try await ServerHarness.runCallbacks(["_customer_lookup_keys": "_customer_number,order,_url"]) { _, app in
      let time = CallbackCaller.fullHour(after: 2)
      let id = try await app.order(
        #""_desired_time":"\#(time.iso8601Milliseconds)","order":"7","_url":"x","secret":"y""#, number: "+49301")
      let url = "\(CallbackCaller.base)/callback/callback-voice/\(id)"
      let expected =
        #"{"_id":"\#(id)","_desired_time":"\#(time.iso8601)","desiredTime":"\#(time.iso8601)","#
        + #""_service_name":"callback-voice","_callback_state":"SCHEDULED","#
        + #""_expiration_time":"\#(time.advanced(by: .seconds(86_400)).iso8601)","_url":"\#(url)","url":"\#(url)","#
        + #""_customer_number":"+49301","order":"7"}"#
      #expect(try await app.call("GET", "\(CallbackCaller.path)/\(id)").body == expected)
      #expect(try await app.call("GET", CallbackCaller.path + "?_id=\(id)").body == "[\(expected)]")
      #expect(try await app.call("DELETE", "\(CallbackCaller.path)/\(id)").body == "{}")
      let over = expected.replacing(#""SCHEDULED","#, with: #""COMPLETED","_callback_reason":"CANCELLED","#)
      #expect(try await app.call("GET", "\(CallbackCaller.path)/\(id)").body == over)
    }
  }

  @Test("a new time moves it, fields merge, an empty one goes")
  func update() async throws {
    try await ServerHarness.runCallbacks(["_customer_lookup_keys": "_customer_number,order"]) { server, app in
      let (first, second) = (CallbackCaller.fullHour(after: 2), CallbackCaller.fullHour(after: 4))
      let id = try await app.order(#""_desired_time":"\#(first.iso8601)","order":"7","note":"a""#)
      let path = "\(CallbackCaller.path)/\(id)"
      var answer = try await app.json("PUT", path, #"{"_new_desired_time":"\#(second.iso8601)","order":"8","note":""}"#)
      #expect(answer["_desired_time"]?.string == second.iso8601)
      #expect(answer["order"] == "8")
      #expect(answer["_callback_state"] == "SCHEDULED")
      let agent = try await server.caller("anna", .agent)
      #expect(
        try await agent.json("GET", "/agent/1/callbacks/\(id)")["data"]?.object?.members.map(\.name).contains("note")
          == false)
      answer = try await app.json("PUT", path, #"{"_desired_time":"\#(first.iso8601)"}"#)
      #expect(answer["desiredTime"]?.string == first.iso8601)
      answer = try await app.json("PUT", path, #"{"_desired_time":""}"#)
      #expect(answer["_callback_state"] == "QUEUED")
    }
  }

  @Test("what cannot be done to a callback, and how that is said")
  func refusals() async throws {
    try await ServerHarness.runCallbacks(options: ["service.other": ["_service": "callback"]]) { _, app in
      let id = try await app.order()
      let path = "\(CallbackCaller.path)/\(id)"
      for (method, path, body, status, exception) in [
        ("PUT", path, #"{"_new_desired_time":"soon"}"#, 400, "InvalidParameterException"),
        ("PUT", path, #"{"_customer_number":""}"#, 400, "InvalidParameterException"),
        ("PUT", path, "[]", 415, "UnsupportedMediaTypeException"),
        ("PUT", "/genesys/1/service/callback/other/\(id)", "{}", 404, "CallbackNotFoundException"),
        ("DELETE", "/genesys/1/service/callback/other/\(id)", "", 404, "CallbackNotFoundException"),
        ("DELETE", CallbackCaller.path + "/0", "", 404, "CallbackNotFoundException"),
        ("GET", CallbackCaller.path + "/0", "", 404, "CallbackNotFoundException"),
        ("POST", path, "{}", 405, "MethodNotAllowedException"),
        ("DELETE", path, "", 200, ""),
        ("DELETE", path, "", 400, "CallbackEndedException"),
        ("PUT", path, #"{"a":"b"}"#, 400, "CallbackEndedException"),
      ] {
        let answer = try await app.call(method, path, body)
        #expect(answer.status == status, "\(method) \(path) \(body)")
        #expect((try JSONValue(parsing: answer.body)["exception"]?.string ?? "") == exception)
      }
    }
  }

  /// Three callbacks: of +1 waiting, of +2 cancelled, of +3 scheduled; each query by the numbers that it finds.
  private static let queries: [(query: String, numbers: [String])] = [
    ("", ["+1", "+2", "+3"]), ("_customer_number=%2B1", ["+1"]), ("_customer_number=!%2B1", ["+2", "+3"]),
    ("_customer_number=%2B1&_callback_state=COMPLETED", []), ("_callback_state=COMPLETED", ["+2"]),
    ("_callback_state=!COMPLETED", ["+1", "+3"]), ("_callback_reason=CANCELLED", ["+2"]),
    ("operand=AND&_customer_number=%2B3&_callback_state=SCHEDULED", ["+3"]),
    ("operand=OR&_customer_number=%2B1&_callback_state=SCHEDULED", ["+1", "+3"]),
    ("operand=or&_customer_number=!%2B1&_callback_state=QUEUED", ["+1", "+2", "+3"]), ("colour=red", ["+3"]),
    ("_service_name=callback-voice&_customer_number=%2B2", ["+2"]), ("_id=none", []),
  ]

  @Test("queries find what fits, of one service and of all", arguments: queries)
  func finding(query: String, numbers: [String]) async throws {
    try await ServerHarness.runCallbacks { server, app in
      let ops = try await server.caller("ops", .admin)
      _ = try await app.order(number: "+1")
      _ = try await app.act(try await app.order(number: "+2"), "cancel")
      _ = try await app.order(
        #""_desired_time":"\#(CallbackCaller.fullHour(after: 2).iso8601)","colour":"red""#, number: "+3")
      for path in [CallbackCaller.path, "/genesys/1/service/callback"] {
        let found = try await ops.json("GET", path + "?" + query)
        #expect((found.array ?? []).compactMap { $0["_customer_number"]?.string }.sorted() == numbers, "\(path)")
      }
      #expect(try await app.call("GET", CallbackCaller.path + "?operand=XOR").status == 400)
      #expect(try await app.call("GET", "/genesys/1/service/callback/nobody?" + query).status == 404)
    }
  }

  @Test("free slots stand in the order of their times, with the room in each")
  func availability() async throws {
    try await ServerHarness.runCallbacks(["_request_time_bucket": "60", "_max_request_by_time_bucket": "4"]) { _, app in
      let hour = CallbackCaller.fullHour(after: 2)
      func time(_ hours: Int64) -> Timestamp { hour.advanced(by: .seconds(hours * 3_600)) }
      _ = try await app.order(#""_desired_time":"\#(time(1).iso8601)""#)
      let path = CallbackCaller.path + "/availability?start=\(hour.iso8601)"
      #expect(
        try await app.call("GET", path + "&end=\(time(3).iso8601)").body
          == #"{"\#(time(0).iso8601Milliseconds)":4,"\#(time(1).iso8601Milliseconds)":3,"#
          + #""\#(time(2).iso8601Milliseconds)":4}"#)
      #expect(
        try await app.call("GET", path + "&max-time-slots=1").body == #"{"\#(time(0).iso8601Milliseconds)":4}"#)
      #expect(try await app.json("GET", path + "&number-of-days=2").object?.members.count == 48)
    }
  }

  @Test(
    "a wrong bound names its parameter",
    arguments: [
      ("start=now", "start"), ("end=2026-13-01T00:00:00Z", "end"), ("number-of-days=0", "number-of-days"),
      ("number-of-days=x", "number-of-days"), ("number-of-days=367", "number-of-days"),
      ("max-time-slots=-1", "max-time-slots"),
    ])
  func badAvailability(query: String, name: String) async throws {
    try await ServerHarness.runCallbacks { _, app in
      let answer = try await app.call("GET", CallbackCaller.path + "/availability?" + query)
      #expect(answer.status == 400)
      #expect(answer.body.contains("'\(name)'"))
      #expect(try await app.call("GET", "/genesys/1/service/callback/nobody/availability").status == 404)
      #expect(try await app.call("POST", CallbackCaller.path + "/availability").status == 405)
    }
  }

  @Test("a service's own credentials protect everything of it; the server's do not open it")
  func credentials() async throws {
    try await ServerHarness.runCallbacks(
      ["username": "shop", "password": "pw"],
      options: [
        "server": ["username": "root", "password": "pw"], "service.open": ["_service": "callback"],
      ]
    ) { server, _ in
      func caller(_ pair: String) async throws -> CallbackCaller {
        let credentials = Base64.encode(Array(pair.utf8))
        return CallbackCaller(client: try await server.connect(), headers: "Authorization: Basic \(credentials)\r\n")
      }
      let (shop, root, nobody) = (try await caller("shop:pw"), try await caller("root:pw"), try await caller("x:y"))
      let id = try await shop.order()
      let open = try await root.order(of: "open")
      for caller in [root, nobody] {
        for (method, path) in [
          ("POST", CallbackCaller.path), ("GET", CallbackCaller.path), ("GET", CallbackCaller.path + "/availability"),
          ("PUT", "\(CallbackCaller.path)/\(id)"), ("DELETE", "\(CallbackCaller.path)/\(id)"),
          ("POST", "/genesys/1/service/\(id)/connect"), ("GET", "/genesys/1/service/\(id)/wait-for-agent"),
        ] {
          let answer = try await caller.call(method, path, "{}")
          #expect(answer.status == 401, "\(method) \(path)")
          #expect(answer.header("WWW-Authenticate") == "Basic realm=\"genesys\"")
        }
      }
      #expect(try await shop.state(id) == "QUEUED")
      // Over all services the server's pair opens, and shows what it may.
      for query in ["", "&_limit=1", "&_after=0."] {
        let all = try await root.call("GET", "/genesys/1/service/callback?_customer_number=%2B1" + query)
        #expect(try JSONValue(parsing: all.body).array?.compactMap { $0["_id"]?.string } == [open])
        // Where a list goes on would tell of what it hides.
        #expect(all.header("Link") == nil)
      }
      #expect(try await nobody.call("GET", "/genesys/1/service/callback").status == 401)
    }
  }
}
