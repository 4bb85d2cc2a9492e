import ChatDomain
import Engine
import EventSourcing
import OptionKit
import Testing

@Suite("Looking options up")
struct OptionsTests {
  private let options = Options(sections: [
    "server": ["username": "s", "password": "p"],
    "push": ["a": "push", "b": "push", "debug.c": "debug push"],
    "push.provider.event.chat": ["b": "event chat"],
    "push.provider.event.chat.newagentmessage": ["a": "event full", "empty": ""],
    "push.provider.shop": ["a": "provider", "c": "provider", "d": "provider", "ios.badge": "1"],
    "push.provider.shop.event.chat": ["a": "provider event"],
    "chat": ["_ttl": "10", "_filtering_chat_events": "Notice.Left"],
    "service.one": ["_ttl": "20", "_overwritable_options": "_ttl, _provider_name", "username": "u", "password": "q"],
    "service.two": [:],
  ])

  @Test(
    "a push option comes from the most specific section",
    arguments: [
      ("a", nil, "event full"), ("a", "shop", "provider event"), ("b", nil, "event chat"), ("b", "shop", "event chat"),
      ("d", nil, nil), ("d", "shop", "provider"), ("empty", "shop", ""), ("c", "shop", "provider"),
      ("apple.badge", "shop", "1"),
    ] as [(String, String?, String?)])
  func push(name: String, provider: String?, expected: String?) {
    #expect(options.push(name, provider: provider, tag: "chat.newagentmessage") == expected)
  }

  @Test(
    "all options of a push at once are the same as one by one", arguments: [nil, "shop", "unknown"] as [String?],
    [false, true])
  func allAtOnce(provider: String?, debug: Bool) {
    for tag in ["chat.newagentmessage", "chat", "operator.test", ""] {
      let all = options.push(provider: provider, tag: tag, debug: debug)
      for name in ["a", "b", "c", "d", "empty", "apple.badge", "debug.c", "none"] {
        #expect(all[name] == options.push(name, provider: provider, tag: tag, debug: debug), "\(name), \(tag)")
      }
    }
  }

  @Test("with debug, debug.<name> is searched through all sections first")
  func debug() {
    #expect(options.push("c", provider: "shop", tag: "chat.newagentmessage", debug: true) == "debug push")
  }

  @Test("a service option comes from the request if it may, then the service, then the section chat")
  func service() {
    #expect(options.service("one", "_ttl", request: [NameValuePair("_ttl", "30")]) == "30")
    #expect(options.service("one", "_ttl") == "20")
    #expect(options.service("two", "_ttl", request: [NameValuePair("_ttl", "30")]) == "10")
    #expect(options.service("two", "_client_timeout_notification") == nil)
  }

  @Test("what a request brings, and is no value of the option, counts as not set")
  func outOfBounds() {
    let options = Options(sections: ["service.one": ["_overwritable_options": "_ttl, _max_notify_delivery_attempts"]])
    let keys = ChatOptions.keys
    let fine = options.service(
      "one", request: [NameValuePair("_ttl", "30"), NameValuePair(keys.pushAttempts.name, "100")])
    #expect(fine[keys.timeToLive] == .seconds(30) && fine[keys.pushAttempts] == 100)
    let wrong = options.service(
      "one", request: [NameValuePair("_ttl", "0"), NameValuePair(keys.pushAttempts.name, "101")])
    #expect(wrong[keys.timeToLive] == ChatPolicy().timeToLive && wrong[keys.pushAttempts] == 3)
  }

  @Test("a configuration that names no service has request-chat; one that names another does not")
  func defaultService() {
    #expect(Options().hasService("request-chat"))
    #expect(!Options().hasService("other"))
    #expect(!Options(sections: ["service.other": [:]]).hasService("request-chat"))
  }

  @Test("a service's own credentials replace the server's")
  func credentials() {
    #expect(options.credentials(service: "one")?.username == "u")
    #expect(options.credentials(service: "two")?.username == "s")
    #expect(options.credentials()?.password == "p")
  }
}
