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
      let delivery = PushDelivery.callback(server.url("/status/200?user=17&x=%20"), content: Self.message)
      #expect(await provider.deliver(delivery) == .delivered)
      let request = try #require(server.log.requests.first)
      #expect(request.method == "POST")
      #expect(request.path == "/status/200?user=17&x=%20")
      #expect(request.text == Self.message)
      #expect(request.headers["content-type"] == "application/json")
      #expect(request.headers["content-length"] == "\(Self.message.utf8.count)")
      #expect(request.headers["host"] == "127.0.0.1:\(server.port)")
      #expect(request.headers["user-agent"] == "Carillon")
      #expect(request.headers["authorization"] == nil)
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
      let delivery = PushDelivery(
        message: .sample(to: target, content: Self.message), attempt: 1,
        options: PushOptions(["customhttp.url": server.url("/status/200")]))
      #expect(await CustomHTTPProvider(courier: courier).deliver(delivery) == .delivered)
      let request = try #require(server.log.requests.first)
      let escaped = deviceID == "quo\"te\\\n" ? #"quo\"te\\\n"# : deviceID
      #expect(request.text == #"{"deviceId":"\#(escaped)","message":\#(Self.message)}"#)
      #expect(request.headers["authorization"] == header)
      #expect(request.headers["content-type"] == "application/json")
    }
  }

  @Test(
    "customhttp without content sends the fixed text, else the alert",
    arguments: [
      (["customhttp.message": "You have \"news\""], #""You have \"news\"""#), ([:], #""New message from Agent""#),
    ] as [([String: String], String)])
  func customWithoutContent(options: [String: String], text: String) async throws {
    try await withReceiver { server, courier in
      let options = options.merging(["customhttp.url": server.url("/status/200")]) { first, _ in first }
      let delivery = PushDelivery(
        message: .sample(to: PushAddress(type: "customhttp", deviceID: "d"), content: ""), attempt: 1,
        options: PushOptions(options))
      #expect(await CustomHTTPProvider(courier: courier).deliver(delivery) == .delivered)
      #expect(server.log.requests.first?.text == #"{"deviceId":"d","message":\#(text)}"#)
    }
  }

  @Test(
    "an unusable URL is refused and nothing is sent",
    arguments: [
      "", "device-77", "ftp://a.test/", "file:///etc/passwd", "http://", "https:///path", "//a.test/",
      "http+unix://%2Ftmp/x",
      "http://user:secret@127.0.0.1/", "http://user@127.0.0.1/", "http://127.0.0.1/a b", "http://127.0.0.1/\r\nx: y",
      "http://127.0.0.1:0/", "http://127.0.0.1:70000/", "javascript:alert(1)", "http://127.0.0.1/ä",
      "http://127.0.0.1/" + String(repeating: "a", count: 2_048),
    ])
  func badURL(url: String) async throws {
    try await withReceiver { _, courier in
      #expect(await HTTPCallbackProvider(courier: courier).deliver(.callback(url)) == .refused(reason: "invalid URL"))
      let delivery = PushDelivery(
        message: .sample(to: PushAddress(type: "customhttp", deviceID: "d")), attempt: 1,
        options: PushOptions(["customhttp.url": url]))
      let reason = url.isEmpty ? "no customhttp.url" : "invalid customhttp.url"
      #expect(await CustomHTTPProvider(courier: courier).deliver(delivery) == .refused(reason: reason))
    }
  }

  @Test("an authorization that is no header value is refused")
  func badAuthorization() async throws {
    try await withReceiver { server, courier in
      let target = PushAddress(type: "customhttp", deviceID: "d", authorization: "x\r\nevil: 1")
      let delivery = PushDelivery(
        message: .sample(to: target), attempt: 1, options: PushOptions(["customhttp.url": server.url("/status/200")]))
      let outcome = await CustomHTTPProvider(courier: courier).deliver(delivery)
      #expect(outcome == .refused(reason: "invalid authorization"))
      #expect(server.log.requests.isEmpty)
    }
  }

  @Test("the table finds the provider by the address's type")
  func table() async throws {
    try await withReceiver { server, courier in
      let table = ProviderTable([CustomHTTPProvider(courier: courier), HTTPCallbackProvider(courier: courier)])
      #expect(table.types == ["customhttp", "httpcb"])
      #expect(await table.deliver(.callback(server.url("/status/200"))) == .delivered)
      let unknown = PushDelivery(
        message: .sample(to: PushAddress(type: "ios", deviceID: "d")), attempt: 1, options: PushOptions())
      #expect(await table.deliver(unknown) == .refused(reason: "no provider for this type"))
      #expect(table["ios"] == nil && table["httpcb"] is HTTPCallbackProvider)
    }
  }
}
