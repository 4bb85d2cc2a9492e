import Engine
import GCMProtocol
import PushDomain
import ServiceLifecycle
import StandInSupport
import Testing

@testable import CCSEdge

@Suite(
  "CCS with XMPP clients of other makers", .enabled(if: StandIn.python != nil), .serialized, .timeLimit(.minutes(2)))
struct ClientTests {
  private static let slixmpp = "gcm_ccs_slixmpp.py"

  /// The next JSON that the client got from the service.
  private func received(_ client: StandIn) async throws -> [String: any Sendable] {
    let line = try #require(await client.next())
    return try #require(line["received"] as? [String: any Sendable], "\(line)")
  }

  private func logIn(
    _ harness: EngineHarness, _ client: StandIn, _ arguments: [String] = []
  ) async throws {
    try harness.start(Self.slixmpp, as: client, arguments)
    #expect(try #require(await client.next())["online"] as? Bool == true)
  }

  private func send(_ json: [String: any Sendable], _ client: StandIn) throws {
    try client.send(["do": "send", "json": json])
  }

  @Test("slixmpp logs in, sends, and is told what became of it")
  func downstream() async throws {
    try await EngineHarness.run { harness, clients in
      let client = clients[0]
      let (device, token) = try await harness.device()
      try await logIn(harness, client)
      try send(["to": token, "message_id": "m-1", "data": ["text": "<é & 𝄞>"]], client)
      let ack = try await received(client)
      #expect(ack["message_type"] as? String == "ack")
      #expect(ack["message_id"] as? String == "m-1")
      #expect(ack["from"] as? String == token)
      while device.mail.isEmpty { try await Task.sleep(for: .milliseconds(2)) }
      #expect(device.mail.first?.pairs.contains(MailPair("text", "<é & 𝄞>")) == true)

      try send(["to": "nobody", "message_id": "m-2"], client)
      let nack = try await received(client)
      #expect(nack["message_type"] as? String == "nack")
      #expect(nack["error"] as? String == "BAD_REGISTRATION")
      #expect(nack["error_description"] is String)

      try send(["to": token, "message_id": "m-3", "time_to_live": -1], client)
      #expect(try await received(client)["error"] as? String == "INVALID_JSON")
      try client.send(["do": "raw", "text": "<message id='e'><gcm xmlns='google:mobile:data'>{}</gcm></message>"])
      let error = try #require(await client.next())["error"] as? String
      #expect(error?.contains("JSON_PARSING_ERROR : Missing Required Field: message_id") == true)
    }
  }

  @Test("slixmpp with a wrong key is refused")
  func wrongKey() async throws {
    try await EngineHarness.run { harness, clients in
      try harness.start(Self.slixmpp, as: clients[0], key: "wrong")
      #expect(try #require(await clients[0].next())["refused"] as? Bool == true)
    }
  }

  @Test("a receipt comes when the device has confirmed")
  func receipt() async throws {
    try await EngineHarness.run { harness, clients in
      let client = clients[0]
      let (_, token) = try await harness.device()
      try await logIn(harness, client)
      try send(
        ["to": token, "message_id": "m-1", "delivery_receipt_requested": true, "data": ["k": "v"]], client)
      // The device may be faster than the ack.
      let answers = [try await received(client), try await received(client)]
      let receipt = try #require(answers.first { $0["message_type"] as? String == "receipt" })
      #expect(answers.contains { $0["message_type"] as? String == "ack" })
      #expect(receipt["message_id"] as? String == "dr2:m-1")
      #expect(receipt["from"] as? String == "gcm.googleapis.com")
      let data = try #require(receipt["data"] as? [String: any Sendable])
      #expect(data["message_status"] as? String == "MESSAGE_SENT_TO_DEVICE")
      #expect(data["original_message_id"] as? String == "m-1")
      #expect(data["device_registration_id"] as? String == token)
    }
  }

