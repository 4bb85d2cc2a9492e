import CarillonClient
import Foundation
import JSONEnvelope
import StandInSupport
import Testing

extension ServerFromOutside {
  /// The customer's side is somebody else's: a back end that knows Zendesk's page and nothing of ours, in front of
  /// stand-ins for Apple's and Google's services.
  @Suite("A back end written from the published page alone", .timeLimit(.minutes(3)))
  struct SupportBackEndTests {
    static let phone = "9f1c07ab55d0e3aa"
    static let tablet = "fcm-token-of-a-tablet"

    @Test("an answer reaches both phones with the request to open; one that Apple calls gone is told of no more")
    func life() async throws {
      let apple = try await StandIn.start("apns.py")
      defer { apple.stop() }
      let google = try await StandIn.start("fcm.py")
      defer { google.stop() }
      try await ServerProcess.run(starts: false) { server in
        let admin = try await server.makeToken("ops", ["--role", "admin"])
        // The back end has to know the server's port, the server the back end's URL: the port comes first.
        try await server.start()
        let backEnd = try start(server, apple, google, token: admin)
        do {
          let ready = try await backEnd.next()
          let url = "http://127.0.0.1:\(ready["ready"]?.integer ?? 0)\(ready["path"]?.string ?? "")"
          #expect(try await server.stop() == 0)
          try server.configure(SupportDesk.options(webhookURL: url))
          try await server.start()
          try await play(SupportDesk(server: server), backEnd, gone: try #require(Self.goneToken(apple)))
        } catch {
          await backEnd.kill()
          Issue.record("the back end's errors:\n\(backEnd.errors)")
          throw error
        }
        try await backEnd.finish()
      }
    }

    private func play(_ desk: SupportDesk, _ backEnd: ScriptProcess, gone: String) async throws {
      let ann = try await desk.signedIn("5b0f4c1e-8a57-4a0e-9c55-2f1f6f0a7d31")
      let agent = desk.agent()
      // As early iOS code prints a token.
      try await ann.registerDevice("<9F1C07AB 55D0E3AA>", type: .ios, locale: "en-us")
      try await ann.registerDevice(Self.tablet, type: .android, locale: "en")
      try await ann.registerDevice(gone, type: .ios, locale: "en")
      let request = try await ann.create(subject: "Order 81", text: "Where is it?").id

      try await agent.comment("It left today.", onTicket: request)
      let call = try await backEnd.next()
      // Byte by byte what the page prints, but for the blanks.
      let expected = """
        {"devices":[{"identifier":"\(Self.phone)","type":"ios"},{"identifier":"\(Self.tablet)","type":"android"},\
        {"identifier":"\(gone)","type":"ios"}],\
        "notification":{"body":"It left today.","title":"Agent K replied","ticket_id":"\(request)"}}
        """
      #expect(call["call"]?.string == expected)
      #expect(call["headers"]?["content-type"] == "application/json")
      #expect(call["headers"]?["accept"] == "application/json")
      #expect(call["headers"]?["webhook-id"]?.string?.isEmpty == false)

      var statuses: [String: Int] = [:]
      for _ in 1...3 {
        let pushed = try await backEnd.next()
        #expect(pushed["payload"]?["zendesk_sdk_request_id"] == .string(String(request)), "\(pushed)")
        statuses[pushed["identifier"]?.string ?? ""] = pushed["status"]?.integer
      }
      #expect(statuses == [Self.phone: 200, Self.tablet: 200, gone: 410])
      let unregistered = try await backEnd.next()
      #expect(unregistered["unregistered"] == [.string(gone)])
      #expect(unregistered["status"] == 200 && unregistered["answer"] == #""""#, "\(unregistered)")

      // Neither a note nor what Ann says herself is anybody's push: the next call is the next answer's.
      try await agent.comment("Call her?", onTicket: request, isPublic: false)
      try await ann.comment("Thanks", on: request)
      try await agent.comment("You are welcome.", onTicket: request)
      let second = try JSONValue(parsing: try await backEnd.next()["call"]?.string ?? "")
      #expect(second["notification"]?["body"] == "You are welcome.")
      #expect(
        second["devices"]?.array?.compactMap { $0["identifier"]?.string } == [Self.phone, Self.tablet],
        "the dead one is gone")
      await ann.shutDown()
      agent.shutDown()
    }

    private func start(
      _ server: ServerProcess, _ apple: StandIn, _ google: StandIn, token: String
    ) throws -> ScriptProcess {
      func text(_ standIn: StandIn, _ name: String) -> String { standIn.hello[name] as? String ?? "" }
      let account = server.directory + "/account.json"
      let key: [String: String] = [
        "client_email": text(google, "client_email"), "private_key": text(google, "private_key"),
        "private_key_id": text(google, "private_key_id"),
      ]
      try JSONSerialization.data(withJSONObject: key).write(to: URL(fileURLWithPath: account))
      let arguments: [(String, String)] = [
        ("apns", "https://localhost:\(apple.port)"), ("apns-key", text(apple, "key")),
        ("apns-key-id", text(apple, "key_id")), ("apns-team", text(apple, "team_id")),
        ("apns-topic", text(apple, "topic")), ("push-ca", text(apple, "ca")),
        ("fcm", "https://localhost:\(google.port)"), ("fcm-project", text(google, "project")),
        ("fcm-account", account), ("fcm-ca", text(google, "ca")),
        ("unregister", "http://127.0.0.1:\(server.port)/api/v2/push_notification_devices/destroy_many"),
        ("email", "ops@example.com"), ("token", token),
      ]
      return try ScriptProcess(
        "Scripts/support_backend.py", arguments.flatMap { ["--\($0)", $1] }, directory: server.directory)
    }

    /// One that this stand-in answers with 410.
    private static func goneToken(_ apple: StandIn) -> String? {
      (apple.hello["rows"] as? [String: any Sendable])?["Unregistered"] as? String
    }
  }
}
