import Foundation
import JSONEnvelope
import Testing

extension ServerFromOutside {
  /// Every client here is somebody else's, but for the device that shows what goes over the wire. Spec: GCM B, C, D, E.
  @Suite("Libraries of others for app servers and devices", .timeLimit(.minutes(5)))
  struct MessagingClientTests {
    @Test("python-gcm sends JSON and plain text; firebase-messaging and push-receiver decrypt it, also what waited")
    func legacy() async throws {
      try await MessagingRig.run { rig in
        let shop = try await rig.pythonGCM()
        let chrome = try await rig.device(.firebaseMessaging, "chrome")
        _ = try await chrome.script.event("online")
        let old = try await rig.device(.pushReceiver, "old")

        let answer = try await shop.ask([
          "do": "json", "registration_ids": [chrome.target, old.target, "bad"], "data": ["text": "Grüße"],
        ])["answer"]
        #expect(answer?["errors"] == ["InvalidRegistration": ["bad"]])
        for device in [chrome, old] {
          let notification = try await device.notification()
          #expect(notification["data"] == ["text": "Grüße"])
          #expect(notification["from"] == .string(MessagingRig.sender))
          #expect(notification["fcmMessageId"] == answer?["success"]?[device.token])
        }
        _ = try await shop.ask(["do": "plain", "registration_id": chrome.target, "data": ["plain": "ü"]])
        #expect(try await chrome.notification()["data"] == ["plain": "ü"])

        try await chrome.script.finish()
        await old.script.kill()
        _ = try await shop.ask([
          "do": "json", "registration_ids": [chrome.target, old.target], "data": ["while": "away"],
        ])
        for (kind, name, before) in [
          (MessagingDevice.Kind.firebaseMessaging, "chrome", chrome), (.pushReceiver, "old", old),
        ] {
          let device = try await rig.device(kind, name)
          #expect(device.token == before.token)
          // It is the first to come, so nothing from before came again.
          #expect(try await device.notification()["data"] == ["while": "away"], "\(name)")
        }
      }
    }

    @Test("pyfcm sends by HTTP v1, with the key as bearer and with a service account")
    func pyfcm() async throws {
      try await MessagingRig.run { rig in
        let device = try await rig.device(.firebaseMessaging, "chrome")
        for credentials in [["--key", rig.key], ["--service-account", rig.serviceAccount]] {
          let shop = try await rig.appServer("pyfcm", ["--project", MessagingRig.sender] + credentials)
          let sent = try await shop.ask([
            "fcm_token": device.target, "data_payload": ["number": "81"], "notification_title": "T",
            "webpush_config": ["headers": ["TTL": "60", "Urgency": "high", "Topic": "orders"]],
            // Not for a page.
            "android_config": ["ttl": "30s", "priority": "NORMAL", "collapse_key": "others"],
          ])
          let name = try #require(sent["answer"]?["name"]?.string, "\(sent)")
          let notification = try await device.notification()
          #expect(notification["data"] == ["number": "81"])
          #expect(notification["notification"]?["title"] == "T")
          #expect(notification["priority"] == "high" && notification["collapse_key"] == "orders")
          #expect(name == "projects/\(MessagingRig.sender)/messages/\(notification["fcmMessageId"]?.string ?? "")")
          let tried = try await shop.ask(["fcm_token": device.target, "notification_title": "T", "dry_run": true])
          #expect(tried["answer"]?["name"]?.string?.hasSuffix("/fake_message_id") == true)
          #expect(try await shop.ask(["fcm_token": "nope"])["exception"] == "InvalidDataError")
        }
        let stranger = try await rig.appServer("pyfcm", ["--project", MessagingRig.sender, "--key", "wrong"])
        #expect(try await stranger.ask(["fcm_token": device.target])["exception"] == "AuthenticationError")
      }
    }

