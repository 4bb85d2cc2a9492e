import Bayeux
import OptionKit
import Testing

@testable import CarillonConfiguration
@testable import CometEngine
@testable import Engine

@Suite("Options of application channels")
struct ChannelOptionsTests {
  private static func load(_ yaml: String) throws -> LoadedConfiguration {
    try ConfigurationLoader.load(yaml: yaml, path: "c.yaml")
  }

  @Test("the schema's built-in values are the engine's own")
  func defaults() throws {
    var builtIn: [String: String] = [:]
    for option in ChannelLimits.options { builtIn[option.name] = option.defaultValue }
    #expect(ChannelLimits(SectionReader(builtIn)) == ChannelLimits())
    #expect(try Self.load("server:").channelLimits == ChannelLimits())
    #expect(ChannelRules(try Self.load("server:").options, eventChannel: "/_genesys").isEmpty)
  }

  @Test("what is set arrives in the engine")
  func values() throws {
    let loaded = try Self.load(
      """
      server:
        cometd.maxLazyTimeout: 250
        limits.channels: 7
      channels.news:
        patterns: [/news/**, /quotes/*]
        subscribe: anyone
        publish: gms_user, access_token
        lazy: true
      """)
    #expect(loaded.channelLimits.lazyMilliseconds == 250)
    #expect(loaded.channelLimits.channelsMaximum == 7)
    #expect(loaded.warnings.isEmpty)
    let expected = ChannelRule(
      patterns: ["/news/**", "/quotes/*"], subscribers: [.anyone], publishers: [.user, .token], isLazy: true)
    #expect(ChannelRules(loaded.options, eventChannel: "/_genesys") == ChannelRules([expected]))
  }

  @Test(
    "what could never be, or is not the operator's to open, is refused",
    arguments: [
      ("patterns: /a/*/b", "option patterns: “/a/*/b” is no channel and no pattern of channels, such as /news/**"),
      ("patterns: news", "option patterns: “news” is no channel and no pattern of channels, such as /news/**"),
      ("patterns: /meta/connect", "option patterns: “/meta/connect” is the server's own"),
      ("patterns: '/ok, /support/requests/*'", "option patterns: “/support/requests/*” is the server's own"),
      ("patterns: /_genesys", "option patterns: “/_genesys” is the server's own"),
      ("pattern: /a", "option pattern: unknown option; did you mean patterns?"),
    ])
  func refused(line: String, complaint: String) {
    #expect {
      try Self.load("channels.x: { \(line) }")
    } throws: { "\($0)" == "c.yaml:1: section channels.x, \(complaint)" }
  }

  @Test("a rule that opens nothing is warned of")
  func nothing() throws {
    #expect(
      try Self.load("channels.x: { publish: anyone }").warnings.map { "\($0)" } == [
        "c.yaml:1: section channels.x, option publish: means nothing while option patterns is not set"
      ])
  }
}
