import Bayeux
import Testing

@Suite("Session, at its end and across a restart")
struct SessionEndTests {
  @Test("B6: a disconnect dismisses the held connect, then is answered, and takes no events along")
  func disconnect() {
    var talk = Conversation.holding()
    #expect(talk.disconnect(3) == [respond(2, dismissed), respond(3, "bye"), .disarm, .ended(.disconnected)])
    talk = .connected()
    _ = talk.deliver("e1")
    #expect(talk.disconnect(2) == [respond(2, "bye"), .disarm, .ended(.disconnected)])
  }

  @Test("a connect in the request of a disconnect is dismissed too")
  func disconnectWithConnect() {
    var talk = Conversation.connected()
    let actions = talk.session.received(
      .disconnect(exchange: ExchangeID(rawValue: 2), transport: .longPolling, replies: [connect(), ready("bye")]))
    #expect(actions == [respond(2, dismissed, "bye"), .disarm, .ended(.disconnected)])
  }

  @Test("a client that does nothing but connect is told to give up, and what is held too")
  func inactive() {
    var talk = Conversation.holding()
    let actions = talk.session.received(
      .inactive(exchange: ExchangeID(rawValue: 3), transport: .longPolling, replies: [connect()]))
    #expect(actions == [respond(2, dismissed), respond(3, dismissed), .disarm, .ended(.inactive)])
    #expect(talk.poll(4) == [respond(4, unknown)])
  }

  @Test("the session is dropped rather than its queue grow", arguments: [(3, 1_000), (1_000, 6)])
  func overflow(messages: Int, bytes: Int) {
    var settings = SessionSettings()
    settings.queueMessagesMaximum = messages
    settings.queueBytesMaximum = bytes
    var talk = Conversation.connected(settings: settings)
    #expect(talk.deliver("e1", "e2", "e3") == [])
    #expect(talk.deliver("e4") == [.disarm, .ended(.overflowed)])
  }

  @Test("what is on its way counts for the bounds until it is written")
  func overflowInFlight() {
    var settings = SessionSettings()
    settings.queueMessagesMaximum = 2
    var talk = Conversation.connected(settings: settings)
    _ = talk.deliver("e1", "e2")
    _ = talk.post(2, "r")
    #expect(talk.written(2) == [])
    #expect(talk.deliver("e3", "e4") == [])
    _ = talk.post(3, "r")
    #expect(talk.deliver("e5") == [.disarm, .ended(.overflowed)])
  }

  @Test("a session for which nothing waits takes any message: its client would shake hands in vain for ever")
  func largeCatchUp() {
    var settings = SessionSettings()
    settings.queueMessagesMaximum = 1
    settings.queueBytesMaximum = 1
    var talk = Conversation.connected(settings: settings)
    _ = talk.poll(2)
    guard case .respond(ExchangeID(rawValue: 2), let messages) = talk.deliver("e1", "e2").first else {
      Issue.record("the held connect is not answered")
      return
    }
    #expect(messages.prefix(2) == [Array("e1".utf8), Array("e2".utf8)])
    #expect(talk.deliver("e3") == [.ended(.overflowed)])
  }

  @Test("when the server stops, the held connect is released to come again, no later one is held, no clock runs")
  func serverStops() {
    var talk = Conversation.holding()
    #expect(talk.session.received(.serverStops) == [respond(2, advised), .disarm])
    #expect(talk.written(2) == [])
    #expect(talk.poll(3) == [respond(3, advised)])
    #expect(talk.written(3) == [])
    #expect(!talk.session.isEnded)
    talk = .connected()
    #expect(talk.session.received(.serverStops) == [.disarm])
  }

  @Test("a server that stops sends a socket off: after the answer to what is held, and to what comes late")
  func sendsOff() {
    let off = SessionAction.sendOff(ExchangeID(rawValue: 7))
    var talk = Conversation()
    _ = talk.frame(7, connect("1"))
    _ = talk.written(7)
    #expect(talk.session.received(.serverStops) == [.disarm, off])
    talk = Conversation()
    _ = talk.frame(7, connect("1"))
    _ = talk.written(7)
    _ = talk.frame(7, connect())
    #expect(talk.session.received(.serverStops) == [respond(7, advised), .disarm, off])
    _ = talk.written(7)
    #expect(talk.frame(7, connect()) == [respond(7, advised), off])
    #expect(talk.frame(8, ready("r")) == [respond(8, "r"), .sendOff(ExchangeID(rawValue: 8))])
  }