    @Test("firebase-admin with a service account: one, many, topics, conditions and dry runs")
    func firebaseAdmin() async throws {
      try await MessagingRig.run { rig in
        let device = try await rig.device(.firebaseMessaging, "chrome")
        let shop = try await rig.appServer("firebase_admin", ["--service-account", rig.serviceAccount])
        func sends(_ message: JSONValue) async throws {
          let answer = try await shop.ask(["do": "send", "message": message])
          try #require(answer["id"] != nil, "\(answer)")
        }
        try await sends([
          "token": device.target, "data": ["x": "y"], "webpush": ["headers": ["Urgency": "high"]],
          "android": ["priority": "normal", "ttl": 3.5],
        ])
        #expect(try await device.notification()["priority"] == "high")

        for way in ["each", "each_async"] {
          let answer = try await shop.ask([
            "do": .string(way),
            "messages": [
              ["token": device.target, "notification": ["title": "T"]], ["token": "gone"],
              ["token": device.target, "data": ["way": .string(way)], "android": ["ttl": 60, "collapse_key": "k"]],
            ],
          ])
          #expect(answer["success"] == 2 && answer["failure"] == 1, "\(answer)")
          #expect(answer["results"]?[1]?["exception"] == "InvalidArgumentError")
          // The library sends them at once: either may be there first.
          let both = [try await device.notification(), try await device.notification()]
          #expect(both.contains { $0["notification"] == ["title": "T"] }, "\(both)")
          #expect(both.contains { $0["data"] == ["way": .string(way)] }, "\(both)")
        }

        // Dry runs reach nobody: what the device gets next is of the topic.
        let tried = try await shop.ask(["do": "send", "message": ["token": device.target], "dry_run": true])
        #expect(tried["id"]?.string?.hasSuffix("/fake_message_id") == true)
        for _ in 1...2 {  // a second subscription is none
          let subscribed = try await shop.ask(["do": "subscribe", "tokens": [device.target], "topic": "news"])
          #expect(subscribed["success"] == 1 && subscribed["failure"] == 0, "\(subscribed)")
        }
        let partly = try await shop.ask(["do": "subscribe", "tokens": [device.target, "bad"], "topic": "news"])
        #expect(partly["failure"] == 1 && partly["errors"]?["1"] != nil)
        try await sends(["topic": "news", "data": ["t": "1"]])
        let toTopic = try await device.notification()
        #expect(toTopic["data"] == ["t": "1"] && toTopic["from"] == "/topics/news")
        try await sends(["condition": "'news' in topics && !('sport' in topics)", "data": ["t": "2"]])
        #expect(try await device.notification()["data"] == ["t": "2"])
        let left = try await shop.ask(["do": "unsubscribe", "tokens": [device.target], "topic": "news"])
        #expect(left["success"] == 1, "\(left)")
        try await sends(["topic": "news", "data": ["t": "3"]])
        try await sends(["token": device.target, "data": ["t": "4"]])
        #expect(try await device.notification()["data"] == ["t": "4"])
      }
    }

    @Test("each refusal becomes the exception that a library has for it")
    func refusals() async throws {
      try await MessagingRig.run { rig in
        let device = try await rig.connectedDevice("phone")
        func register(_ app: JSONValue, for sender: JSONValue, _ form: JSONValue = [:]) async throws -> String {
          let answer = try await device.script.ask(["do": "register", "app": app, "sender": sender, "form": form])
          return answer["registered"]?.string ?? ""
        }
        func token(_ answer: String) throws -> JSONValue {
          try #require(answer.hasPrefix("token="), "\(answer)")
          return .string(answer.dropFirst("token=".count).trimmingCharacters(in: .whitespacesAndNewlines))
        }
        let gone = try token(try await register("gone", for: .string(MessagingRig.sender)))
        #expect(
          try await register("gone", for: .string(MessagingRig.sender), ["delete": "true"]).hasPrefix("deleted=gone"))
        let another = try token(try await register("another", for: "999"))

        let admin = try await rig.appServer("firebase_admin", ["--service-account", rig.serviceAccount])
        let pyfcm = try await rig.appServer("pyfcm", ["--project", MessagingRig.sender, "--key", rig.key])
        for (target, class1, class2) in [
          (gone, "UnregisteredError", "FCMNotRegisteredError"),
          (another, "SenderIdMismatchError", "FCMSenderIdMismatchError"),
          ("nonsense", "InvalidArgumentError", "InvalidDataError"),
        ] {
          let answer = try await admin.ask(["do": "send", "message": ["token": target, "data": ["a": "b"]]])
          #expect(answer["exception"]?.string == class1, "\(answer)")
          let other = try await pyfcm.ask(["fcm_token": target, "data_payload": ["a": "b"]])
          #expect(other["exception"]?.string == class2, "\(other)")
        }
        for data: JSONValue in [["from": "x"], ["k": .string(String(repeating: "x", count: 5_000))]] {
          let answer = try await admin.ask(["do": "send", "message": ["token": device.target, "data": data]])
          #expect(answer["exception"] == "InvalidArgumentError" && answer["status"] == 400, "\(answer)")
        }

        let legacy = try await rig.pythonGCM()
        for (target, data, code): (JSONValue, JSONValue, String) in [
          (gone, [:], "NotRegistered"), (another, [:], "MismatchSenderId"), ("nonsense", [:], "InvalidRegistration"),
          (device.target, ["from": "x"], "InvalidDataKey"),
          (device.target, ["k": .string(String(repeating: "x", count: 5_000))], "MessageTooBig"),
        ] {
          let answer = try await legacy.ask(["do": "json", "registration_ids": [target], "data": data])
          #expect(answer["answer"]?["errors"]?[code] == [target], "\(answer)")
        }
        let plain = try await legacy.ask(["do": "plain", "registration_id": gone, "data": ["a": "b"]])
        #expect(plain["exception"] == "GCMNotRegisteredException")
        let stranger = try await rig.appServer("python_gcm", ["--key", "wrong"])
        let refused = try await stranger.ask(["do": "json", "registration_ids": [device.target], "data": ["a": "b"]])
        #expect(refused["exception"] == "GCMAuthenticationException")
      }
    }

