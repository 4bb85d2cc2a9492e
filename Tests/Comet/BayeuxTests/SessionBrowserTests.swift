import Bayeux
import Testing

/// Spec: Bayeux 1.0, "Multiple clients operation"; Bayeux reference, 15.
@Suite("Session, beside others of its browser")
struct SessionSurplusTests {
  private static let told =
    #"{"channel":"/meta/connect","successful":true,"advice":{"reconnect":"retry","interval":2000,"timeout":30000,"#
    + #""multiple-clients":true}}"#
  private static let refused =
    #"{"channel":"/meta/connect","successful":false,"error":"403::multiple_clients","#
    + #""advice":{"reconnect":"none","multiple-clients":true}}"#

  private func surplus(_ settings: SessionSettings = SessionSettings()) -> Conversation {
    var talk = Conversation.connected(settings: settings)
    talk.session.isSurplus = true
    return talk
  }

  @Test("a connect that would be held is answered at once, and its client lives longer by the pause")
  func told() {
    var talk = surplus()
    #expect(talk.poll(2) == [respond(2, Self.told), .disarm])
    #expect(!talk.session.isHoldingPoll)
    #expect(talk.written(2) == [.arm(milliseconds: 12_000)])
    #expect(talk.poll(3, interval: 5_000) == [respond(3, Self.told), .disarm])
    #expect(talk.written(3) == [.arm(milliseconds: 15_000)])
  }

  @Test("once there is room it is held, and the next answer says that all is well")
  func resumed() {
    var talk = surplus()
    _ = talk.poll(2)
    _ = talk.written(2)
    talk.session.isSurplus = false
    #expect(talk.poll(3) == [.arm(milliseconds: 25_000)])
    #expect(talk.session.isHoldingPoll)
    #expect(talk.deliver("e1") == [respond(3, "e1", advised), .disarm])
    _ = talk.written(3)
    _ = talk.poll(4)
    #expect(talk.deliver("e2") == [respond(4, "e2", plain), .disarm])
  }

  @Test("what would not be held anyway is answered as ever")
  func others() {
    var talk = surplus()
    _ = talk.deliver("e1")
    #expect(talk.poll(2) == [respond(2, "e1", plain), .disarm])
    _ = talk.written(2)
    #expect(talk.poll(3, timeout: 0) == [respond(3, advised), .disarm])
    _ = talk.written(3)
    #expect(talk.poll(4, with: [ready("r")]) == [respond(4, "r", plain), .disarm])
  }

  @Test("lazy messages go along, since nothing would wake a connect for them")
  func lazy() {
    var talk = surplus()
    _ = talk.deliver([QueuedMessage(bytes: Array("z1".utf8), mark: nil, isLazy: true)])
    #expect(talk.poll(2) == [respond(2, "z1", Self.told), .disarm])
  }

  @Test("over a socket it is held")
  func socket() {
    var talk = surplus()
    #expect(talk.frame(9, connect()) == [.arm(milliseconds: 25_000)])
    #expect(talk.session.isHolding && !talk.session.isHoldingPoll)
  }

  @Test("without a pause it is refused, for good")
  func refused() {
    var settings = SessionSettings()
    settings.multiSessionIntervalMilliseconds = 0
    var talk = surplus(settings)
    #expect(talk.poll(2) == [respond(2, Self.refused), .disarm])
    #expect(talk.written(2) == [.arm(milliseconds: 10_000)])
    talk.session.isSurplus = false
    #expect(talk.poll(3) == [.arm(milliseconds: 25_000)])
  }
}

/// Spec: Bayeux 1.0, "The callback-polling Transport"; Bayeux reference, 14.2.
@Suite("Session, polled by scripts")
struct SessionCallbackPollingTests {
  @Test("a connect is held, an event ends it, and what could not be written comes with the next one")
  func held() {
    var talk = Conversation.connected()
    #expect(talk.script(2, connect()) == [.arm(milliseconds: 25_000)])
    #expect(talk.session.isHoldingPoll)
    #expect(talk.deliver("e1") == [respond(2, "e1", plain), .disarm])
    #expect(talk.written(2, false) == [.arm(milliseconds: 10_000)])
    #expect(talk.script(3, connect()) == [respond(3, "e1", plain), .disarm])
  }

  @Test("events come with connects alone")
  func connectOnly() {
    var talk = Conversation.connected()
    _ = talk.deliver("e1")
    #expect(talk.script(2, ready("r")) == [respond(2, "r"), .arm(milliseconds: 10_000)])
    #expect(talk.script(3, connect()) == [respond(3, "e1", plain), .disarm])
    _ = talk.written(3)
    _ = talk.script(4, connect())
    talk.session.requestBegan(ExchangeID(rawValue: 5))
    #expect(talk.deliver("e2") == [])
    #expect(talk.script(5, ready("r")) == [respond(5, "r"), respond(4, "e2", plain), .disarm])
  }

  @Test("a socket that was the session's before gets nothing more")
  func moves() {
    var talk = Conversation.connected()
    _ = talk.frame(9, connect())
    #expect(talk.script(2, connect()).contains(.arm(milliseconds: 25_000)))
    #expect(talk.deliver("e1") == [respond(2, "e1", plain), .disarm])
  }
}

extension Conversation {
  fileprivate mutating func script(_ exchange: UInt64, _ replies: SessionReply...) -> [SessionAction] {
    session.received(
      .request(exchange: ExchangeID(rawValue: exchange), transport: .callbackPolling, replies: replies))
  }
}
