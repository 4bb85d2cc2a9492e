import NetworkAddress
import PushDomain
import Testing

@testable import PushProviders

/// What a URL from outside comes to, without a network: names resolve as the table says.
@Suite("Guard of URLs from outside")
struct WebhookURLTests {
  static let names = [
    "public.test": ["93.184.216.34"], "six.test": ["2606:4700::1111"],
    "both.test": ["2606:4700::1111", "8.8.8.8"],
    "inside.test": ["10.0.0.7"], "mixed.test": ["8.8.8.8", "127.0.0.1"],
    "metadata.test": ["169.254.169.254"],
    "mapped.test": ["::ffff:192.168.0.1"], "localhost": ["127.0.0.1", "::1"],
    "zero.test": ["0.0.0.0"],
  ]

  /// Nil: nothing against it.
  static func objection(_ text: String, _ options: [String: String] = [:], needsTLS: Bool = false)
    throws -> String?
  {
    let policy = try EndpointPolicy(PushOptions(options), needsTLSOutside: needsTLS)
    guard let url = WebhookURL(text) else { return "invalid URL" }
    if let address = url.address { return policy.objection(to: url, at: [address]) }
    let name = url.isLocalhost ? "localhost" : url.host
    let addresses = try #require(names[name], "\(name)").compactMap { IPAddress($0) }
    return policy.objection(to: url, at: addresses)
  }

  @Test(
    "no URL, or one that readers of URLs would read differently",
    arguments: [
      "", "device-77", "//a.test/", "http:", "http:/", "http://", "http:///path", "https:///path",
      "http:a.test",
      // Schemes.
      "ftp://public.test/", "file:///etc/passwd", "gopher://public.test:80/_x",
      "javascript:alert(1)", "data:text/plain,x",
      "ws://public.test/", "unix:///run/x.sock", "http+unix://%2Frun%2Fx.sock/",
      "https+unix://%2Frun%2Fx.sock/",
      "dict://public.test:2628/", " http://public.test/", "http ://public.test/",
      // User info, and what looks like it.
      "http://user:secret@public.test/", "http://user@public.test/", "http://@public.test/",
      "http://:@public.test/",
      "http://public.test@127.0.0.1/", "http://public.test\\@127.0.0.1/",
      "http://127.0.0.1\\.public.test/",
      "http:\\\\127.0.0.1\\", "http://public.test%40127.0.0.1/",
      // Characters.
      "http://public.test/a b", "http://public.test/\r\nx: y", "http://public.test/\u{0}",
      "http://public.test/ä",
      "http://1２7.0.0.1/", "http://①②⑦.0.0.1/", "http://públic.test/", "http://127。0。0。1/",
      "http://%31%32%37.0.0.1/",
      "http://public.test%00.a.test/", "http://a!b.test/", "http://a,b.test/",
      // Spellings of addresses that only old software takes.
      "http://2130706433/", "http://0177.0.0.1/", "http://017700000001/", "http://0x7f000001/",
      "http://0x7f.0.0.1/",
      "http://127.1/", "http://127.0.1/", "http://0x7f.1/", "http://127.0.0.1./",
      "http://127.0.0.01/",
      "http://127.0.0.256/", "http://1.2.3.4.5/", "http://0/", "http://00.0.0.0/", "http://a.0x1/",
      "http://8.8.2056/",
      // Dots, and labels.
      "http://localhost./", "http://public.test./", "http://.public.test/", "http://public..test/",
      "http://./",
      "http://" + String(repeating: "a", count: 64) + ".test/",
      "http://" + String(repeating: "a.", count: 130) + "test/",
      // Brackets.
      "http://[::1/", "http://::1/", "http://[::1]x/", "http://[127.0.0.1]/",
      "http://[fe80::1%25eth0]/",
      "http://[fe80::1%eth0]/", "http://[::ffff:127.0.0.1.]/", "http://[]/", "http://[v1.x]/",
      "http://[public.test]/",
      // Ports.
      "http://public.test:0/", "http://public.test:65536/", "http://public.test:70000/",
      "http://public.test:/",
      "http://public.test:+80/", "http://public.test:-80/", "http://public.test: 80/",
      "http://public.test:80:80/",
      "http://public.test:8o/", "http://public.test:000080/",
      "http://public.test/" + String(repeating: "a", count: 2_048),
    ])
  func invalid(url: String) throws {
    #expect(try Self.objection(url, ["webhooks.allow_private": "0.0.0.0/0,::/0"]) == "invalid URL")
  }

