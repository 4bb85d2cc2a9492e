import HTTPEdge
import Testing

@testable import CarillonConfiguration

@Suite("Options that open the server to the web")
struct WebOptionsTests {
  @Test(
    "what opens more than it says is warned of",
    arguments: [
      ("allowed_origins: '*'", "allowed_origins"), ("allowed_origins: ['https://a.test', '*']", "allowed_origins"),
      ("allowed_origins: shop.test", "allowed_origins"), ("hsts_seconds: 300", "hsts_seconds"),
    ])
  func warnings(line: String, option: String) throws {
    let loaded = try ConfigurationLoader.load(yaml: "server:\n  \(line)\n")
    #expect(loaded.warnings.map(\.option) == [option])
    #expect(loaded.warnings.first?.description.contains("server, option \(option)") == true)
  }

  @Test("what is said well is not")
  func quiet() throws {
    #expect(try ConfigurationLoader.load(yaml: "").warnings.isEmpty)
    let loaded = try ConfigurationLoader.load(
      yaml: """
        server:
          allowed_origins: [https://a.test, "http://b.test:8080"]
          tls.certificate: a.pem
          tls.key: b.pem
          hsts_seconds: 300
        """)
    #expect(loaded.warnings.isEmpty)
    #expect(loaded.edge.strictTransportSeconds == 300)
  }
}
