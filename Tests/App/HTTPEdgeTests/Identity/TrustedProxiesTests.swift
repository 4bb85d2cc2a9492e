import NIOHTTP1
import NetworkAddress
import Testing

@testable import HTTPEdge

@Suite("Trusted proxies: whose request it is")
struct TrustedProxiesTests {
  private static func proxies(_ header: ProxyHeader) throws -> TrustedProxies {
    let networks = try ["10.0.0.0/8", "fd00::/8"].map { try #require(AddressBlock($0)) }
    return TrustedProxies(networks, header: header)
  }

  private static func client(_ header: ProxyHeader, _ values: [String], peer: String) throws -> String? {
    let headers = HTTPHeaders(values.map { (header.rawValue, $0) })
    return try proxies(header).client(headers, peer: IPAddress(peer))?.text
  }

  @Test(
    "the last address that no trusted proxy has is the client's",
    arguments: [
      // What a stranger says about itself is nothing.
      ("192.0.2.1", ["203.0.113.9"], "192.0.2.1"), ("192.0.2.1", [], "192.0.2.1"),
      ("10.0.0.1", [], "10.0.0.1"), ("10.0.0.1", ["203.0.113.9"], "203.0.113.9"),
      ("10.0.0.1", ["198.51.100.1, 203.0.113.9"], "203.0.113.9"),
      ("10.0.0.1", ["198.51.100.1", "203.0.113.9"], "203.0.113.9"),
      ("10.0.0.1", ["203.0.113.9, 10.2.3.4"], "203.0.113.9"),
      ("10.0.0.1", ["1.2.3.4, 203.0.113.9 ,10.2.3.4 , 10.0.0.7"], "203.0.113.9"),
      // A client within the trusted networks.
      ("10.0.0.1", ["10.9.9.9, 10.2.3.4"], "10.9.9.9"),
      ("fd00::1", ["2001:db8::7"], "2001:db8:0:0:0:0:0:7"), ("::ffff:10.0.0.1", ["203.0.113.9"], "203.0.113.9"),
      ("10.0.0.1", ["203.0.113.9:4711"], "203.0.113.9"), ("10.0.0.1", ["[2001:db8::7]:4711"], "2001:db8:0:0:0:0:0:7"),
      ("10.0.0.1", ["[2001:db8::7]"], "2001:db8:0:0:0:0:0:7"),
      // What cannot be read ends the way: nobody knows who wrote what stands before it.
      ("10.0.0.1", ["203.0.113.9, unknown"], "10.0.0.1"), ("10.0.0.1", ["203.0.113.9, , 10.2.3.4"], "10.2.3.4"),
      ("10.0.0.1", [""], "10.0.0.1"), ("10.0.0.1", ["203.0.113.9,"], "10.0.0.1"),
      ("10.0.0.1", ["0177.0.0.1"], "10.0.0.1"), ("10.0.0.1", ["203.0.113.9:x"], "10.0.0.1"),
      ("10.0.0.1", ["[2001:db8::7"], "10.0.0.1"), ("10.0.0.1", ["[2001:db8::7]x"], "10.0.0.1"),
      ("10.0.0.1", ["fe80::1%eth0"], "10.0.0.1"), ("10.0.0.1", ["203.0.113.9/8"], "10.0.0.1"),
    ] as [(String, [String], String)])
  func forwardedFor(peer: String, values: [String], client: String) throws {
    #expect(try Self.client(.xForwardedFor, values, peer: peer) == client)
  }

  @Test(
    "the same from the standard header",
    arguments: [
      (["for=203.0.113.9"], "203.0.113.9"), (["For=\"203.0.113.9:4711\";proto=https"], "203.0.113.9"),
      (["proto=https; for=\"[2001:db8::7]:1\"; by=10.0.0.1"], "2001:db8:0:0:0:0:0:7"),
      (["for=1.2.3.4, for=203.0.113.9, for=10.2.3.4"], "203.0.113.9"),
      (["for=203.0.113.9", "for=10.2.3.4"], "203.0.113.9"),
      (["for=unknown"], "10.0.0.1"), (["for=_hidden"], "10.0.0.1"), (["proto=https"], "10.0.0.1"),
      (["for="], "10.0.0.1"),
      (["for=\"203.0.113.9"], "10.0.0.1"), (["for=\""], "10.0.0.1"),
      // A quote that somebody has left open does not swallow what the proxy has written behind it.
      (["for=\"x, for=203.0.113.9"], "203.0.113.9"),
    ] as [([String], String)])
  func standard(values: [String], client: String) throws {
    #expect(try Self.client(.forwarded, values, peer: "10.0.0.1") == client)
  }

  @Test("only the header that the proxies write is looked at")
  func otherHeader() throws {
    let headers: HTTPHeaders = [
      "forwarded": "for=192.0.2.66", "x-real-ip": "192.0.2.66", "x-forwarded-for": "203.0.113.9",
    ]
    #expect(try Self.proxies(.xForwardedFor).client(headers, peer: IPAddress("10.0.0.1"))?.text == "203.0.113.9")
    #expect(try Self.proxies(.forwarded).client(headers, peer: IPAddress("10.0.0.1"))?.text == "192.0.2.66")
    #expect(TrustedProxies.none.client(headers, peer: IPAddress("10.0.0.1"))?.text == "10.0.0.1")
    #expect(TrustedProxies.none.client(headers, peer: nil) == nil)
  }

  @Test("further than so many hops nobody looks")
  func many() throws {
    let hops = Array(repeating: "10.2.3.4", count: EdgeLimits.forwardedHopsMaximum)
    let text = (["203.0.113.9"] + hops).joined(separator: ",")
    #expect(try Self.client(.xForwardedFor, [text], peer: "10.0.0.1") == "10.2.3.4")
    #expect(
      try Self.client(.xForwardedFor, [String(text.dropLast(",10.2.3.4".count))], peer: "10.0.0.1") == "203.0.113.9")
  }
}

@Suite("A trusted proxy before the server", .timeLimit(.minutes(2)))
struct ProxiedRequestTests {
  @Test("a sender's key is good from the client's address, not from the proxy's", arguments: [true, false])
  func sender(isTrusted: Bool) async throws {
    let loopback = try #require(AddressBlock("127.0.0.0/8"))
    try await ServerHarness.run(configure: { if isTrusted { $0.proxies = TrustedProxies([loopback]) } }) { server in
      let key = try server.tokens.create(
        name: "shop", role: .sender, sender: SenderGrant(sender: "1", allowedAddresses: ["203.0.113.9"]))
      let client = try await server.connect()
      let headers = "Authorization: key=\(key)\r\nContent-Type: application/json\r\n"
      for (forwarded, status) in [("203.0.113.9", isTrusted ? 200 : 401), ("203.0.113.8", 401)] {
        try await client.post(
          "/gcm/send", #"{"registration_ids":["x"]}"#, headers: headers + "X-Forwarded-For: \(forwarded)\r\n")
        let answer = try await client.response()
        #expect(answer.status == status, "\(answer.body)")
        try await client.post(
          "/iid/v1:batchAdd", #"{"to":"/topics/a","registration_tokens":["x"]}"#,
          headers: headers + "X-Forwarded-For: \(forwarded)\r\n")
        let other = try await client.response()
        #expect(other.status == status, "\(other.body)")
      }
    }
  }
}
