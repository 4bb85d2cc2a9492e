import JSONEnvelope
import Testing

@testable import HTTPEdge

@Suite("Agents' work with callbacks", .timeLimit(.minutes(5)))
struct CallbackAgentTests {
  private static let path = "/agent/1/callbacks"

  private func act(_ agent: CallbackCaller, _ id: String, _ action: String, _ body: String = "") async throws
    -> JSONValue
  {
    try await agent.json("POST", "\(Self.path)/\(id)/\(action)", body)
  }

  @Test("an agent takes one, talks, and ends it")
  func life() async throws {
    try await ServerHarness.runCallbacks { server, app in
      let anna = try await server.caller("anna", .agent)
      let id = try await app.order(#""subject":"Order 7","_language":"de""#, number: "+49301")
      var callback = try await anna.json("GET", "\(Self.path)/\(id)")
      #expect(callback["agentId"] == nil)
      #expect(
        callback.object?.members.map(\.name) == [
          "id", "service", "state", "media", "direction", "customerNumber", "subject", "language", "priority",
          "createdAt", "queuedAt", "expiresAt", "data",
        ])
      callback = try await act(anna, id, "available")
      #expect(callback["state"] == "ROUTING")
      #expect(callback["agentId"] == "anna")
      #expect(callback["accepted"] == false)
      #expect(callback["actBy"]?.string?.hasSuffix("Z") == true)
      #expect(try await anna.json("GET", Self.path + "?state=own")[0]?["id"]?.string == id)
      #expect(try await act(anna, id, "accept")["accepted"] == true)
      #expect(try await act(anna, id, "connected")["state"] == "PROCESSING")
      callback = try await act(anna, id, "ended")
      #expect(callback["state"] == "COMPLETED")
      #expect(callback["reason"] == "AGENT_CONNECTED" && callback["actBy"] == nil)
      #expect(try await anna.json("GET", Self.path) == [])
    }
  }

  @Test("lists: who waits, in the order of service; who is mine; all that is not over")
  func lists() async throws {
    try await ServerHarness.runCallbacks(["_priority": "$urgency$"]) { server, app in
      let anna = try await server.caller("anna", .agent)
      let ordinary = try await app.order(number: "+1")
      let urgent = try await app.order(#""urgency":"5""#, number: "+2")
      let over = try await app.order(number: "+3")
      _ = try await app.act(over, "cancel")
      func ids(_ query: String) async throws -> [String] {
        let list = try await anna.json("GET", Self.path + query)
        return (list.array ?? []).compactMap { $0["id"]?.string }
      }
      #expect(try await ids("?state=waiting") == [urgent, ordinary])
      #expect(try await ids("?state=own") == [])
      #expect(Set(try await ids("")) == [urgent, ordinary])
      _ = try await act(anna, urgent, "available")
      #expect(try await ids("?state=waiting") == [ordinary])
      #expect(try await ids("?state=own") == [urgent])
      #expect(try await anna.call("GET", Self.path + "?state=lost").status == 400)
    }
  }

  @Test(
    "a call that failed says why",
    arguments: [
      ("", "FAIL_CALL_TO_CUSTOMER"), (#"{"reason":"FAIL_AGENT_CONNECT"}"#, "FAIL_AGENT_CONNECT"),
      (#"{"reason":"NOT_AVAILABLE"}"#, "NOT_AVAILABLE"),
    ])
  func failure(body: String, reason: String) async throws {
    try await ServerHarness.runCallbacks { server, app in
      let anna = try await server.caller("anna", .agent)
      let id = try await app.order()
      _ = try await act(anna, id, "available")
      #expect(try await act(anna, id, "failed", body)["reason"]?.string == reason)
      #expect(try await app.record(id)["_callback_reason"]?.string == reason)
    }
  }

  @Test("what does not fit is refused")
  func refusals() async throws {
    try await ServerHarness.runCallbacks { server, app in
      let (anna, ben) = (try await server.caller("anna", .agent), try await server.caller("ben", .supervisor))
      let id = try await app.order()
      _ = try await act(anna, id, "available")
      for (agent, action, body, status, exception) in [
        (ben, "available", "", 409, "CallbackStateException"), (ben, "accept", "", 409, "CallbackStateException"),
        (ben, "ended", "", 409, "CallbackStateException"), (anna, "ended", "", 409, "CallbackStateException"),
        (anna, "failed", #"{"reason":"CANCELLED"}"#, 400, "InvalidParameterException"),
        (anna, "failed", #"{"reason":7}"#, 400, "InvalidParameterException"),
        (anna, "accept", "[", 400, "MalformedRequestException"), (anna, "dance", "", 404, "NotFoundException"),
      ] {
        let answer = try await agent.call("POST", "\(Self.path)/\(id)/\(action)", body)
        #expect(answer.status == status, "\(action) \(body)")
        #expect(try JSONValue(parsing: answer.body)["exception"]?.string == exception, "\(action) \(body)")
      }
      #expect(try await anna.call("GET", Self.path + "/none").status == 404)
      #expect(try await anna.call("POST", Self.path + "/none/accept").status == 404)
      #expect(try await app.call("GET", Self.path).status == 401)
      let operatorCaller = try await server.caller("ops", .admin)
      #expect(try await operatorCaller.call("GET", Self.path).status == 403)
      #expect(try await operatorCaller.call("POST", "\(Self.path)/\(id)/accept").status == 403)
    }
  }

  @Test("a ready agent is offered what waits, the customer is asked, and the stream tells of it")
  func offer() async throws {
    try await ServerHarness.runCallbacks { server, app in
      let anna = try await server.caller("anna", .agent)
      let stream = try await server.connect()
      try await stream.get("/agent/1/events", headers: anna.headers)
      _ = try await stream.response(withoutBody: true)
      let id = try await app.order(
        #""_wait_for_user_confirm":"true","_device_os":"ios","_device_notification_id":"abc""#, number: "+49301")
      _ = try await stream.text(through: #""change":"queued""#)
      #expect(try await anna.call("PUT", "/agent/1/me", #"{"ready":true}"#).status == 200)
      let events = try await stream.text(through: #""change":"confirming""#)
      #expect(events.contains("event: agent\n"))
      #expect(events.contains(#"data: {"agentId":"anna","ready":true}"#))
      #expect(events.contains("event: callback\n"))
      let event = try await stream.text(through: "}\n\n")
      #expect(event.contains(#""id":"\#(id)","service":"callback-voice","state":"QUEUED""#))
      #expect(event.contains(#""customerNumber":"+49301""#))
      #expect(event.contains(#""agentId":"anna""#))
      let question = try await app.json("POST", "/genesys/1/service/\(id)/get-dialog-user-confirmation")
      let until = try await anna.json("GET", "\(Self.path)/\(id)")["confirming"]?["until"]
      #expect(question["_expires"] == until)
      #expect(
        try await app.json("POST", "/genesys/1/service/\(id)/check-queue-position")["_agent_ready_threshold_passed"]
          == true)
      _ = try await app.act(id, "connect")
      _ = try await stream.text(through: #""change":"routing""#)
      _ = try await act(anna, id, "connected")
      _ = try await stream.text(through: #""change":"connected""#)
      _ = try await act(anna, id, "release")
      _ = try await act(anna, id, "ended")
      _ = try await stream.text(through: #""change":"completed""#)
      #expect(try await stream.text(through: "}\n\n").contains(#""reason":"AGENT_CONNECTED""#))
    }
  }
}
