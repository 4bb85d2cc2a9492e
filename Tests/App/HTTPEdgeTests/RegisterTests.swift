import JSONEnvelope
import Testing

@testable import HTTPEdge
@testable import MessagingAPI

@Suite("Registration of apps", .timeLimit(.minutes(5)))
struct RegisterTests {
  @Test("the same app and sender get the same token; another sender another one")
  func tokens() async throws {
    try await ServerHarness.run { server in
      let device = try await TestDevice(server)
      let token = try await device.token()
      #expect(token.contains(":") && RegistrationTokenForm.isPlausible(token))
      #expect(try await device.token() == token)
      #expect(try await device.token(sender: "4712") != token)
      #expect(try await device.token(app: "com.example.other") != token)
      #expect(try await TestDevice(server).token() != token)
    }
  }

  @Test("after the app is unregistered its token is dead")
  func unregister() async throws {
    try await ServerHarness.run { server in
      let device = try await TestDevice(server)
      let sender = try await server.appServer("4711")
      let token = try await device.token()
      #expect(try await sender.call("GET", "/iid/info/\(token)").status == 200)
      #expect(
        try await device.register3("app=com.example.app&delete=true&gcm_unreg_caller=false")
          == "deleted=com.example.app")
      #expect(try await sender.call("GET", "/iid/info/\(token)").status == 404)
      // Once more does no harm.
      #expect(try await device.register3("app=com.example.app&delete=true") == "deleted=com.example.app")
    }
  }

  @Test("an instance id's token is deleted in its own words, and `*` is every sender")
  func unregisterInstanceID() async throws {
    try await ServerHarness.run { server in
      let device = try await TestDevice(server)
      let sender = try await server.appServer("4711")
      let more = "&X-subtype=wp%3Ahttps%3A%2F%2Fa.test%2F%231&appid=abcdefghijk&scope=GCM&X-scope=GCM"
      let token = try await device.token(more)
      #expect(token.hasPrefix("abcdefghijk:"))
      #expect(
        try await device.register3("app=com.example.app&delete=true\(more)&sender=*") == "token=abcdefghijk")
      #expect(try await sender.call("GET", "/iid/info/\(token)").status == 404)
    }
  }

  @Test("errors are a line of text with status 200")
  func errors() async throws {
    try await ServerHarness.run { server in
      let device = try await TestDevice(server)
      let stranger = MessagingCaller(client: try await server.connect())
      for authorization in ["AidLogin \(device.id):1", "AidLogin 99:99", "Bearer x"] {
        let answer = try await stranger.call(
          "POST", "/c2dm/register3", "app=a.b&sender=1", adding: [("Authorization", authorization)])
        #expect(answer.status == 200 && answer.body == "Error=AUTHENTICATION_FAILED")
      }
      #expect(
        try await stranger.call("POST", "/c2dm/register3", "app=a.b&sender=1").body == "Error=AUTHENTICATION_FAILED")
      #expect(try await device.register3("app=a.b") == "Error=INVALID_SENDER")
      #expect(try await device.register3("sender=1") == "Error=INVALID_PARAMETERS")
      #expect(try await device.register3("app=a.b&sender=%zz") == "Error=INVALID_PARAMETERS")
      #expect(
        try await device.caller.call("POST", "/c2dm/register3", "device=1&app=a.b&sender=1").body
          == "Error=AUTHENTICATION_FAILED")
      #expect(try await device.register3("sender=nothing:x&X-gcm.topic=/topics/a") == "Error=INVALID_PARAMETERS")
    }
  }

  @Test("a device subscribes its token to a topic, and leaves it")
  func topics() async throws {
    try await ServerHarness.run { server in
      let device = try await TestDevice(server)
      let sender = try await server.appServer("4711")
      let token = try await device.token()
      #expect(
        try await device.register3("app=com.example.app&sender=\(token)&X-gcm.topic=/topics/news") == "token=\(token)")
      let info = try await sender.call("GET", "/iid/info/\(token)?details=true").json
      #expect(info["rel"]?["topics"]?["news"]?["addDate"]?.string?.count == 10)
      #expect(
        try await device.register3("app=com.example.app&sender=\(token)&X-gcm.topic=/topics/news&delete=true")
          == "token=\(token)")
      #expect(try await sender.call("GET", "/iid/info/\(token)?details=true").json["rel"] == nil)
    }
  }

  @Test("the JSON form: registers, subscribes, and ends what it has registered")
  func jsonForm() async throws {
    try await ServerHarness.run { server in
      let device = try await TestDevice(server)
      let sender = try await server.appServer("4711")
      let caller = device.caller
      let made = try await caller.call(
        "POST", "/device/1/register",
        #"{"app":"shop","senders":["4711"],"subtype":"x","appVersion":"3","platform":"IOS"}"#)
      let token = try #require(made.json["token"]?.string)
      let info = try await sender.call("GET", "/iid/info/\(token)").json
      #expect(info["platform"]?.string == "IOS" && info["applicationVersion"]?.string == "3")
      let subscription = #"{"token":"\#(token)","topic":"/topics/news"}"#
      #expect(try await caller.call("POST", "/device/1/topics", subscription).status == 204)
      #expect(try await caller.call("DELETE", "/device/1/topics?token=\(token)&topic=news").status == 204)
      #expect(try await caller.call("DELETE", "/device/1/registrations?app=shop&subtype=x").status == 204)
      #expect(try await sender.call("GET", "/iid/info/\(token)").status == 404)
      #expect(try await caller.call("POST", "/device/1/topics", subscription).status == 404)
      let stranger = MessagingCaller(client: try await server.connect())
      #expect(try await stranger.call("POST", "/device/1/register", "{}").status == 401)
      for body in [
        "{}", #"{"app":"a"}"#, #"{"app":"a","senders":[]}"#, #"{"app":"a","senders":"1"}"#,
        #"{"app":"a","senders":[1]}"#, #"{"app":"a","senders":["1"],"platform":"PALM"}"#,
      ] {
        #expect(try await caller.call("POST", "/device/1/register", body).status == 400, "\(body)")
      }
      #expect(try await caller.call("DELETE", "/device/1/registrations").status == 400)
      #expect(try await caller.call("POST", "/device/1/topics", #"{"token":"a b","topic":"x"}"#).status == 400)
      #expect(try await caller.call("POST", "/device/1/topics", #"{"token":"\#(token)","topic":"a b"}"#).status == 400)
    }
  }
}
