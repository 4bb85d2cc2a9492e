import EventSourcing
import PushDomain
import PushProviders
import Testing

@Suite("Webhook providers, what goes out")
struct RequestTests {
  static let message =
    #"{"message":"New message from Agent","serviceId":"412-0b7c","lastTranscript":[{"Message.Text":"\u0041é"}]}"#

  @Test("httpcb posts the message itself, byte for byte, to the device's URL")
  func callback() async throws {
    try await withReceiver { server, courier in
      let provider = HTTPCallbackProvider(courier: courier)
      let delivery = PushDelivery.callback(
        server.url("/status/200?user=17&x=%20"), content: Self.message)
      #expect(await provider.deliver(delivery) == .delivered())
      let request = try #require(server.log.requests.first)
      #expect(request.method == "POST")
      #expect(request.path == "/status/200?user=17&x=%20")
      #expect(request.text == Self.message)
      #expect(request.headers["content-type"] == "application/json")
      #expect(request.headers["content-length"] == "\(Self.message.utf8.count)")
      #expect(request.headers["host"] == "127.0.0.1:\(server.port)")
      #expect(request.headers["user-agent"] == "Carillon/1.2.3")
      #expect(request.headers["authorization"] == nil)
      #expect(request.headers["webhook-id"] == PushDelivery.pushID)
      #expect(request.headers["webhook-timestamp"] == "\(delivery.now.milliseconds / 1_000)")
      #expect(request.headers["webhook-signature"] == nil)
      #expect(request.headers["carillon-event"] == delivery.message.tag)
      #expect(!delivery.message.tag.isEmpty)
    }
  }

  @Test(
    "customhttp wraps it and posts to the option's URL",
    arguments: [
      ("device-77", nil, nil), ("quo\"te\\\n", "dXNlcjpwdw==", "Basic dXNlcjpwdw=="), ("", "", nil),
    ] as [(String, String?, String?)])
  func custom(deviceID: String, authorization: String?, header: String?) async throws {
    try await withReceiver { server, courier in
      let target = PushAddress(type: "customhttp", deviceID: deviceID, authorization: authorization)
      let delivery = PushDelivery.custom(
        server.url("/status/200"), to: target, content: Self.message)
      #expect(await CustomHTTPProvider(courier: courier).deliver(delivery) == .delivered())
      let request = try #require(server.log.requests.first)
      let escaped = deviceID == "quo\"te\\\n" ? #"quo\"te\\\n"# : deviceID
      #expect(request.text == #"{"deviceId":"\#(escaped)","message":\#(Self.message)}"#)
      #expect(request.headers["authorization"] == header)
      #expect(request.headers["content-type"] == "application/json")
      #expect(request.headers["carillon-event"] == delivery.message.tag)
    }
  }

