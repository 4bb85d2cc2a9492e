import Bayeux
import Testing

@Suite("Channel names")
struct ChannelNameTests {
  @Test(
    "are segments of token characters after slashes",
    arguments: ["/a", "/_genesys", "/meta/connect", "/a/b/c", "/A-z0_9!~($)@", "/a b", "/x.y/{z}", "/#+"])
  func valid(name: String) {
    #expect(ChannelName.isValid(name))
    #expect(ChannelName.isValidPattern(name))
  }

  @Test("may end in a wildcard where patterns are asked for", arguments: ["/*", "/**", "/a/*", "/a/b/**"])
  func patterns(name: String) {
    #expect(!ChannelName.isValid(name))
    #expect(ChannelName.isValidPattern(name))
  }

  @Test(
    "are refused otherwise",
    arguments: [
      "", "/", "a", "a/b", "//", "/a/", "/a//b", "/*/a", "/**/a", "/a*", "/***", "/a/*b", "/ä", "/a?b", "/a\"", "/a\n",
      "/" + String(repeating: "a", count: 256),
    ])
  func invalid(name: String) {
    #expect(!ChannelName.isValid(name))
    #expect(!ChannelName.isValidPattern(name))
  }

  @Test(
    "are matched by patterns",
    arguments: [
      ("/a", "/a", true), ("/a", "/ab", false), ("/foo/*", "/foo/bar", true), ("/foo/*", "/foo", false),
      ("/foo/*", "/foobar", false), ("/foo/*", "/foo/bar/baz", false), ("/foo/**", "/foo/bar/baz", true),
      ("/foo/**", "/foo/bar", true), ("/foo/**", "/foo", false), ("/foo/**", "/foobar", false), ("/**", "/a/b", true),
      ("/**", "/a", true), ("/*", "/a", true), ("/*", "/a/b", false),
    ])
  func matching(pattern: String, channel: String, isMatch: Bool) {
    #expect(ChannelName.matches(pattern: pattern, channel: channel) == isMatch)
  }
}

@Suite("The channel policy")
struct ChannelPolicyTests {
  func subscribe(_ subscription: String) throws -> BayeuxMessage {
    try #require(try BayeuxDecoder.decode(Array(#"{"subscription":\#(subscription)}"#.utf8)).first)
  }

  @Test(
    "opens the event channel and what covers everything, nothing else, and stops at the first refusal",
    arguments: [
      (#""/_genesys""#, ["/_genesys"], nil), (#""/*""#, ["/*"], nil), (#""/**""#, ["/**"], nil),
      (#"["/_genesys","/**"]"#, ["/_genesys", "/**"], nil), (#""/service/x""#, [], .subscribeDenied),
      (#""/service/**""#, [], .subscribeDenied),
      (#""/other""#, [], .subscribeDenied), (#""/meta/connect""#, [], .subscribeDenied),
      (#""/_genesys/*""#, [], .subscribeDenied), (#""/a/*/b""#, [], .subscriptionInvalid),
      (#""/service//x""#, [], .subscriptionInvalid), (#""""#, [], .subscriptionInvalid),
      (#"["/_genesys","/other","/**"]"#, ["/_genesys"], .subscribeDenied),
      ("[]", [], .subscriptionInvalid), ("7", [], .subscriptionInvalid),
      (#"["/_genesys",7]"#, [], .subscriptionInvalid),
      ("null", [], .subscriptionMissing),
    ] as [(String, [String], BayeuxError?)])
  func subscribing(subscription: String, channels: [String], error: BayeuxError?) throws {
    let outcome = ChannelPolicy().subscribe(try subscribe(subscription))
    #expect(outcome.channels == channels)
    #expect(outcome.error == error)
  }

  /// Spec: support requests 6.2.
  @Test(
    "opens what the caller allows a session, spelled exactly so, and stops at the first refusal as ever",
    arguments: [
      (#""/support/requests/5""#, ["/support/requests/5"], nil),
      (#"["/_genesys","/support/requests/5"]"#, ["/_genesys", "/support/requests/5"], nil),
      (#""/support/requests/*""#, ["/support/requests/*"], nil),
      (#"["/support/requests/5","/support/requests/6"]"#, ["/support/requests/5"], .subscribeDenied),
      (#""/support/requests/**""#, [], .subscribeDenied), (#""/support/requests""#, [], .subscribeDenied),
      (#""/support/requests/55""#, [], .subscribeDenied), (#""/support/requests/5/""#, [], .subscriptionInvalid),
    ] as [(String, [String], BayeuxError?)])
  func allowing(subscription: String, channels: [String], error: BayeuxError?) throws {
    let message = try subscribe(subscription)
    let outcome = ChannelPolicy().subscribe(message, alsoTo: ["/support/requests/5", "/support/requests/*"])
    #expect(outcome.channels == channels)
    #expect(outcome.error == error)
    // To everybody else these channels are as any other.
    #expect(ChannelPolicy().subscribe(message).error == (error == .subscriptionInvalid ? error : .subscribeDenied))
  }

  @Test("lets go of what a session follows")
  func followed() throws {
    let message = try subscribe(#""/support/requests/5""#)
    #expect(ChannelPolicy().unsubscribe(message, alsoFrom: ["/support/requests/5"]).channels == ["/support/requests/5"])
    #expect(ChannelPolicy().unsubscribe(message, alsoFrom: ["/support/requests/6"]).error == .channelMissing)
  }

  @Test("lets go of what it opens; knows no other channel")
  func unsubscribing() throws {
    #expect(ChannelPolicy().unsubscribe(try subscribe(#""/_genesys""#)).error == nil)
    #expect(ChannelPolicy().unsubscribe(try subscribe(#""/other""#)).error == .channelMissing)
    #expect(ChannelPolicy().unsubscribe(BayeuxMessage()).error == .subscriptionMissing)
  }

  @Test("follows a configured event channel")
  func configured() throws {
    let policy = ChannelPolicy(eventChannel: "/chat/events")
    #expect(policy.subscribe(try subscribe(#""/chat/events""#)).error == nil)
    #expect(policy.subscribe(try subscribe(#""/_genesys""#)).error == .subscribeDenied)
    #expect(policy.receivesEvents(["/**"]))
    #expect(!policy.receivesEvents(["/*"]))
    #expect(!policy.receivesEvents([]))
    #expect(ChannelPolicy().receivesEvents(["/x", "/_genesys"]))
  }

  @Test("takes no publish; a name with wildcards is no channel")
  func publishing() {
    #expect(ChannelPolicy().refusalOfPublish(to: "/_genesys") == .publishDenied)
    #expect(ChannelPolicy().refusalOfPublish(to: "/service/x") == .publishDenied)
    #expect(ChannelPolicy().refusalOfPublish(to: "/a/*") == .channelInvalid)
  }
}