    @Test("aiofcm: 300 messages unanswered at once are all answered, and delivered once each")
    func aiofcm() async throws {
      try await MessagingRig.run { rig in
        let device = try await rig.connectedDevice("phone")
        let shop = try await rig.aiofcm()
        let count = 300
        try shop.send(["device_token": device.target, "data": ["a": "b"], "time_to_live": 600, "many": 300])
        var ids: Set<String?> = []
        for _ in 1...count {
          let answer = try await shop.next()
          try #require(answer["status"] == "SUCCESS", "\(answer)")
        }
        for _ in 1...count {
          let message = try await device.message()
          #expect(message["again"] == nil)
          ids.insert(message["persistentId"]?.string)
        }
        #expect(ids.count == count)
        let refused = try await shop.ask(["device_token": "nonsense", "data": ["a": "b"]])
        #expect(refused["status"] == "BAD_REGISTRATION" && refused["description"]?.string?.isEmpty == false)
      }
    }

    @Test("slixmpp: answers, receipts, and messages of devices, which come again until they are acknowledged")
    func slixmpp() async throws {
      try await MessagingRig.run { rig in
        let device = try await rig.connectedDevice("phone")
        let shop = try rig.slixmpp()
        _ = try await shop.event("online")
        func received(by shop: ScriptProcess, where isWanted: (JSONValue) -> Bool) async throws -> JSONValue {
          try await shop.first { $0["received"].map(isWanted) ?? false }["received"] ?? .null
        }
        try shop.send([
          "do": "send",
          "json": [
            "to": device.target, "data": ["a": "<&ü>"], "message_id": "m1", "delivery_receipt_requested": true,
          ],
        ])
        #expect(
          try await received(by: shop) { _ in true }
            == ["from": device.target, "message_id": "m1", "message_type": "ack"])
        #expect(try await device.message()["data"] == ["a": "<&ü>"])
        let receipt = try await received(by: shop) { $0["message_type"] == "receipt" }
        #expect(receipt["message_id"] == "dr2:m1")
        #expect(receipt["data"]?["original_message_id"] == "m1")
        #expect(receipt["data"]?["device_registration_id"] == device.target)
        try shop.send(["do": "send", "json": ["to": "nonsense", "data": ["a": "b"], "message_id": "m2"]])
        let refusal = try await received(by: shop) { $0["message_id"] == "m2" }
        #expect(refusal["message_type"] == "nack" && refusal["error"] == "BAD_REGISTRATION")
        try shop.send(["do": "send", "json": ["to": device.target, "data": ["a": "b"]]])
        _ = try await shop.event("error")

        try await device.sendUpstream("u1", ["up": "1"])
        let upstream = try await received(by: shop) { $0["message_id"] == "u1" }
        #expect(upstream["data"] == ["up": "1"] && upstream["from"] == device.target)
        #expect(upstream["category"] == "org.example.app")
        try await shop.finish()

        try await device.sendUpstream("u2", ["up": "2"])
        for _ in 1...2 {
          let silent = try rig.slixmpp(["--ack", "no"])
          #expect(try await received(by: silent) { $0["message_id"] == "u2" }["data"] == ["up": "2"])
          try await silent.finish()
        }
        let stranger = try rig.slixmpp(key: "wrong")
        #expect(try await stranger.next() == ["refused": true])
      }
    }

    @Test(
      "what is not acknowledged comes again under its id; after the 101st that waits the device is told of the loss")
    func storage() async throws {
      try await MessagingRig.run { rig in
        let shop = try await rig.pythonGCM()
        func send(_ number: Int, to device: MessagingDevice) async throws -> JSONValue? {
          let answer = try await shop.ask([
            "do": "json", "registration_ids": [device.target], "data": ["n": .string("\(number)")],
          ])
          return answer["answer"]?["success"]?[device.token]
        }
        let silent = ["--ack", "none", "--list", "no"]
        var device = try await rig.connectedDevice("phone", silent)
        let id = try #require(try await send(0, to: device))
        for isAgain in [false, true] {
          let message = try await device.message()
          #expect(message["persistentId"] == id && (message["again"] != nil) == isAgain)
          await device.script.kill()
          // The last one lists the id in its login, which acknowledges it.
          device = try await rig.connectedDevice("phone", isAgain ? [] : silent)
        }
        let second = try await send(1, to: device)
        #expect(try await device.message()["persistentId"] == second)
        try await device.script.finish()

        for number in 1...101 { _ = try await send(number, to: device) }
        device = try await rig.connectedDevice("phone")
        let notice = try await device.message()
        #expect(notice["data"]?["message_type"] == "deleted_messages")
        #expect(notice["data"]?["total_deleted"] == "101")
        _ = try await send(102, to: device)
        #expect(try await device.message()["data"] == ["n": "102"], "nothing between the two")
      }
    }
  }
}
