import Engine
import JSONEnvelope
import PushDomain
import Testing

@testable import HTTPEdge

@Suite("Messages over legacy HTTP", .timeLimit(.minutes(5)))
struct SendLegacyTests {
  @Test(
    "a message reaches the connected device, under both names of the resource", arguments: ["/gcm/send", "/fcm/send"])
  func delivery(_ path: String) async throws {
    try await SendRig.run { rig in
      let box = try await rig.connect()
      let answer = try await rig.send(
        #"{"to":"\#(rig.token)","collapse_key":"score","data":{"Nick":"Mario","n":5}}"#, path: path)
      #expect(answer.status == 200)
      #expect(answer.header("Content-Type")?.hasPrefix("application/json") == true)
      #expect(answer.header("Retry-After") == nil)
      #expect((answer.json["multicast_id"]?.integer ?? 0) > 0)
      #expect(answer.json["success"] == 1)
      #expect(answer.json["failure"] == 0)
      #expect(answer.json["canonical_ids"] == 0)
      let mail = try #require(await box.next())
      #expect(mail.id == answer.json["results"]?[0]?["message_id"]?.string)
      #expect(mail.origin == SendRig.sender)
      #expect(mail.category == SendRig.app)
      #expect(mail.collapseKey == "score")
      #expect(mail.pairs.contains(MailPair("Nick", "Mario")))
      #expect(mail.pairs.contains(MailPair("n", "5")))
    }
  }

  @Test("several targets are answered in the order of the request")
  func multicast() async throws {
    try await SendRig.run { rig in
      let stranger = try await rig.server.engine.installations.register(SendRig.form(sender: "99"), rig.device)
      let answer = try await rig.send(
        #"{"registration_ids":["42","\#(rig.token)","\#(stranger)","\#(rig.token)"],"data":{"a":"1"}}"#)
      #expect(answer.status == 200)
      #expect(answer.json["success"] == 2)
      #expect(answer.json["failure"] == 2)
      let results = try #require(answer.json["results"]?.array)
      #expect(results.map { $0["error"]?.string } == ["InvalidRegistration", nil, "MismatchSenderId", nil])
      #expect(results[1]["message_id"]?.string?.isEmpty == false)
    }
  }

  @Test("the documented smallest request is answered for its unknown token")
  func smallest() async throws {
    try await SendRig.run { rig in
      let answer = try await rig.send(#"{"registration_ids":["42"]}"#)
      #expect(answer.json["results"] == [["error": "InvalidRegistration"]])
      #expect(answer.json["failure"] == 1)
    }
  }

  @Test("a token that is no longer registered, and a wrong package, get their codes")
  func codes() async throws {
    try await SendRig.run { rig in
      let wrong = try await rig.send(#"{"to":"\#(rig.token)","restricted_package_name":"other"}"#)
      #expect(wrong.json["results"] == [["error": "InvalidPackageName"]])
      try await rig.server.engine.installations.unregister(
        app: SendRig.app, subtype: nil, instanceID: nil, senders: [], rig.device)
      let gone = try await rig.send(#"{"to":"\#(rig.token)"}"#)
      #expect(gone.json["results"] == [["error": "NotRegistered"]])
    }
  }

  @Test("a dry run is answered as usual and delivers nothing")
  func dryRun() async throws {
    try await SendRig.run { rig in
      let box = try await rig.connect()
      let dry = try await rig.send(#"{"to":"\#(rig.token)","dry_run":true,"data":{"a":"dry"}}"#)
      #expect(dry.json["success"] == 1)
      #expect(dry.json["results"]?[0]?["message_id"]?.string?.isEmpty == false)
      let unknown = try await rig.send(#"{"to":"42","dry_run":true}"#)
      #expect(unknown.json["results"] == [["error": "InvalidRegistration"]])
      _ = try await rig.send(#"{"to":"\#(rig.token)","data":{"a":"real"}}"#)
      #expect(await box.next()?.pairs.contains(MailPair("a", "real")) == true)
    }
  }

  @Test("a topic is answered with a number alone")
  func topic() async throws {
    try await SendRig.run { rig in
      let box = try await rig.connect()
      _ = try await rig.server.engine.installations.setTopic("news", of: rig.token, sender: SendRig.sender, on: true)
      let answer = try await rig.send(#"{"to":"/topics/news","data":{"a":"1"}}"#)
      #expect(answer.json["message_id"]?.double != nil)
      #expect(answer.json.object?.names == ["message_id"])
      #expect(await box.next()?.origin == "/topics/news")
      let other = try await rig.send(#"{"condition":"'news' in topics && !('dogs' in topics)","data":{"a":"2"}}"#)
      #expect(other.json["message_id"]?.double != nil)
      #expect(await box.next()?.pairs.contains(MailPair("a", "2")) == true)
    }
  }

  @Test(
    "a request of the wrong form is a 400 with one line of plain text",
    arguments: [
      ("nope", "JSON_PARSING_ERROR: Unexpected character (n) at position 0.\n"),
      (#"{"to":"t","data":"smth"}"#, "Field \"data\" must be a JSON array: smth\n"),
      (
        #"{"to":"t","registration_ids":["t"]}"#, "Must use either \"registration_ids\" field or \"to\", not both\n"
      ),
    ])
  func malformed(_ body: String, _ text: String) async throws {
    try await SendRig.run { rig in
      let answer = try await rig.send(body)
      #expect(answer.status == 400)
      #expect(answer.header("Content-Type")?.hasPrefix("text/plain") == true)
      #expect(answer.body == text)
    }
  }

  @Test(
    "a request that breaks a rule of the table is a 200 with the code",
    arguments: [
      (#"{}"#, "MissingRegistration"), (#"{"to":"t","time_to_live":2419201}"#, "InvalidTtl"),
      (#"{"to":"t","data":{"from":"x"}}"#, "InvalidDataKey"),
      (#"{"to":"t","data":{"k":"\#(String(repeating: "x", count: 4_096))"}}"#, "MessageTooBig"),
    ])
  func ruled(_ body: String, _ code: String) async throws {
    try await SendRig.run { rig in
      let answer = try await rig.send(body)
      #expect(answer.status == 200)
      #expect(answer.json["results"] == [["error": .string(code)]])
      #expect(answer.json["failure"] == 1)
    }
  }

  @Test(
    "plain text is answered in plain text, whether it says so or not",
    arguments: ["application/x-www-form-urlencoded;charset=UTF-8", ""])
  func plainText(_ type: String) async throws {
    try await SendRig.run { rig in
      let box = try await rig.connect()
      let good = try await rig.send("registration_id=\(rig.token)&data.greeting=Gr%C3%BC%C3%9Fe+alle", type: type)
      #expect(good.status == 200)
      let mail = try #require(await box.next())
      #expect(good.body == "id=\(mail.id)\n")
      #expect(mail.pairs.contains(MailPair("greeting", "Grüße alle")))
      #expect(try await rig.send("registration_id=42", type: type).body == "Error=InvalidRegistration\n")
      #expect(try await rig.send("data.a=1", type: type).body == "Error=MissingRegistration\n")
      #expect(try await rig.send("registration_id=%zz", type: type).body == "Error=InvalidParameters\n")
    }
  }

  @Test("a body above a megabyte is a 413")
  func tooLarge() async throws {
    try await SendRig.run { rig in
      let answer = try await rig.send(#"{"to":"\#(String(repeating: "x", count: 1_100_000))"}"#)
      #expect(answer.status == 413)
    }
  }

  @Test("other methods are a 405")
  func methods() async throws {
    try await SendRig.run { rig in
      let client = try await rig.server.connect()
      for path in ["/gcm/send", "/v1/projects/p/messages:send"] {
        try await client.get(path)
        let answer = try await client.response()
        #expect(answer.status == 405)
        #expect(answer.header("Allow") == "POST, OPTIONS")
      }
    }
  }

  @Test("one connection serves one request after the other")
  func keepAlive() async throws {
    try await SendRig.run { rig in
      let client = try await rig.server.connect()
      for _ in 0..<3 {
        try await client.post(
          "/gcm/send", #"{"to":"\#(rig.token)"}"#,
          headers: "Authorization: key=\(rig.key)\r\nContent-Type: application/json\r\n")
        #expect(try await client.response().json["success"] == 1)
      }
    }
  }
}