  @Test(
    "an address that is not public, however it is written or found",
    arguments: [
      // IPv4.
      "http://127.0.0.1/", "http://127.255.0.3/", "http://0.0.0.0/", "http://0.1.2.3/",
      "http://10.1.2.3/",
      "http://100.64.0.1/", "http://100.100.100.200/", "http://169.254.169.254/latest/meta-data/",
      "http://169.254.170.2/", "http://168.63.129.16/", "http://172.16.0.1/",
      "http://172.31.255.255/",
      "http://192.0.0.192/", "http://192.0.2.1/", "http://192.88.99.1/", "http://192.168.3.4/",
      "http://198.18.0.1/",
      "http://198.19.255.255/", "http://198.51.100.7/", "http://203.0.113.9/", "http://224.0.0.1/",
      "http://239.255.255.250:80/", "http://240.0.0.1/", "http://255.255.255.255/",
      "https://127.0.0.1:443/",
      // IPv6.
      "http://[::]/", "http://[::1]/", "http://[0:0:0:0:0:0:0:1]/", "http://[::127.0.0.1]/",
      "http://[::7f00:1]/",
      "http://[fc00::1]/", "http://[fd12:3456::1]/", "http://[fd00:ec2::254]/",
      "http://[fd20:ce::254]/",
      "http://[fe80::1]/", "http://[febf::1]/", "http://[fec0::1]/", "http://[ff02::1]/",
      "http://[100::1]/",
      "http://[2001:db8::1]/", "http://[2001::1]/", "http://[2001:10::1]/", "http://[3fff::1]/",
      "http://[5f00::1]/",
      "http://[4000::1]/",
      // IPv4 within IPv6.
      "http://[::ffff:127.0.0.1]/", "http://[::ffff:7f00:1]/", "http://[::FFFF:10.0.0.1]/",
      "http://[0:0:0:0:0:ffff:a9fe:a9fe]/", "http://[::ffff:0:127.0.0.1]/",
      "http://[64:ff9b::127.0.0.1]/",
      "http://[64:ff9b::a00:1]/", "http://[64:ff9b::a9fe:a9fe]/", "http://[64:ff9b:1::808:808]/",
      "http://[2002:7f00:1::]/", "http://[2002:a00:1::1]/", "http://[2002:c0a8:101::]/",
      // Names.
      "http://localhost/", "http://LOCALHOST/", "http://a.localhost/", "http://a.b.LocalHost:8080/",
      "http://inside.test/", "http://mixed.test/", "https://metadata.test/", "http://mapped.test/",
      "http://zero.test/",
    ])
  func notPublic(url: String) throws {
    #expect(try Self.objection(url) == "private address")
    // Being allowed is the only way in; another block is not.
    #expect(
      try Self.objection(url, ["webhooks.allow_private": "10.99.0.0/16,fdab::/16"])
        == "private address")
    #expect(try Self.objection(url, ["webhooks.allow_private": "0.0.0.0/0, ::/0"]) == nil)
  }

  @Test(
    "a port that is not listed, at a public address",
    arguments: [
      "http://public.test:22/", "http://public.test:25/", "http://public.test:81/",
      "https://public.test:6379/",
      "http://8.8.8.8:53/", "https://[2606:4700::1111]:9200/", "http://both.test:11211/",
    ])
  func ports(url: String) throws {
    #expect(try Self.objection(url) == "port not allowed")
    #expect(try Self.objection(url, ["webhooks.ports": "22, 25,81,6379,53,9200,11211"]) == nil)
  }

  @Test(
    "what may be used",
    arguments: [
      "http://public.test/", "https://public.test", "HTTPS://Public.TEST/x?y=z#f",
      "https://public.test:8443/",
      "http://public.test:8080/", "https://six.test/", "http://both.test/", "https://8.8.8.8/",
      "http://1.1.1.1:80/",
      "https://[2606:4700::1111]/", "https://[2606:4700:0:0:0:0:0:1111]:443/x",
      "http://[::ffff:8.8.8.8]/",
      "http://[64:ff9b::808:808]/", "http://[2002:808:808::]/", "http://100.128.0.1/",
      "http://172.32.0.1/",
      "http://192.169.0.1/", "http://11.0.0.1/", "http://168.63.129.17/",
      "http://public.test/@user:secret",
      "http://public.test?u=http://127.0.0.1/", "http://public.test/..//x",
    ])
  func allowed(url: String) throws {
    #expect(try Self.objection(url) == nil)
  }

  @Test(
    "the operator's blocks, and no other address",
    arguments: [
      ("127.0.0.1/32", "http://127.0.0.1:1/", true), ("127.0.0.1", "https://127.0.0.1:9999/", true),
      ("127.0.0.1/32", "http://127.0.0.2/", false), ("127.0.0.0/8", "http://127.3.2.1/", true),
      ("10.0.0.0/8", "http://[::ffff:10.3.2.1]:81/", true),
      ("::ffff:10.0.0.0/104", "http://10.3.2.1/", true),
      ("fd00::/8", "http://[fd12::1]:81/", true), ("fd00::/8", "http://[fc00::1]/", false),
      ("::1", "http://[::1]/", true),
      ("10.0.0.0/8,192.168.0.0/16", "http://192.168.1.1/", true),
      ("0.0.0.0/0", "http://[::1]/", false),
      ("10.9.8.7/8", "http://10.1.1.1/", true), ("127.0.0.0/8", "http://mixed.test/", true),
      // A public address stays bound to its ports, even within an allowed block.
      ("0.0.0.0/0", "http://8.8.8.8:53/", false), ("127.0.0.0/8", "http://mixed.test:81/", false),
    ])
  func blocks(list: String, url: String, isAllowed: Bool) throws {
    #expect(try (Self.objection(url, ["webhooks.allow_private": list]) == nil) == isAllowed)
  }

  @Test(
    "lists that are malformed are an obstacle, not an open door",
    arguments: [
      ("webhooks.allow_private", "127.0.0.1/33"), ("webhooks.allow_private", "::1/129"),
      ("webhooks.allow_private", "127.0.0.1/"), ("webhooks.allow_private", "127.1/8"),
      ("webhooks.allow_private", "localhost"), ("webhooks.allow_private", "10.0.0.0/8;127.0.0.1"),
      ("webhooks.allow_private", "10.0.0.0/-1"), ("webhooks.allow_private", "/8"),
      ("webhooks.ports", "80,http"),
      ("webhooks.ports", "0"), ("webhooks.ports", "65536"), ("webhooks.ports", "80-90"),
    ])
  func malformed(name: String, value: String) async throws {
    let problem = OptionProblem("malformed: \(name)")
    #expect(throws: problem) { try EndpointPolicy(PushOptions([name: value])) }
    try await withReceiver { server, courier in
      let delivery = PushDelivery.callback(server.url("/status/200"), options: [name: value])
      let provider = HTTPCallbackProvider(courier: courier)
      #expect(provider.obstacle(delivery.message.target, delivery.options) == "malformed: \(name)")
      #expect(await provider.deliver(delivery) == .laneBroken(reason: "malformed: \(name)"))
      #expect(server.log.requests.isEmpty)
    }
  }

  @Test("http to a public address, where https is asked for")
  func needsTLS() throws {
    #expect(try Self.objection("http://public.test/", needsTLS: true) == "not https")
    #expect(try Self.objection("https://public.test/", needsTLS: true) == nil)
    #expect(
      try Self.objection(
        "http://127.0.0.1/", ["webhooks.allow_private": "127.0.0.1"], needsTLS: true) == nil)
  }

  @Test("addresses and their text")
  func addresses() throws {
    for (text, canonical) in [
      ("1.2.3.4", "1.2.3.4"), ("::ffff:1.2.3.4", "1.2.3.4"), ("255.0.0.1", "255.0.0.1"),
      ("2001:db8::1", "2001:db8:0:0:0:0:0:1"), ("::", "0:0:0:0:0:0:0:0"),
    ] {
      let address = try #require(IPAddress(text))
      #expect(address.text == canonical)
      #expect(IPAddress(address.text) == address)
    }
    for text in ["", "1.2.3", "1.2.3.4 ", "01.2.3.4", "fe80::1%lo", "a.test", "::g"] {
      #expect(IPAddress(text) == nil)
    }
  }
}
