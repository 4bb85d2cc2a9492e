import Bayeux
import Testing

@Suite("Rules of application channels")
struct ChannelRuleTests {
  private static let rules = ChannelRules([
    ChannelRule(patterns: ["/news/**", "/quotes/*"], subscribers: [.anyone]),
    ChannelRule(patterns: ["/room/*"], subscribers: [.user], publishers: [.user, .token], isLazy: true),
    ChannelRule(patterns: ["/service/echo"], publishers: [.anyone]),
  ])

  @Test("without one, nothing is open to anybody", arguments: ChannelStanding.allCases)
  func none(standing: ChannelStanding) {
    let rules = ChannelRules()
    #expect(rules.isEmpty)
    for name in ["/a", "/**", "/service/a", "/meta/connect", "/_genesys"] {
      #expect(!rules.maySubscribe(to: name, standing))
      #expect(!rules.mayPublish(to: name, standing))
      #expect(!rules.isOpen(name))
    }
  }

  @Test(
    "subscriptions are open if one rule covers all of them",
    arguments: [
      ("/news/a", .unnamed, true), ("/news/a/b", .unnamed, true), ("/news/*", .unnamed, true),
      ("/news/**", .unnamed, true), ("/news/a/**", .unnamed, true), ("/news", .unnamed, false),
      ("/newsy", .unnamed, false), ("/*", .unnamed, false), ("/**", .token, false), ("/quotes/x", .user, true),
      ("/quotes/*", .user, true), ("/quotes/**", .user, false), ("/quotes/x/y", .user, false),
      ("/quotes/x/*", .user, false), ("/room/1", .user, true), ("/room/1", .unnamed, false),
      ("/room/1", .token, false), ("/service/echo", .user, false),
    ] as [(String, ChannelStanding, Bool)])
  func subscribing(name: String, standing: ChannelStanding, isAllowed: Bool) {
    #expect(Self.rules.maySubscribe(to: name, standing) == isAllowed)
  }

  @Test(
    "publishing is open to those whom a rule names",
    arguments: [
      ("/news/a", .token, false), ("/room/1", .user, true), ("/room/1", .token, true), ("/room/1", .unnamed, false),
      ("/room/1/2", .user, false), ("/service/echo", .unnamed, true), ("/service/echo/x", .unnamed, false),
    ] as [(String, ChannelStanding, Bool)])
  func publishing(name: String, standing: ChannelStanding, isAllowed: Bool) {
    #expect(Self.rules.mayPublish(to: name, standing) == isAllowed)
  }

  @Test("no rule opens what the protocol or the server speaks on itself", arguments: ChannelStanding.allCases)
  func reserved(standing: ChannelStanding) {
    let rules = ChannelRules([ChannelRule(patterns: ["/**"], subscribers: [.anyone], publishers: [.anyone])])
    for name in ["/meta/connect", "/meta/**", "/support/requests/5", "/support/requests/*", "/_genesys"] {
      #expect(!rules.maySubscribe(to: name, standing))
      #expect(!rules.mayPublish(to: name, standing))
      #expect(!rules.isOpen(name))
    }
    #expect(rules.maySubscribe(to: "/**", standing))
    #expect(rules.mayPublish(to: "/support", standing))
  }

  @Test("a channel is lazy if a rule that covers it is", arguments: [("/room/1", true), ("/news/a", false)])
  func lazy(name: String, isLazy: Bool) {
    #expect(Self.rules.isLazy(name) == isLazy)
    #expect(Self.rules.isOpen(name))
  }

  @Test(
    "what covers a channel is itself and patterns of each level, and no pattern beside",
    arguments: [
      ("/a", ["/a", "/*", "/**"]), ("/a/b", ["/a/b", "/a/*", "/a/**", "/**"]),
      ("/a/b/c", ["/a/b/c", "/a/b/*", "/a/b/**", "/a/**", "/**"]),
    ])
  func covering(channel: String, names: [String]) {
    #expect(ChannelName.subscriptions(covering: channel) == names)
    for name in names { #expect(ChannelName.matches(pattern: name, channel: channel)) }
  }
}

@Suite("An event that others may see")
struct SharedEventTests {
  @Test("keeps the publisher's ext, without what it says to the server of itself")
  func ext() {
    let ext = #"{"gms_token":"secret","app":{"n":1.5},"gms_user":"u","binary":{},"ack":true,"timesync":{"tc":1}}"#
    #expect(BayeuxEvent.shared(ext: Array(ext.utf8)) == Array(#"{"app":{"n":1.5},"binary":{}}"#.utf8))
    for own in [#"{"gms_user":"u"}"#, "{}", "7"] { #expect(BayeuxEvent.shared(ext: Array(own.utf8)) == nil) }
    #expect(BayeuxEvent.shared(ext: nil) == nil)
  }

  @Test("has channel, data and ext, and nothing else")
  func message() {
    let event = BayeuxEvent.message(channel: "/a", data: Array("null".utf8), ext: Array(#"{"x":1}"#.utf8))
    #expect(String(decoding: event, as: UTF8.self) == #"{"channel":"/a","data":null,"ext":{"x":1}}"#)
  }
}
