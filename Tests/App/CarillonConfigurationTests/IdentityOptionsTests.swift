import HTTPEdge
import NetworkAddress
import Testing

@testable import CarillonConfiguration

@Suite("Options of identity and proxies")
struct IdentityOptionsTests {
  private static func load(_ lines: [String]) throws -> LoadedConfiguration {
    try ConfigurationLoader.load(
      yaml: "server:\n" + lines.map { "  \($0)\n" }.joined(), path: "c.yaml")
  }

  private static func problems(_ lines: [String]) -> [String] {
    do {
      _ = try load(lines)
      return []
    } catch {
      return ((error as? ConfigurationRefused)?.problems ?? []).map { "\($0.option ?? ""): \($0.reason)" }
    }
  }

  @Test("nothing set: whoever names a user is taken for it, and nobody's word on addresses counts")
  func defaults() throws {
    let edge = try Self.load(["port: 0"]).edge
    #expect(edge.identity == .open && edge.proxies == .none)
    #expect(!edge.identity.provesUsers)
  }

  @Test("what is set arrives at the edge")
  func values() throws {
    let lines = [
      "identity: jwt", "identity.token_header: X-User-Token", "identity.claim: customer", "identity.issuer: i",
      "identity.audience: a", "identity.clock_skew: 30", "identity.secret: \(String(repeating: "s", count: 32))",
      "identity.key_files: a.pem, b.pem", "identity.jwks_file: k.json", "identity.jwks_url: https://id.example.com/k",
      "identity.jwks_interval: 60", "identity.jwks_keep: 3600", "identity.ca_file: ca.pem",
      "identity.revocations: r.txt", "proxy.trusted: 10.0.0.0/8, fd00::/8", "proxy.header: forwarded",
    ]
    var policy = TokenPolicy()
    (policy.header, policy.claim, policy.issuer, policy.audience) = ("x-user-token", "customer", "i", "a")
    (policy.clockSkew, policy.secret) = (.seconds(30), String(repeating: "s", count: 32))
    (policy.keyFiles, policy.keySetFile) = (["a.pem", "b.pem"], "k.json")
    policy.keySetURL = "https://id.example.com/k"
    (policy.keySetInterval, policy.keySetLife) = (.seconds(60), .seconds(3_600))
    (policy.trustRootsFile, policy.revocationsFile) = ("ca.pem", "r.txt")
    let loaded = try Self.load(lines)
    #expect(loaded.edge.identity == .token(policy) && loaded.edge.identity.provesUsers)
    let networks = try ["10.0.0.0/8", "fd00::/8"].map { try #require(AddressBlock($0)) }
    #expect(loaded.edge.proxies == TrustedProxies(networks, header: .forwarded))
    let proxied = try Self.load([
      "identity: header-from-proxy", "proxy.trusted: 127.0.0.1", "identity.user_header: X-User",
    ])
    #expect(proxied.edge.identity == .proxyHeader("x-user"))
  }

  @Test("the built-in values are the edge's own")
  func builtIn() throws {
    var policy = TokenPolicy()
    policy.keySetFile = "k.json"
    #expect(try Self.load(["identity: jwt", "identity.jwks_file: k.json"]).edge.identity == .token(policy))
  }

  @Test(
    "what could not work, or would prove nothing, is refused",
    arguments: [
      (["identity: jwt"], "identity: jwt needs one of the options identity.secret"),
      (["identity: header-from-proxy"], "identity: header-from-proxy needs option proxy.trusted"),
      (["identity: header-from-proxy", "proxy.trusted: ''"], "identity: header-from-proxy needs option proxy.trusted"),
      (["identity: basic"], "identity: must be one of open, jwt, header-from-proxy"),
      (["identity: jwt", "identity.secret: short"], "identity.secret: the secret has not 32 to 1024 bytes"),
      (
        ["identity: jwt", "identity.secret: '-----BEGIN PUBLIC KEY----- MFkwEwYHKoZIzj0CAQ'"],
        "identity.secret: the secret is a key in PEM"
      ),
      (["identity: jwt", "identity.jwks_url: http://id.example.com/k"], "identity.jwks_url: must be an https URL"),
      (["identity: jwt", "identity.jwks_url: http://127.example.com/k"], "identity.jwks_url: must be an https URL"),
      (
        ["identity: jwt", "identity.jwks_url: http://localhost@evil.test/k"], "identity.jwks_url: must be an https URL"
      ),
      (
        ["identity: jwt", "identity.jwks_url: http://127.0.0.1:9@evil.test/k"],
        "identity.jwks_url: must be an https URL"
      ),
      (
        ["identity: jwt", "identity.jwks_file: k", "identity.token_header: 'a b'"], "identity.token_header: is no name"
      ),
      (["proxy.trusted: 10.0.0.0/8, nowhere"], "proxy.trusted: must be a list of addresses and networks"),
      (["proxy.trusted: 10.0.0.0/33"], "proxy.trusted: must be a list of addresses and networks"),
      (["proxy.trusted: 0.0.0.0/0"], "proxy.trusted: 0.0.0.0/0 is nearly everybody"),
      (["proxy.trusted: '::/0'"], "proxy.trusted: ::/0 is nearly everybody"),
      (["proxy.header: x-real-ip"], "proxy.header: must be one of"),
    ] as [([String], String)])
  func refused(lines: [String], problem: String) {
    let problems = Self.problems(lines)
    #expect(problems.contains { $0.hasPrefix(problem) }, "\(problems)")
    #expect(!problems.contains { $0.contains("MFkw") })
  }

  @Test(
    "loopback may serve keys without TLS",
    arguments: ["http://127.0.0.1:9/k", "http://localhost/k", "http://[::1]:9/k", "HTTPS://id.example.com"])
  func loopback(url: String) {
    #expect(Self.problems(["identity: jwt", "identity.jwks_url: '\(url)'"]).isEmpty)
  }

  @Test("what means nothing as things are is a warning")
  func warnings() throws {
    let unused = try Self.load(["identity.claim: sub"]).warnings
    #expect(unused.map(\.reason) == ["means nothing while option identity is open"])
    let both = try Self.load(["identity: jwt", "identity.jwks_file: k", "username: u", "password: p"]).warnings
    #expect(both.count == 1 && both[0].option == "username")
    let apart = try Self.load([
      "identity: jwt", "identity.jwks_file: k", "username: u", "password: p", "identity.token_header: x-token",
    ]).warnings
    #expect(apart.isEmpty)
  }
}
