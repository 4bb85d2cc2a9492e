import JSONEnvelope
import Testing

@testable import HTTPEdge

@Suite("Device groups over HTTP", .timeLimit(.minutes(5)))
struct GroupTests {
  private func body(_ operation: String, name: String? = "home", key: String? = nil, _ tokens: [String]) -> String {
    var members: [(String, JSONValue)] = [("operation", .string(operation))]
    if let name { members.append(("notification_key_name", .string(name))) }
    if let key { members.append(("notification_key", .string(key))) }
    members.append(("registration_ids", .array(tokens.map { .string($0) })))
    return String(decoding: JSONValue.object(members).text, as: UTF8.self)
  }

  @Test("a group is made, found, changed, and gone with its last member", arguments: ["/gcm", "/fcm"])
  func life(prefix: String) async throws {
    try await ServerHarness.run { server in
      let device = try await TestDevice(server)
      let (first, second) = (try await device.token(), try await device.token(app: "com.example.other"))
      let sender = try await server.appServer("4711")
      let path = prefix + "/notification"
      let project = [("project_id", "4711")]
      let made = try await sender.call("POST", path, body("create", [first]), adding: project)
      #expect(made.status == 200)
      let key = try #require(made.json["notification_key"]?.string)
      let found = try await sender.call("GET", path + "?notification_key_name=home", adding: project)
      #expect(found.status == 200 && found.json["notification_key"]?.string == key)
      for (operation, tokens) in [("add", [second]), ("remove", [first])] {
        let changed = try await sender.call("POST", path, body(operation, name: nil, key: key, tokens), adding: project)
        #expect(changed.status == 200 && changed.json["notification_key"]?.string == key)
      }
      #expect(try await sender.call("POST", path, body("remove", key: key, [second])).status == 200)
      let gone = try await sender.call("GET", path + "?notification_key_name=home")
      #expect(gone.status == 400 && gone.error == "notification_key not found")
    }
  }

  @Test("what clients look for in the errors")
  func errors() async throws {
    try await ServerHarness.run { server in
      let device = try await TestDevice(server)
      let token = try await device.token()
      let sender = try await server.appServer("4711")
      let made = try await sender.call("POST", "/gcm/notification", body("create", [token]))
      let key = try #require(made.json["notification_key"]?.string)
      for (text, error) in [
        (body("create", [token]), "notification_key already exists"),
        (body("add", key: "unknown", [token]), "notification_key not found"),
        (body("create", name: "other", ["un:known"]), "no valid registration ids"),
        (body("create", name: "other", []), "no valid registration ids"),
        (
          body("add", name: "other", key: key, [token]),
          "notification_key_name doesn't match the group name of the notification_key"
        ),
      ] {
        let answer = try await sender.call("POST", "/gcm/notification", text)
        #expect(answer.status == 400 && answer.error == error, "\(text)")
      }
      for text in ["", "[]", "{", #"{"operation":"create"}"#, body("invent", [token]), body("add", [token])] {
        let answer = try await sender.call("POST", "/gcm/notification", text)
        #expect(answer.status == 400 && answer.error?.isEmpty == false, "\(text)")
      }
      #expect(try await sender.call("GET", "/gcm/notification").status == 400)
    }
  }

  @Test("another sender neither sees the group nor changes it, and a key is asked for")
  func access() async throws {
    try await ServerHarness.run { server in
      let token = try await TestDevice(server).token()
      let sender = try await server.appServer("4711", project: "shop")
      let made = try await sender.call("POST", "/gcm/notification", body("create", [token]))
      let key = try #require(made.json["notification_key"]?.string)
      let other = try await server.appServer("4712")
      #expect(try await other.call("GET", "/gcm/notification?notification_key_name=home").status == 400)
      #expect(try await other.call("POST", "/gcm/notification", body("add", key: key, [token])).status == 400)
      let stranger = MessagingCaller(client: try await server.connect())
      #expect(try await stranger.call("POST", "/gcm/notification", body("create", [token])).status == 401)
      for (project, status) in [("4711", 200), ("shop", 200), ("bank", 401)] {
        let answer = try await sender.call(
          "GET", "/gcm/notification?notification_key_name=home", adding: [("project_id", project)])
        #expect(answer.status == status)
      }
    }
  }
}
