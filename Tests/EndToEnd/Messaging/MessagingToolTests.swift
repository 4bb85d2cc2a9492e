import Foundation
import JSONEnvelope
import ProcessControl
import Testing

extension ServerFromOutside {
  @Suite("What an operator sees of messages and does to them", .timeLimit(.minutes(2)))
  struct MessagingToolTests {
    @Test("carillon messages --follow shows each step of a message, and not what it says")
    func follow() async throws {
      try await MessagingRig.run(isSecured: false) { rig in
        let phone = try await rig.device(.mcs, "phone", ["--login", "no", "--ack", "none"])
        try await rig.following { log in
          // It prints nothing before the first event: messages that nobody keeps tell when it listens.
          try await eventually("a follower") { () -> Bool? in
            _ = try await Self.send(rig, to: phone, ["time_to_live": 0])
            return log.text.contains("accepted") ? true : nil
          }
          let id = try #require(try await Self.send(rig, to: phone)["results"]?[0]?["message_id"]?.string)
          try await log.shows("stored", of: id)
          try phone.script.send(["do": "login"])
          #expect(try await phone.message()["persistentId"] == .string(id))
          try await log.shows("sent", of: id)
          try phone.script.send(["do": "selectiveAck", "ids": [.string(id)]])
          try await log.shows("acknowledged", of: id)
          #expect(log.steps(of: id) == ["accepted", "stored", "sent", "acknowledged"], "\(log.text)")
          #expect(!log.text.contains("secret text") && !log.text.contains(rig.key), "\(log.text)")
        }
      }
    }

    @Test("a scripted fault meets one message of a sender in test mode, and no second one")
    func faults() async throws {
      try await MessagingRig.run(isSecured: false, isTestSender: true) { rig in
        let phone = try await rig.connectedDevice("phone")
        try await rig.server.makeToken("operator", ["--role", "admin"])
        let scripted = try await Self.script(
          rig, [["error": "Unavailable"], ["status": 401], ["delayMilliseconds": 700]])
        #expect(scripted.status == 200, "\(scripted.text)")
        #expect(try await Self.send(rig, to: phone)["results"] == [["error": "Unavailable"]])
        #expect(try await Self.response(rig, to: phone).status == 401)
        let start = ContinuousClock.now
        #expect(try await Self.send(rig, to: phone)["success"] == 1)
        #expect(ContinuousClock.now - start >= .milliseconds(700))
        let last = try await Self.send(rig, to: phone)["results"]?[0]?["message_id"]
        // Only the two that were answered with an id come.
        _ = try await phone.message()
        #expect(try await phone.message()["persistentId"] == last)
      }
    }

    @Test("faults are refused for a sender that is not in test mode, and to whoever is no operator")
    func refused() async throws {
      try await MessagingRig.run(isSecured: false) { rig in
        try await rig.server.makeToken("operator", ["--role", "admin"])
        try await rig.server.makeToken("agent", ["--role", "agent"])
        #expect(try await Self.script(rig, [["status": 401]]).status == 404)
        #expect(try await Self.script(rig, [["status": 401]], as: "agent").status == 403)
        let phone = try await rig.connectedDevice("phone")
        #expect(try await Self.send(rig, to: phone)["success"] == 1)
      }
    }

    private static func response(
      _ rig: MessagingRig, to device: MessagingDevice, _ options: JSONObject = [:]
    ) async throws -> WireResponse {
      var shop = rig.server.wire()
      shop.headers = [("Authorization", "key=\(rig.key)")]
      var body = options
      body["registration_ids"] = [device.target]
      body["data"] = ["text": "secret text"]
      return try await shop.json("/gcm/send", .object(body))
    }

    private static func send(
      _ rig: MessagingRig, to device: MessagingDevice, _ options: JSONObject = [:]
    ) async throws -> JSONValue {
      let response = try await response(rig, to: device, options)
      try #require(response.status == 200, "\(response.text)")
      return response.json
    }

    private static func script(
      _ rig: MessagingRig, _ faults: JSONValue, as name: String = "operator"
    ) async throws -> WireResponse {
      try await rig.server.agent(name).ask(
        "PUT", "/admin/1/senders/\(MessagingRig.sender)/faults", JSONValue.object(["faults": faults]).text,
        type: "application/json")
    }
  }
}

/// What `carillon messages --follow` has printed.
private struct MessageLog: Sendable {
  let file: String

  var text: String { (try? String(contentsOfFile: file, encoding: .utf8)) ?? "" }

  func steps(of id: String) -> [String] {
    text.split(separator: "\n").filter { $0.contains(id) }.compactMap { line in
      line.split(separator: " ").dropFirst().first.map(String.init)
    }
  }

  func shows(_ step: String, of id: String) async throws {
    try await eventually("“\(step)” in\n\(text)") { steps(of: id).contains(step) ? true : nil }
  }
}

extension MessagingRig {
  /// Follows the sender's messages while `body` runs.
  fileprivate func following(_ body: (MessageLog) async throws -> Void) async throws {
    let log = MessageLog(file: server.directory + "/messages.txt")
    let command = try ChildProcess.start(
      ServerProcess.executable,
      ["messages", "--follow", "--server", "http://127.0.0.1:\(server.port)"],
      environment: ["CARILLON_TOKEN": key], log: log.file)
    do {
      try await body(log)
    } catch {
      await command.end()
      throw error
    }
    await command.end()
  }
}
