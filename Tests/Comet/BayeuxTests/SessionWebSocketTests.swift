import Bayeux
import Testing

@Suite("Session, WebSocket")
struct SessionWebSocketTests {
  /// Connected on socket 7, a connect held there.
  func holding() -> Conversation {
    var talk = Conversation()
    _ = talk.frame(7, connect("1"))
    _ = talk.written(7)
    _ = talk.frame(7, connect("2"))
    return talk
  }

  @Test("the first connect is answered at once, later ones are the heartbeat")
  func heartbeat() {
    var talk = Conversation()
    #expect(talk.frame(7, connect()) == [respond(7, advised), .disarm])
    #expect(talk.written(7) == [.arm(milliseconds: 10_000)])
    #expect(talk.frame(7, connect("2")) == [.arm(milliseconds: 25_000)])
    #expect(talk.elapse() == [respond(7, plain("2"))])
    #expect(talk.written(7) == [.arm(milliseconds: 10_000)])
  }

  @Test("events leave at once in frames of their own; the held connect stays")
  func events() {
    var talk = holding()
    #expect(talk.deliver([event("e1", at: 1)]) == [respond(7, "e1")])
    #expect(talk.session.isHolding)
    #expect(talk.deliver([event("e2", at: 2)]) == [respond(7, "e2")])
    #expect(talk.written(7) == [.delivered([mark(1)])])
    #expect(talk.written(7) == [.delivered([mark(2)])])
    #expect(talk.elapse() == [respond(7, plain("2"))])
  }

  @Test("any request ties the session to its socket: queued events leave before its replies")
  func tie() {
    var talk = Conversation()
    _ = talk.deliver("e1")
    #expect(talk.frame(7, ready("sub")) == [respond(7, "e1"), respond(7, "sub"), .arm(milliseconds: 10_000)])
    #expect(talk.deliver("e2") == [respond(7, "e2")])
  }

  @Test("a connect that shares its frame, or asks for no wait, is answered at once")
  func atOnce() {
    var talk = holding()
    #expect(talk.frame(7, ready("r"), connect("3")) == [respond(7, "r", plain("3")), .disarm])
    _ = talk.written(7)
    #expect(talk.frame(7, connect(timeout: 0)) == [respond(7, advised), .disarm])
  }

  @Test("a second connect on the same socket replaces the first, which is never answered")
  func replaced() {
    var talk = holding()
    #expect(talk.frame(7, connect("3")) == [.arm(milliseconds: 25_000)])
    #expect(talk.elapse() == [respond(7, plain("3"))])
  }

  @Test("when the socket closes the grace starts and unconfirmed events go back to the queue, in order")
  func closes() {
    var talk = holding()
    _ = talk.deliver("e1")
    _ = talk.deliver("e2")
    _ = talk.written(7)
    #expect(talk.closed(7) == [.arm(milliseconds: 10_000)])
    #expect(talk.deliver("e3") == [])
    #expect(talk.written(7, false) == [], "the socket's own report comes late")
    #expect(talk.frame(8, connect("3")) == [respond(8, "e2", "e3"), .arm(milliseconds: 25_000)])
  }

  @Test("a failed write means the socket is gone")
  func failedWrite() {
    var talk = holding()
    _ = talk.deliver("e1")
    _ = talk.deliver("e2")
    #expect(talk.written(7, false) == [.arm(milliseconds: 10_000)])
    #expect(talk.written(7, false) == [])
    #expect(talk.closed(7) == [])
    #expect(talk.poll(8) == [respond(8, "e1", "e2", plain), .disarm])
  }

  @Test("a socket that closes while the grace runs does not start it anew")
  func closesInGrace() {
    var talk = Conversation()
    _ = talk.frame(7, connect())
    _ = talk.written(7)
    #expect(talk.closed(7) == [])
    #expect(talk.elapse() == [.ended(.expired)])
  }

  @Test("a socket that closes before the connect reply is out starts the grace")
  func closesBeforeReply() {
    var talk = Conversation()
    _ = talk.frame(7, connect())
    #expect(talk.closed(7) == [.arm(milliseconds: 10_000)])
  }

  @Test("a new socket takes the session over; the old one gets nothing more")
  func takeover() {
    var talk = holding()
    #expect(talk.frame(8, connect("9")) == [.arm(milliseconds: 10_000), .arm(milliseconds: 25_000)])
    #expect(talk.deliver("e1") == [respond(8, "e1")])
    #expect(talk.closed(7) == [])
    #expect(talk.elapse() == [respond(8, plain("9"))])
  }

  @Test("a takeover by another message than a connect ends the hold on the old socket")
  func takeoverWithoutConnect() {
    var talk = holding()
    #expect(
      talk.frame(8, ready("r")) == [.arm(milliseconds: 10_000), respond(8, "r"), .arm(milliseconds: 10_000)])
    #expect(!talk.session.isHolding)
    #expect(talk.elapse() == [.ended(.expired)])
  }

  @Test("what was on its way to the old socket comes first on the new one")
  func takeoverInFlight() {
    var talk = holding()
    _ = talk.deliver("e1")
    #expect(talk.frame(8, connect()).contains(respond(8, "e1")))
    #expect(talk.deliver("e2") == [respond(8, "e2")])
    // The old socket's end, however it is told of, brings nothing back.
    #expect(talk.written(7) == [])
    #expect(talk.closed(7) == [])
  }

  @Test("from socket to long polling: the connect on the socket gets no answer, events go with the poll")
  func toLongPolling() {
    var talk = holding()
    #expect(talk.poll(8) == [.arm(milliseconds: 25_000)])
    #expect(talk.deliver("e1") == [respond(8, "e1", plain), .disarm])
    #expect(talk.closed(7) == [])
  }

  @Test("from long polling to socket: the held poll is released")
  func toSocket() {
    var talk = Conversation.holding()
    #expect(talk.frame(7, connect("3")) == [respond(2, plain), .arm(milliseconds: 25_000)])
    #expect(talk.written(2) == [])
    #expect(talk.deliver("e1") == [respond(7, "e1")])
  }

  @Test("a poll held while the socket only sends: events go to the socket, and to the poll once it closes")
  func both() {
    var talk = Conversation.holding()
    _ = talk.frame(7, ready("r"))
    #expect(talk.deliver("e1") == [respond(7, "e1")])
    #expect(talk.closed(7) == [respond(2, "e1", plain), .disarm])
  }

  @Test("a disconnect dismisses the held connect in a frame of its own, then is answered")
  func disconnects() {
    var talk = holding()
    let reply = #"{"id":"2","channel":"/meta/connect","successful":true,"advice":{"reconnect":"none"}}"#
    #expect(
      talk.disconnect(7, on: .webSocket) == [respond(7, reply), respond(7, "bye"), .disarm, .ended(.disconnected)])
  }

  @Test("a client that does not read is dropped at the bound")
  func slowReader() {
    var settings = SessionSettings()
    settings.queueMessagesMaximum = 3
    var talk = Conversation(settings: settings)
    _ = talk.frame(7, connect())
    for name in ["e1", "e2", "e3"] { #expect(talk.deliver(name) == [respond(7, name)]) }
    #expect(talk.deliver("e4") == [.ended(.overflowed)])
  }
}
