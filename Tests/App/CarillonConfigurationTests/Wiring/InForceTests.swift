import HTTPEdge
import Testing

@testable import CarillonConfiguration

@Suite("The configuration in force")
struct InForceTests {
  private static func load(
    _ yaml: String, _ sources: ConfigurationSources = ConfigurationSources()
  ) throws -> LoadedConfiguration {
    try ConfigurationLoader.load(yaml: yaml, path: "c.yaml", sources)
  }

  private static func find(_ section: String, _ name: String, in options: [ConfiguredOption]) -> ConfiguredOption? {
    options.first { $0.section == section && $0.name == name }
  }

  @Test("each value comes with its origin, built-in ones too, and a secret without it")
  func origins() throws {
    let loaded = try Self.load(
      "server:\n  port: 9000\n  username: u\n  password: very-secret\nservice.shop:\n  _type: builtin\n")
    let options = loaded.inForce(startedWith: loaded)
    let port = try #require(Self.find("server", "port", in: options))
    #expect(port.value == "9000" && port.origin == .file && port.place == "c.yaml:2" && port.effect == .restart)
    let password = try #require(Self.find("server", "password", in: options))
    #expect(password.isSecret && password.value == nil && password.origin == .file)
    #expect(!"\(options)".contains("very-secret"))
    let size = try #require(Self.find("server", "journal.segment_size", in: options))
    #expect(size.origin == .builtIn && size.place == nil && size.value != nil)
    #expect(Self.find("service.shop", "_type", in: options)?.value == "builtin")
    // What a service has not set is looked up in the more general sections.
    #expect(options.filter { $0.section == "service.shop" }.count == 1)
  }

  @Test("variables and arguments are told from the file")
  func layers() throws {
    var sources = ConfigurationSources()
    sources.environment = ["CARILLON_SET_X": "push/pushEnabled=comet"]
    sources.overrides = [try ConfigurationOverride(argument: "server/limits.chats=77")]
    let loaded = try Self.load("server:\n  limits.chats: 5\n", sources)
    let options = loaded.inForce(startedWith: loaded)
    let chats = Self.find("server", "limits.chats", in: options)
    #expect(chats?.value == "77" && chats?.origin == .argument)
    let enabled = Self.find("push", "pushEnabled", in: options)
    #expect(enabled?.value == "comet" && enabled?.origin == .environment && enabled?.place?.contains("SET_X") == true)
  }

  @Test("what only a restart takes over keeps the value that the server was started with")
  func reloaded() throws {
    let started = try Self.load("server:\n  port: 9000\n  username: u\n  password: p\n")
    let fresh = try Self.load("server:\n  port: 9001\n  username: w\n  password: p\n")
    let options = fresh.inForce(startedWith: started)
    #expect(Self.find("server", "port", in: options)?.value == "9000")
    #expect(Self.find("server", "username", in: options)?.value == "w")
    let emptied = try Self.load("push:\n  pushEnabled: comet\n").inForce(startedWith: started)
    #expect(Self.find("server", "port", in: emptied)?.value == "9000")
    #expect(Self.find("server", "username", in: emptied)?.value == nil)
  }
}
