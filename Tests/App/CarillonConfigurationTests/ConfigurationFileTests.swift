import OptionKit
import SystemPackage
import Testing

@testable import CarillonConfiguration

@Suite("Configuration file")
struct ConfigurationFileTests {
  @Test("sections and options keep the dots in their names")
  func dots() throws {
    let loaded = try ConfigurationLoader.load(
      yaml: """
        push.provider.event.chat.newagentmessage:
          customhttp.url: https://push.example.test/in
        service.request-chat:
          _client_timeout_notification: 5
        push.provider.shopapp.event.chat:
          debug.customhttp.url: http://127.0.0.1:9/x
        """)
    #expect(
      loaded.sections == [
        "push.provider.event.chat.newagentmessage": ["customhttp.url": "https://push.example.test/in"],
        "service.request-chat": ["_client_timeout_notification": "5"],
        "push.provider.shopapp.event.chat": ["debug.customhttp.url": "http://127.0.0.1:9/x"],
      ])
  }

  @Test(
    "a value has one form, however it was written",
    arguments: [
      ("server: { port: ' 8081 ' }", "server", "port", "8081"),
      ("server: { journal.segment_size: 16 MiB }", "server", "journal.segment_size", "16777216"),
      ("server: { cookie_required: TRUE }", "server", "cookie_required", "true"),
      ("server: { shutdown_grace: 2.50 }", "server", "shutdown_grace", "2.5"),
      ("push: { pushEnabled: [comet, customhttp] }", "push", "pushEnabled", "comet,customhttp"),
      ("push: { pushEnabled: ' comet , customhttp,' }", "push", "pushEnabled", "comet,customhttp"),
      ("push: { filtering_chat_events: }", "push", "filtering_chat_events", ""),
      ("push: { ios.sound: bell }", "push", "apple.sound", "bell"),
      ("push: { debug.ios.keystore: k.p12 }", "push", "debug.apple.keystore", "k.p12"),
      (
        "service.a: { _agent_timeout_notification_message: '' }", "service.a", "_agent_timeout_notification_message", ""
      ),
    ])
  func oneForm(yaml: String, section: String, option: String, value: String) throws {
    let loaded = try ConfigurationLoader.load(yaml: yaml)
    #expect(loaded.sections[section]?[option] == value)
  }

  @Test("an empty file is all defaults", arguments: ["", "# nothing\n", "server:\n", "~"])
  func empty(yaml: String) throws {
    let loaded = try ConfigurationLoader.load(yaml: yaml)
    #expect(loaded.sections.isEmpty)
    #expect(loaded[ServerOptions.keys.port] == 8_080)
  }

  @Test(
    "each wrong thing is refused with its line, section, option and reason",
    arguments: [
      ("server:\n  prot: 1", "f.yaml:2: section server, option prot: unknown option; did you mean port?"),
      ("servr:\n  port: 1", "f.yaml:1: section servr: unknown section; did you mean server?"),
      ("servce.a:\n  _ttl: 1", "f.yaml:1: section servce.a: unknown section; did you mean service.a?"),
      (
        "server:\n  host: x\n  port: 70000",
        "f.yaml:3: section server, option port: must be an integer, 0 to 65535, not “70000”"
      ),
      (
        "server:\n  port: eighty", "f.yaml:2: section server, option port: must be an integer, 0 to 65535, not “eighty”"
      ),
      (
        "server:\n  cookie_required: yes",
        "f.yaml:2: section server, option cookie_required: must be true or false, not “yes”"
      ),
      ("service.a:\n  port: 1", "f.yaml:2: section service.a, option port: may not stand here, but in server"),
      (
        "push:\n  provider:\n    x: 1",
        "f.yaml:2: section push, option provider: must be one value or a list; section names are written out in full, with their dots"
      ),
      (
        "push:\n  pushEnabled: [comet, pigeon]",
        "f.yaml:2: section push, option pushEnabled: must be a list of ios, android, gcm, fcm, customhttp, httpcb, airship, webpush, comet, orscb; “pigeon” is none of them"
      ),
      (
        "server:\n  partitions: 65",
        "f.yaml:2: section server, option partitions: must be an integer, 1 to 64, not “65”"
      ),
      (
        "server:\n  partitions: 2\n  standby.wait: true",
        "f.yaml:3: section server, option standby.wait: cannot be had with 2 partitions: it is of one journal only"
      ),
      (
        "server:\n  partitions: 2\n  journal.origin: a.test/b\n  journal.checkpoint_key: k",
        "f.yaml:3: section server, option journal.origin: cannot be had with 2 partitions: it is of one journal only"
      ),
      ("server:\n  password: x", "f.yaml:2: section server, option password: needs option username beside it"),
      ("server:\n  tls.key: k", "f.yaml:2: section server, option tls.key: needs option tls.certificate beside it"),
      (
        "push:\n  ios.sound: a\n  apple.sound: b",
        "f.yaml:3: section push, option apple.sound: is ios.sound written again"
      ),
      ("server:\n  port: 1\n  port: 2", "f.yaml:2: written twice: “port”"),
      ("server: [1]", "f.yaml:1: section server: must hold options, each as name: value"),
      ("- server", "f.yaml:1: must hold sections, each with options below it"),
      ("push.provider.event:\n  x: 1", nil),
      ("customhttp:\n  x: 1", nil),
      (
        "push:\n  customhttp.url: push.example.test",
        "f.yaml:2: section push, option customhttp.url: must be an http or https URL, not “push.example.test”"
      ),
    ])
  func refused(yaml: String, line: String?) throws {
    let refused = #expect(throws: ConfigurationRefused.self) {
      try ConfigurationLoader.load(yaml: yaml, path: "f.yaml")
    }
    #expect(refused?.problems.count == 1)
    if let line { #expect(refused?.description == line) }
  }

  @Test("broken YAML is refused with its line")
  func broken() {
    let refused = #expect(throws: ConfigurationRefused.self) {
      try ConfigurationLoader.load(yaml: "server:\n  port: [1\n", path: "f.yaml")
    }
    #expect(refused?.description.hasPrefix("f.yaml:") == true)
    #expect(refused?.description.contains("is not YAML") == true)
  }

  @Test("all problems are reported at once, in the order of the file")
  func allAtOnce() {
    let refused = #expect(throws: ConfigurationRefused.self) {
      try ConfigurationLoader.load(
        yaml: """
          server:
            port: x
            host: 127.0.0.1
            nonsense: 1
          elsewhere:
          service.a:
            _ttl: -1
          """, path: "f.yaml")
    }
    let lines = refused?.problems.map { "\($0.origin) \($0.section ?? "") \($0.option ?? "")" } ?? []
    #expect(
      lines == ["f.yaml:2 server port", "f.yaml:4 server nonsense", "f.yaml:5 elsewhere ", "f.yaml:7 service.a _ttl"])
  }

  @Test("a problem stays one line, whatever the names in it hold")
  func oneLine() {
    let yaml = #"""
      "a\nb": {c: d}
      server: {"po\u2028rt\e[2J": 1}
      """#
    do throws(ConfigurationRefused) {
      _ = try ConfigurationLoader.load(yaml: yaml)
      Issue.record("names with line ends are no names of ours")
    } catch {
      #expect(error.problems.count == 2)
      for problem in error.problems {
        #expect(problem.description.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x2028 })
      }
    }
  }

  @Test("a secret is never quoted")
  func secrets() {
    let secret = String(repeating: "s3cret", count: 20_000)
    let refused = #expect(throws: ConfigurationRefused.self) {
      try ConfigurationLoader.load(yaml: "push:\n  fcm.apiKey: \(secret)\n")
    }
    #expect(refused?.problems.count == 1)
    #expect(refused?.description.contains("s3cret") == false)
  }

  @Test("an unknown event type in a filter is a warning")
  func unknownEventType() throws {
    let loaded = try ConfigurationLoader.load(
      yaml: "service.a:\n  _filtering_chat_events: Notice.TypingStarted, Notice.Typng\n", path: "f.yaml")
    #expect(loaded.sections["service.a"]?["_filtering_chat_events"] == "Notice.TypingStarted,Notice.Typng")
    #expect(
      loaded.warnings.map(\.description) == [
        "f.yaml:2: section service.a, option _filtering_chat_events: “Notice.Typng” is no event type and is ignored"
      ])
  }

  @Test("a bad subscription time counts as 30, with a warning")
  func forgiving() throws {
    let loaded = try ConfigurationLoader.load(yaml: "push:\n  defaultSubscriptionExpiration: 5\n")
    #expect(loaded.sections["push"]?["defaultSubscriptionExpiration"] == "30")
    #expect(loaded.warnings.count == 1)
  }

  @Test("a file that was named must be there; the one by default need not")
  func missing() throws {
    let refused = #expect(throws: ConfigurationRefused.self) {
      try ConfigurationLoader.load(ConfigurationSources(file: "/nonexistent/c.yaml"))
    }
    #expect(refused?.description == "/nonexistent/c.yaml: cannot be read: No such file or directory")
  }
}
