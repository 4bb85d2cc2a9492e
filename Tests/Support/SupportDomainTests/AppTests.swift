import EventSourcing
import SupportDomain
import Testing

@Suite("Support app")
struct AppTests {
  typealias Turn = AppRig.Turn
  private static let hour = Duration.seconds(3_600)

  private func set(
    _ base: String, _ secret: String? = nil, replacing former: String? = nil, overlap: Duration = hour
  ) -> SupportAppCommand {
    .setWebhook(base: base, secret: secret, by: "ops", replacing: former, overlap: overlap)
  }

  @Test("another integration is recorded, the same is not")
  func integration() throws {
    var rig = AppRig()
    for integration in SupportIntegration.allCases + [.webhook] {
      #expect(try rig.when(.configured(integration)) == Turn([.integrationChanged(integration)], [.changed]))
      #expect(try rig.when(.configured(integration)) == Turn())
      #expect(rig.state.integration == integration)
    }
    #expect(rig.state.rest == .asleep(until: nil) && rig.state.outstandingEffects == [] && !rig.state.isFinished)
  }

  static let urls: [(base: String, secret: String?, url: String)] = [
    ("https://host/hook", nil, "https://host/hook"), ("https://host/hook", "ab12", "https://host/hook/ab12"),
    ("https://host/hook/", "ab12", "https://host/hook/ab12"), ("https://host/", nil, "https://host/"),
  ]

  @Test("the random component comes last", arguments: urls)
  func url(base: String, secret: String?, url: String) throws {
    var rig = AppRig()
    let webhook = SupportApp.Webhook(base: base, secret: secret, at: .second(1), by: "ops")
    #expect(try rig.when(set(base, secret), at: 1) == Turn([.webhookSet(webhook, previous: nil)], [.changed]))
    #expect(rig.state.webhook == webhook && webhook.url == url && rig.state.previous == nil)
  }

  @Test("a rotation switches at once, and the URL before is named until the overlap is over")
  func rotated() throws {
    var rig = AppRig()
    try rig.when(set("https://host", "one"), at: 0)
    let turn = try rig.when(set("https://host", "two", replacing: "https://host/one"), at: 10)
    let second = SupportApp.Webhook(base: "https://host", secret: "two", at: .second(10), by: "ops")
    let first = SupportApp.Previous(url: "https://host/one", until: .second(3_610))
    #expect(turn.events == [.webhookSet(second, previous: first)])
    #expect(rig.state.webhook?.url == "https://host/two")
    #expect(rig.state.previous?.url == "https://host/one" && rig.state.previous?.until == .second(3_610))
    try rig.when(set("https://host", "three", replacing: "https://host/two"), at: 20)
    #expect(rig.state.previous?.url == "https://host/two" && rig.state.previous?.until == .second(3_620))
  }

  @Test("without an overlap nothing is named", arguments: [Duration.zero, .seconds(-1)])
  func withoutOverlap(overlap: Duration) throws {
    var rig = AppRig()
    try rig.when(set("https://host", "one"))
    try rig.when(set("https://host", "two"))
    try rig.when(set("https://host", "three", replacing: "https://host/two", overlap: overlap))
    #expect(rig.state.previous == nil && rig.state.webhook?.secret == "three")
  }

  @Test("once it is cleared, the configuration's own URL holds, and nothing else is named")
  func cleared() throws {
    var rig = AppRig()
    #expect(try rig.when(.clearWebhook(by: "ops")) == Turn())
    try rig.when(set("https://host", "one"))
    try rig.when(set("https://host", "two"))
    #expect(try rig.when(.clearWebhook(by: "ops")) == Turn([.webhookCleared(by: "ops")], [.changed]))
    #expect(rig.state == SupportApp())
    try rig.when(set("https://host", "three"))
    #expect(rig.state.previous == nil)
  }

  @Test("a restatement is the whole app, whatever comes before and after")
  func restated() throws {
    var rig = AppRig()
    try rig.when(.configured(.direct))
    try rig.when(set("https://host", "one"))
    try rig.when(set("https://host", "two"))
    let before = rig.state
    #expect(try rig.when(.restate) == Turn([.restated(state: before.stateBytes)], [.changed]))
    #expect(rig.state == before)
    try rig.when(.configured(.webhook))
    #expect(try rig.replayedFromRestatement() == rig.state)
    #expect(try rig.replayed() == rig.state)
    try rig.sleepAndWake()
    #expect(try rig.replayed() == rig.state)
  }
}
