import JSONEnvelope
import Testing

extension ServerFromOutside {
  /// Spec: GCM D3-D6, D8, D9.
  @Suite(
    "An unmodified Chromium as a device", .timeLimit(.minutes(3)),
    .enabled(if: InstalledBrowser.isTried, "no Chromium is installed"))
  struct ChromiumTests {
    @Test("chrome.gcm: messages, upstream, what waited, deleted messages, and the end of the registration")
    func messages() async throws {
      try await MessagingRig.run { rig in
        let shop = try await rig.pythonGCM()
        let upstream = try rig.slixmpp()
        let browser = try await Self.browser(rig)
        func answer(_ command: JSONValue, _ kind: String) async throws -> JSONValue {
          try browser.send(command)
          return try await browser.event(kind, within: .seconds(60))
        }
        let register: JSONValue = ["do": "register", "senders": [.string(MessagingRig.sender), "22"]]
        let token = try await answer(register, "registered")
        #expect(try await answer(register, "registered") == token)
        let instance = try await answer(["do": "token", "sender": .string(MessagingRig.sender)], "token")
        #expect(instance != token)
        for target in [token, instance] {
          let sent = try await Self.send(shop, to: target, ["n": "1"], ["collapse_key": "k"])
          #expect(sent["errors"] == nil, "\(sent)")
          let message = try await browser.event("message")
          #expect(message["data"] == ["n": "1"] && message["collapseKey"] == "k", "\(message)")
        }
        _ = try await answer(
          ["do": "send", "to": MessagingRig.upstreamAddress, "id": "m1", "data": ["a": "b"]], "sent")
        let received = try await upstream.first { $0["received"]?["message_id"] == "m1" }["received"]
        #expect(received?["data"] == ["a": "b"])

        _ = try await answer(["do": "kill"], "stopped")
        _ = try await Self.send(shop, to: token, ["while": "away"])
        _ = try await answer(["do": "start"], "started")
        // The next one that comes: nothing that was shown is shown again.
        #expect(try await browser.event("message")["data"] == ["while": "away"])

        _ = try await answer(["do": "stop"], "stopped")
        for number in 1...101 { _ = try await Self.send(shop, to: token, ["n": .string("\(number)")]) }
        _ = try await answer(["do": "start"], "started")
        let told = try await browser.first { $0["message"] != nil || $0["messagesDeleted"] != nil }
        #expect(told == ["messagesDeleted": true])

        _ = try await answer(["do": "deleteToken", "sender": .string(MessagingRig.sender)], "deleted")
        #expect(try await Self.send(shop, to: instance)["errors"] == ["NotRegistered": [instance]])
        _ = try await answer(["do": "unregister"], "unregistered")
        #expect(try await Self.send(shop, to: token)["errors"] == ["NotRegistered": [token]])
      }
    }

    @Test("Web Push in both encodings; another key is refused; after unsubscribing the endpoint is gone")
    func webPush() async throws {
      try await MessagingRig.run { rig in
        let shop = try rig.script("Scripts/gcm_send_webpush.py", ["--server", rig.url])
        let key = try await shop.event("key")
        let stranger = try await rig.appServer("webpush", [])
        let browser = try await Self.browser(rig)
        try browser.send(["do": "subscribe", "key": key])
        let subscription = try await browser.event("subscription", within: .seconds(60))
        for encoding in ["aes128gcm", "aesgcm"] {
          let sent = try await shop.ask([
            "subscription": subscription, "text": "grüße \(encoding)", "encoding": "\(encoding)", "ttl": 60,
            "headers": ["Urgency": "high", "Topic": "t"],
          ])
          #expect(sent["status"] == 201 && sent["location"]?.string != nil, "\(sent)")
          #expect(try await browser.event("push") == "grüße \(encoding)")
        }
        let refused = try await stranger.ask(["subscription": subscription, "text": "of another", "ttl": 60])
        #expect([401, 403].contains(refused["status"]?.integer), "\(refused)")
        let large = try await shop.ask([
          "subscription": subscription, "text": .string(String(repeating: "x", count: 5_000)), "ttl": 60,
        ])
        #expect(large["status"] == 413, "\(large)")
        try browser.send(["do": "unsubscribe"])
        _ = try await browser.event("unsubscribed", within: .seconds(60))
        let gone = try await shop.ask(["subscription": subscription, "text": "gone", "ttl": 60])
        #expect([404, 410].contains(gone["status"]?.integer), "\(gone)")
      }
    }

    private static func browser(_ rig: MessagingRig) async throws -> ScriptProcess {
      let browser = try rig.script(
        "Chromium/chromium_gcm.py",
        [
          "--server", rig.url, "--mcs", rig.mcs, "--chromium", try #require(InstalledBrowser.chromium), "--log",
          rig.server.directory + "/chromium.txt",
        ])
      _ = try await browser.event("ready", within: .seconds(60))
      return browser
    }

    /// What python-gcm makes of the answer.
    private static func send(
      _ shop: ScriptProcess, to target: JSONValue, _ data: JSONValue = ["a": "b"], _ options: JSONObject = [:]
    ) async throws -> JSONValue {
      var command = options
      command["do"] = "json"
      command["registration_ids"] = [target]
      command["data"] = data
      return try await shop.ask(.object(command))["answer"] ?? .null
    }
  }
}