  @Test(
    "customhttp without content sends the fixed text, else the alert",
    arguments: [
      (["customhttp.message": "You have \"news\""], #""You have \"news\"""#),
      ([:], #""New message from Agent""#),
    ] as [([String: String], String)])
  func customWithoutContent(options: [String: String], text: String) async throws {
    try await withReceiver { server, courier in
      let delivery = PushDelivery.custom(
        server.url("/status/200"), to: PushAddress(type: "customhttp", deviceID: "d"), content: "",
        options: options)
      #expect(await CustomHTTPProvider(courier: courier).deliver(delivery) == .delivered())
      #expect(server.log.requests.first?.text == #"{"deviceId":"d","message":\#(text)}"#)
    }
  }

  @Test("an authorization that is no header value is refused")
  func badAuthorization() async throws {
    try await withReceiver { server, courier in
      let target = PushAddress(type: "customhttp", deviceID: "d", authorization: "x\r\nevil: 1")
      let outcome = await CustomHTTPProvider(courier: courier).deliver(
        .custom(server.url("/status/200"), to: target))
      #expect(outcome == .refused(reason: "invalid authorization"))
      #expect(server.log.requests.isEmpty)
    }
  }

  @Test(
    "an event of another producer: its own id, any 2xx counts, an unusable id or a long body is refused"
  )
  func event() async throws {
    try await withReceiver { server, courier in
      let policy = try EndpointPolicy(PushOptions(["webhooks.allow_private": "127.0.0.1"]))
      func post(_ path: String, _ id: String, _ body: [UInt8] = Array("{}".utf8)) async
        -> PushOutcome
      {
        await courier.post(body, to: server.url(path), id: id, policy: policy, now: .ofToday)
      }
      #expect(await post("/status/204", "evt_1-a") == .delivered())
      #expect(await post("/status/410", "evt_1-a") == .unregistered(reason: "410 Gone"))
      for id in ["", "a.b", "a b", "ä", String(repeating: "a", count: 129)] {
        #expect(await post("/status/200", id) == .refused(reason: "invalid id"))
      }
      #expect(await post("/status/200", "a", Array(repeating: 32, count: 262_144)) == .delivered())
      #expect(
        await post("/status/200", "a", Array(repeating: 32, count: 262_145))
          == .refused(reason: "body too large"))
      #expect(server.log.requests.map { $0.headers["webhook-id"] } == ["evt_1-a", "evt_1-a", "a"])
    }
  }

  @Test("lanes: one for each endpoint and type, sixteen at once, and a label without the URL")
  func lanes() async throws {
    try await withCourier { courier in
      let (callback, custom) = (
        HTTPCallbackProvider(courier: courier), CustomHTTPProvider(courier: courier)
      )
      func lane(_ url: String) -> CourierLane {
        callback.lane(of: PushAddress(type: "httpcb", deviceID: url), PushOptions())
      }
      #expect(lane("https://a.test/x") == lane("https://A.test:443/y?z"))
      #expect(lane("https://a.test/x") != lane("http://a.test/x"))
      #expect(lane("https://a.test/x") != lane("https://a.test:8443/x"))
      #expect(lane("https://a.test/x").label == "webhook:httpcb")
      #expect(lane("https://a.test/x").isEndpoint && lane("https://a.test/x").inFlightMaximum == 16)
      let own = custom.lane(
        of: PushAddress(type: "customhttp", deviceID: "d"),
        PushOptions(["customhttp.url": "https://a.test/x"]))
      #expect(own.label == "webhook:customhttp" && own.id != lane("https://a.test/x").id)
    }
  }

  @Test(
    "what stands in the way is named without its value, and stops the lane if it is tried all the same",
    arguments: [
      (["customhttp.url": ""], "not set: customhttp.url"),
      (["customhttp.url": "ftp://x"], "malformed: customhttp.url"),
      (["webhooks.secret": "geheim"], "malformed: webhooks.secret"),
      (["webhooks.secret": "whsec_" + "AAAA"], "malformed: webhooks.secret"),
      (["webhooks.previous_secret": "whsec_!"], "malformed: webhooks.previous_secret"),
      (["webhooks.previous_secret_until": "tomorrow"], "malformed: webhooks.previous_secret_until"),
      (["webhooks.signing_key": "whsk_AAAA"], "malformed: webhooks.signing_key"),
      (["webhooks.success": "201"], "malformed: webhooks.success"),
      (["webhooks.ca_file": "/does/not/exist"], "unreadable: webhooks.ca_file"),
      (["webhooks.ca_file": "/etc/hostname"], "malformed: webhooks.ca_file"),
    ] as [([String: String], String)])
  func obstacles(options: [String: String], obstacle: String) async throws {
    try await withReceiver { server, courier in
      let provider = CustomHTTPProvider(courier: courier)
      let delivery = PushDelivery.custom(server.url("/status/200"), options: options)
      #expect(provider.obstacle(delivery.message.target, delivery.options) == obstacle)
      #expect(await provider.deliver(delivery) == .laneBroken(reason: obstacle))
      #expect(server.log.requests.isEmpty)
      let fine = PushDelivery.custom(server.url("/status/200"))
      #expect(provider.obstacle(fine.message.target, fine.options) == nil)
    }
  }

  @Test("the table finds the provider by the address's type, and reloads each of them")
  func table() async throws {
    try await withReceiver { server, courier in
      let table = ProviderTable([
        CustomHTTPProvider(courier: courier), HTTPCallbackProvider(courier: courier),
      ])
      #expect(table.types == ["customhttp", "httpcb"])
      let known = PushDelivery.callback(server.url("/status/200"))
      #expect(await table.deliver(known) == .delivered())
      #expect(table.obstacle(known.message.target, known.options) == nil)
      #expect(table.lane(of: known.message.target, known.options).label == "webhook:httpcb")
      let unknown = PushDelivery.posting(.posted(to: PushAddress(type: "ios", deviceID: "d")), [:])
      #expect(await table.deliver(unknown) == .refused(reason: "no provider for this type"))
      #expect(
        table.obstacle(unknown.message.target, unknown.options) == "no provider for this type")
      #expect(table.lane(of: unknown.message.target, unknown.options).label == "unknown")
      #expect(table["ios"] == nil && table["httpcb"] is HTTPCallbackProvider)
      table.reload()
    }
  }
}
