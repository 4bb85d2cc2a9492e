import ConsoleAPI
import Engine
import HTTPEdge
import OptionKit
import Testing

@testable import CarillonConfiguration

@Suite("Options that open the server to the web")
struct WebOptionsTests {
  @Test(
    "what opens more than it says is warned of",
    arguments: [
      ("allowed_origins: '*'", "allowed_origins"), ("allowed_origins: ['https://a.test', '*']", "allowed_origins"),
      ("allowed_origins: shop.test", "allowed_origins"), ("hsts_seconds: 300", "hsts_seconds"),
      ("console.allowed_origins: '*'", "console.allowed_origins"),
      ("console.allowed_origins: desk.test", "console.allowed_origins"),
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
          console.allowed_origins: [https://desk.test]
        """)
    #expect(loaded.warnings.isEmpty)
    #expect(loaded.edge.strictTransportSeconds == 300)
    #expect(loaded.edge.staffOrigins == .listed(["https://desk.test"]))
  }

  @Test("the console is there, at its own path, unless it is told otherwise")
  func console() throws {
    let usual = try ConfigurationLoader.load(yaml: "").edge
    #expect(usual.console.isEnabled && usual.console.path == "/console" && usual.staffOrigins == .none)
    let moved = try ConfigurationLoader.load(yaml: "server:\n  console.enabled: false\n  console.path: /desk\n").edge
    #expect(!moved.console.isEnabled && moved.console.path == "/desk")
  }

  @Test(
    "a path that the console's pages cannot have stops the start",
    arguments: [
      ("/", "needs a name"), ("desk", "does not begin with /"), ("/desk/", "none at its end"),
      ("/agent", "belongs to another part"), ("/console/1", "belongs to the sessions"), ("/a b", "letters, digits"),
    ])
  func consolePath(path: String, reason: String) throws {
    let refused = #expect(throws: ConfigurationRefused.self) {
      try ConfigurationLoader.load(yaml: "server:\n  console.path: '\(path)'\n")
    }
    #expect(refused?.problems.map(\.option) == ["console.path"])
    #expect(refused?.problems.first?.reason.contains(reason) == true)
  }

  @Test("what scans files is a program by its whole path: no shell looks for it")
  func scanCommand() throws {
    let options = try ConfigurationLoader.load(
      yaml: "server:\n  files.scan_command: [/usr/bin/clamdscan, --fdpass, '--quiet']\n"
    ).options.section(.server)
    #expect(options[FileOptions.keys.scanCommand] == ["/usr/bin/clamdscan", "--fdpass", "--quiet"])
    #expect(options[FileOptions.keys.scanTimeout] == .seconds(30) && options[FileOptions.keys.scansAtOnce] == 8)
    #expect(
      try ConfigurationLoader.load(yaml: "").options.section(.server)[FileOptions.keys.scanCommand] == [])
    for command in ["clamdscan", "./scan", "'$(scan)'"] {
      let refused = #expect(throws: ConfigurationRefused.self) {
        try ConfigurationLoader.load(yaml: "server:\n  files.scan_command: \(command)\n")
      }
      #expect(refused?.problems.map(\.option) == ["files.scan_command"])
      #expect(refused?.problems.first?.reason.contains("whole path") == true)
    }
  }
}
