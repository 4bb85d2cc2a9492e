import Configuration
import OptionKit
import Testing

@testable import CarillonConfiguration

@Suite("Configuration, file under environment under command line")
struct ConfigurationLayersTests {
  private func load(
    _ yaml: String = "", environment: [String: String] = [:], set: [String] = []
  ) throws -> LoadedConfiguration {
    let overrides = try set.map { text throws(ConfigurationProblem) in try ConfigurationOverride(argument: text) }
    return try ConfigurationLoader.load(
      yaml: yaml, path: "f.yaml", ConfigurationSources(environment: environment, overrides: overrides))
  }

  @Test("the later source wins, and each value knows where it came from")
  func order() throws {
    let yaml = "server:\n  port: 1\n  host: a\n  data_directory: d\n"
    let environment = ["CARILLON_SERVER_PORT": "2", "CARILLON_SERVER_HOST": "b"]
    let loaded = try load(yaml, environment: environment, set: ["server/port=3"])
    #expect(loaded.sections["server"] == ["port": "3", "host": "b", "data_directory": "d"])
    #expect(
      loaded.origins["server"] == [
        "port": .commandLine(argument: "--set server/port"),
        "host": .environment(variable: "CARILLON_SERVER_HOST"),
        "data_directory": .file(path: "f.yaml", line: 4),
      ])
  }

  @Test("every option of the schema can be set by its variable", arguments: Schema.options(in: .service).map(\.name))
  func spelling(option: String) throws {
    let variable = EnvironmentSpelling.variable(section: "service.request-chat", option: option)
    let provider = EnvironmentVariablesProvider(environmentVariables: [variable: "v"]).prefixKeys(with: "carillon")
    let reader = ConfigReader(provider: provider)
    #expect(reader.string(forKey: ConfigKey(["service.request-chat", option])) == "v")
  }

  @Test(
    "the spelling of a variable",
    arguments: [
      ("server", "port", "CARILLON_SERVER_PORT"),
      ("server", "cometd.maxInterval", "CARILLON_SERVER_COMETD_MAX_INTERVAL"),
      ("push", "pushEnabled", "CARILLON_PUSH_PUSH_ENABLED"),
      ("service.request-chat", "_ttl", "CARILLON_SERVICE_REQUEST_CHAT__TTL"),
    ])
  func spelled(section: String, option: String, variable: String) {
    #expect(EnvironmentSpelling.variable(section: section, option: option) == variable)
  }

  @Test("a section that the file does not name is opened by CARILLON_SET_ and --set")
  func opening() throws {
    let loaded = try load(
      environment: ["CARILLON_SET_1": "service.b/_ttl=60", "CARILLON_SERVICE_B__TYPE": "builtin"],
      set: ["push.provider.event.chat/customhttp.url=http://h/?a=b"])
    #expect(loaded.sections["service.b"] == ["_ttl": "60", "_type": "builtin"])
    #expect(loaded.sections["push.provider.event.chat"] == ["customhttp.url": "http://h/?a=b"])
    #expect(loaded.origins["service.b"]?["_ttl"] == .environment(variable: "CARILLON_SET_1"))
  }

  @Test("a variable of ours that means nothing is warned of; a platform's own and the commands' are not")
  func strangers() throws {
    let loaded = try load(environment: ["CARILLON_SERVER_PROT": "1"])
    #expect(loaded.sections.isEmpty)
    #expect(
      loaded.warnings.map(\.description) == [
        "environment CARILLON_SERVER_PROT: names no option of a section that exists; did you mean CARILLON_SERVER_PORT?"
      ])
    let platform = [
      "CARILLON_SERVICE_HOST": "10.0.0.1", "CARILLON_SERVICE_PORT": "80", "CARILLON_PORT": "tcp://10.0.0.1:80",
      "CARILLON_PORT_80_TCP_ADDR": "10.0.0.1", "CARILLON_CONFIG": "f.yaml", "CARILLON_TOKEN": "car_x", "HOME": "/",
    ]
    let quiet = try load(environment: platform)
    #expect(quiet.sections.isEmpty && quiet.warnings.isEmpty)
  }

  @Test("a value from the environment is judged like any other")
  func judged() {
    let refused = #expect(throws: ConfigurationRefused.self) { try load(environment: ["CARILLON_SERVER_PORT": "x"]) }
    #expect(
      refused?.description
        == "environment CARILLON_SERVER_PORT: section server, option port: must be an integer, 0 to 65535, not “x”")
  }

  @Test("an alias on the command line overrides the name in the file")
  func alias() throws {
    let loaded = try load("push:\n  apple.sound: a\n", set: ["push/ios.sound=b"])
    #expect(loaded.sections["push"] == ["apple.sound": "b"])
  }

  @Test("--set wants section/option=value", arguments: ["", "port=1", "server/=1", "/port=1", "server/port", "=a/b"])
  func malformed(argument: String) {
    #expect(throws: ConfigurationProblem.self) { try ConfigurationOverride(argument: argument) }
  }

  @Test("what a running process cannot take over is named")
  func restart() throws {
    let before = try load("server:\n  port: 1\n  log_level: info\n")
    let after = try load("server:\n  log_level: debug\n  host: 127.0.0.1\n")
    #expect(before.optionsThatNeedRestart(comparedTo: after) == ["host", "port"])
  }
}