  @Test("what a device sends comes to the app server, again on the next connection unless it was acknowledged")
  func upstream() async throws {
    try await EngineHarness.run(clients: 2) { harness, clients in
      let (device, token) = try await harness.device()
      try await logIn(harness, clients[0], ["--ack", "no"])
      let message = UpstreamMessage(
        id: "u-1", category: "com.example", pairs: [MailPair("k", "v")], timeToLive: 3_600)
      #expect(await device.send(message, to: "\(EngineHarness.sender)@gcm.googleapis.com") == .accepted)
      let first = try await received(clients[0])
      #expect(first["message_id"] as? String == "u-1")
      #expect(first["from"] as? String == token)
      #expect(first["category"] as? String == "com.example")
      #expect((first["data"] as? [String: any Sendable])?["k"] as? String == "v")

      try clients[0].send(["do": "disconnect"])
      #expect(try #require(await clients[0].next())["offline"] is String)
      try harness.start(Self.slixmpp, as: clients[1])
      // slixmpp says that it is online after a message that comes with the answer to the login.
      let lines = [try #require(await clients[1].next()), try #require(await clients[1].next())]
      #expect(lines.contains { $0["online"] as? Bool == true })
      let again = lines.compactMap { $0["received"] as? [String: any Sendable] }.first
      #expect(again?["message_id"] as? String == "u-1")
      // It is acknowledged now: the next thing that comes is something else.
      let next = UpstreamMessage(id: "u-2", category: "com.example", pairs: [], timeToLive: 3_600)
      #expect(await device.send(next, to: EngineHarness.sender) == .accepted)
      #expect(try await received(clients[1])["message_id"] as? String == "u-2")
    }
  }

  @Test("slixmpp is told that the connection drains")
  func draining() async throws {
    var limits = CCSLimits()
    limits.drainNotice = .milliseconds(200)
    try await EngineHarness.run(limits: limits) { harness, clients in
      try await logIn(harness, clients[0])
      await harness.services.triggerGracefulShutdown()
      let control = try await received(clients[0])
      #expect(control["message_type"] as? String == "control")
      #expect(control["control_type"] as? String == "CONNECTION_DRAINING")
      #expect(try #require(await clients[0].next())["offline"] is String)
    }
  }

  @Test("aiofcm, with a thousand messages unanswered, gets a thousand answers")
  func aiofcm() async throws {
    try await EngineHarness.run { harness, clients in
      let client = clients[0]
      let (device, token) = try await harness.device()
      try harness.start("gcm_send_aiofcm.py", as: client)
      #expect(try #require(await client.next())["ready"] as? Bool == true)
      try client.send(["many": 1_000, "device_token": token, "data": ["k": "v"]])
      for _ in 1...1_000 {
        let answer = try #require(await client.next())
        guard answer["status"] as? String == "SUCCESS" else {
          Issue.record("\(answer)")
          return
        }
      }
      while device.mail.count < 1_000 { try await Task.sleep(for: .milliseconds(5)) }
      try client.send(["device_token": "nobody", "data": ["k": "v"]])
      let refused = try #require(await client.next())
      #expect(refused["status"] as? String == "BAD_REGISTRATION")
      #expect(refused["description"] is String)
    }
  }

  @Test("a scripted fault comes as a nack")
  func faults() async throws {
    try await EngineHarness.run { harness, clients in
      let client = clients[0]
      let (_, token) = try await harness.device()
      try await logIn(harness, client)
      harness.engine.messaging.setFaults(
        [
          ScriptedFault(kind: .error(.deviceMessageRateExceeded)), ScriptedFault(kind: .status(503)),
          ScriptedFault(kind: .status(401)), ScriptedFault(kind: .status(500)), ScriptedFault(kind: .slow),
        ], of: EngineHarness.sender)
      for code in [
        "DEVICE_MESSAGE_RATE_EXCEEDED", "SERVICE_UNAVAILABLE", "AUTHENTICATION_FAILED", "INTERNAL_SERVER_ERROR", nil,
      ] {
        try send(["to": token, "message_id": "m", "data": ["k": "v"]], client)
        #expect(try await received(client)["error"] as? String == code)
      }
    }
  }
}