  @Test("dismissed, it refuses what is held and what comes, and delivers nothing more")
  func ended() {
    var talk = Conversation.holding()
    #expect(talk.session.received(.dismissed) == [respond(2, unknown), .disarm, .ended(.dismissed)])
    #expect(talk.deliver("e1") == [])
    #expect(talk.poll(3) == [respond(3, unknown)])
  }

  @Test("restored after a restart, it goes on as if nothing had happened, with advice", arguments: [true, false])
  func restored(isConnected: Bool) {
    var talk = Conversation(
      BayeuxSession(restoring: "c1", settings: SessionSettings(), acknowledges: false, isConnected: isConnected))
    #expect(talk.session.isConnected == isConnected)
    #expect(talk.session.restored() == [.arm(milliseconds: 10_000)])
    if isConnected {
      #expect(talk.poll(1) == [.arm(milliseconds: 25_000)])
      #expect(talk.deliver("e1") == [respond(1, "e1", advised), .disarm])
    } else {
      #expect(talk.poll(1) == [respond(1, advised), .disarm])
    }
  }

  @Test(
    "restored with what was written last in doubt, it takes what comes after that along with a connect only",
    arguments: [true, false])
  func restoredInDoubt(isInDoubt: Bool) {
    var talk = Conversation.restored(isInDoubt: isInDoubt)
    _ = talk.deliver([event("e2", at: 2)])
    guard isInDoubt else { return #expect(talk.post(1, "r1").first == respond(1, "e2", "r1")) }
    #expect(talk.post(1, "r1") == [respond(1, "r1"), .arm(milliseconds: 10_000)])
    #expect(talk.written(1) == [])
    #expect(talk.session.received(.redeliver([event("e1", at: 1)])) == [])
    #expect(talk.poll(2) == [respond(2, "e1", "e2", advised), .disarm])
    // Its connect has shown what there was to show.
    #expect(talk.written(2) == [.delivered([mark(1), mark(2)]), .arm(milliseconds: 10_000)])
    _ = talk.deliver([event("e3", at: 3)])
    #expect(talk.post(3, "r2").first == respond(3, "e3", "r2"))
  }

  @Test("a socket is no proof either: what waits goes out there with the first connect", arguments: [true, false])
  func socketInDoubt(isInDoubt: Bool) {
    var talk = Conversation.restored(isInDoubt: isInDoubt)
    _ = talk.deliver([event("e2", at: 2)])
    guard isInDoubt else { return #expect(talk.frame(1, ready("r1")).contains(respond(1, "e2"))) }
    #expect(talk.frame(1, ready("r1")) == [respond(1, "r1"), .arm(milliseconds: 10_000)])
    #expect(talk.deliver([event("e3", at: 3)]) == [])
    #expect(talk.session.received(.redeliver([event("e1", at: 1)])) == [])
    #expect(talk.frame(1, connect()) == [respond(1, "e1", "e2", "e3"), respond(1, advised), .disarm])
    #expect(talk.deliver([event("e4", at: 4)]) == [respond(1, "e4")])
  }

  @Test("nor is a socket that a living session moves to with another message than a connect")
  func moveInDoubt() {
    var talk = Conversation.connected()
    _ = talk.poll(2)
    _ = talk.deliver([event("e1", at: 1)])
    // It was written, and the client left without a sign of having it.
    _ = talk.written(2)
    talk.session.isInDoubt = true
    #expect(talk.frame(3, ready("r1")) == [respond(3, "r1"), .arm(milliseconds: 10_000)])
    #expect(talk.deliver([event("e2", at: 2)]) == [])
    #expect(talk.session.received(.redeliver([event("e1", at: 1)])) == [])
    #expect(talk.frame(3, connect()) == [respond(3, "e1", "e2"), .arm(milliseconds: 25_000)])
    #expect(talk.deliver([event("e3", at: 3)]) == [respond(3, "e3")])
  }
}
