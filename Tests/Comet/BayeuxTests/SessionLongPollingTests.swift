import Bayeux
import Testing

@Suite("Session, long polling")
struct SessionLongPollingTests {
  @Test("runs the grace timer from the handshake on, and is over if no connect comes")
  func handshakeOnly() {
    var session = BayeuxSession(clientID: "c1", settings: SessionSettings(), acknowledges: false)
    #expect(session.handshaken() == [.arm(milliseconds: 10_000)])
    #expect(!session.isConnected)
    #expect(session.received(.timerElapsed) == [.ended(.expired)])
  }

  @Test("the first connect is answered at once, with advice, without id if it had none")
  func firstConnect() {
    var talk = Conversation()
    #expect(talk.poll(1) == [respond(1, advised), .disarm])
    #expect(talk.session.isConnected && !talk.session.isHolding)
    #expect(talk.written(1) == [.arm(milliseconds: 10_000)])
  }

  @Test("a later connect is held for five seconds less than advised, then answered without advice")
  func holdTime() {
    var talk = Conversation.connected()
    #expect(talk.poll(2, id: "2") == [.arm(milliseconds: 25_000)])
    #expect(talk.session.isHolding)
    #expect(talk.elapse() == [respond(2, plain("2"))])
    #expect(!talk.session.isHolding)
    #expect(talk.written(2) == [.arm(milliseconds: 10_000)])
  }

  @Test(
    "the request's own time-out counts if it is shorter, and brings advice",
    arguments: [(1_000, 1_000), (24_999, 24_999), (60_000, 25_000)])
  func requestTimeout(asked: Int, held: Int) {
    var talk = Conversation.connected()
    #expect(talk.poll(2, timeout: asked) == [.arm(milliseconds: held)])
    #expect(talk.elapse() == [respond(2, advised)])
    _ = talk.written(2)
    #expect(talk.poll(3) == [.arm(milliseconds: 25_000)], "it holds for that one connect")
  }

  @Test("advice.timeout 0 is answered at once")
  func timeoutZero() {
    var talk = Conversation.connected()
    #expect(talk.poll(2, timeout: 0) == [respond(2, advised), .disarm])
  }

  @Test(
    "the interval a client asks for lengthens the grace, within bounds",
    arguments: [(2_000, 12_000), (1 << 60, 70_000), (-5, 10_000)])
  func interval(asked: Int, grace: Int) {
    var talk = Conversation.connected()
    _ = talk.poll(2, timeout: 0, interval: asked)
    #expect(talk.written(2) == [.arm(milliseconds: grace)])
    #expect(talk.post(3, "r") == [respond(3, "r"), .arm(milliseconds: grace)], "never pulled in")
    _ = talk.poll(4)
    #expect(talk.closed(4) == [.arm(milliseconds: 10_000)], "it held for that one connect")
  }

  @Test("a connect that shares its request is not held; events stand between its company and its reply")
  func company() {
    var talk = Conversation.connected()
    _ = talk.deliver("e1", "e2")
    #expect(talk.poll(2, id: "2", with: [ready("sub")]) == [respond(2, "sub", "e1", "e2", plain("2")), .disarm])
    _ = talk.written(2)
    let replies = [connect("3"), ready("pub")]
    let actions = talk.session.received(
      .request(exchange: ExchangeID(rawValue: 3), transport: .longPolling, replies: replies))
    #expect(actions == [respond(3, plain("3"), "pub"), .disarm])
  }

  @Test("several connects in one request are each answered, events once")
  func severalConnects() {
    var talk = Conversation.connected()
    _ = talk.deliver("e1")
    let actions = talk.session.received(
      .request(
        exchange: ExchangeID(rawValue: 2), transport: .longPolling, replies: [connect("a"), connect("b")]))
    #expect(actions == [respond(2, "e1", plain("a"), plain("b")), .disarm])
    #expect(talk.written(2) == [.arm(milliseconds: 10_000)])
  }

  @Test("B2: an event while a connect is held answers it; the grace timer starts when that is written")
  func b2() {
    var talk = Conversation.holding()
    #expect(talk.deliver([event("e1", at: 4)]) == [respond(2, "e1", plain), .disarm])
    #expect(talk.written(2) == [.delivered([mark(4)]), .arm(milliseconds: 10_000)])
  }

  @Test("several events delivered together leave in one response")
  func together() {
    var talk = Conversation.holding()
    #expect(talk.deliver("e1", "e2", "e3") == [respond(2, "e1", "e2", "e3", plain), .disarm])
  }

  @Test("B3: when the write fails the events stay queued, the grace timer starts, and they are not reported delivered")
  func b3Write() {
    var talk = Conversation.holding()
    _ = talk.deliver([event("e1", at: 4)])
    #expect(talk.written(2, false) == [.arm(milliseconds: 10_000)])
    #expect(talk.session.hasQueued)
    #expect(talk.poll(3, id: "3") == [respond(3, "e1", plain("3")), .disarm])
    #expect(talk.written(3) == [.delivered([mark(4)]), .arm(milliseconds: 10_000)])
    #expect(!talk.session.hasQueued && !talk.session.hasUndelivered)
  }

  @Test("B3: when the held socket closes the hold ends and the grace timer starts")
  func b3Close() {
    var talk = Conversation.holding()
    #expect(talk.closed(2) == [.arm(milliseconds: 10_000)])
    #expect(!talk.session.isHolding)
    #expect(talk.deliver("e1") == [])
    #expect(talk.closed(2) == [], "once")
    #expect(talk.closed(99) == [], "another exchange of the client")
  }

  @Test("B4: a connect within the grace stops the timer and takes what is queued, or is held")
  func b4() {
    var talk = Conversation.connected()
    _ = talk.deliver("e1")
    #expect(talk.poll(2) == [respond(2, "e1", plain), .disarm])
    _ = talk.written(2)
    #expect(talk.poll(3) == [.arm(milliseconds: 25_000)])
  }

  @Test("B4a: an event during the grace is queued and leaves the timer alone")
  func b4a() {
    var talk = Conversation.connected()
    #expect(talk.deliver("e1") == [])
    #expect(talk.deliver("e2") == [])
    #expect(talk.session.hasQueued)
    #expect(talk.poll(2) == [respond(2, "e1", "e2", plain), .disarm])
  }

  @Test("B5: the session is over when the grace runs out")
  func b5() {
    var talk = Conversation.connected()
    _ = talk.deliver("e1")
    #expect(talk.elapse() == [.ended(.expired)])
    #expect(talk.session.isEnded && !talk.session.hasUndelivered)
    #expect(talk.elapse() == [] && talk.deliver("e2") == [] && talk.written(1) == [] && talk.closed(1) == [])
  }

  @Test("a request that crossed the end is still answered, its connect with 402 and the advice to shake hands")
  func afterTheEnd() {
    var talk = Conversation.connected()
    _ = talk.elapse()
    #expect(talk.poll(2, with: [ready("r")]) == [respond(2, "r", unknown)])
    #expect(talk.disconnect(3) == [respond(3, "bye")])
  }

  @Test("a timer that was stopped is not listened to")
  func stoppedTimer() {
    var talk = Conversation()
    _ = talk.poll(1)
    #expect(talk.elapse() == [])
    #expect(!talk.session.isEnded)
  }

  @Test("a second connect releases the first with an empty successful reply; the written old one starts no grace")
  func secondConnect() {
    var talk = Conversation.connected()
    _ = talk.poll(2, id: "2")
    #expect(talk.poll(3, id: "3") == [respond(2, plain("2")), .arm(milliseconds: 25_000)])
    #expect(talk.written(2) == [])
    #expect(talk.closed(2) == [])
    #expect(talk.deliver("e1") == [respond(3, "e1", plain("3")), .disarm])
  }

  @Test("a late report on an older reply starts no grace while a newer one is on its way")
  func lateReport() {
    var talk = Conversation()
    _ = talk.poll(1)
    _ = talk.poll(2, timeout: 0)
    #expect(talk.written(1) == [])
    #expect(talk.written(2) == [.arm(milliseconds: 10_000)])
  }

  @Test("another request takes the queue, before its replies, and is not expected to connect: the grace starts anew")
  func otherRequest() {
    var talk = Conversation.connected()
    _ = talk.deliver([event("e1", at: 1)])
    #expect(talk.post(2, "r1", "r2") == [respond(2, "e1", "r1", "r2"), .arm(milliseconds: 10_000)])
    #expect(talk.written(2) == [.delivered([mark(1)])])
  }

  @Test("while what was written last is in doubt, only a connect takes what comes after it")
  func requestInDoubt() {
    var talk = Conversation.connected()
    _ = talk.deliver([event("e1", at: 1)])
    talk.session.isInDoubt = true
    #expect(talk.post(2, "r1") == [respond(2, "r1"), .arm(milliseconds: 10_000)])
    #expect(talk.written(2) == [])
    #expect(talk.poll(3).contains(respond(3, "e1", plain)))
  }

  @Test("another request while a connect is held leaves the hold alone")
  func otherRequestWhileHeld() {
    var talk = Conversation.holding()
    #expect(talk.post(3, "r") == [respond(3, "r")])
    #expect(talk.session.isHolding)
    #expect(talk.written(3) == [])
  }

  @Test("events that come while another request is worked through leave with its response; the held connect stays")
  func announcedRequest() {
    var talk = Conversation.holding()
    talk.session.requestBegan(ExchangeID(rawValue: 3))
    #expect(talk.deliver("e1") == [])
    #expect(talk.post(3, "r") == [respond(3, "e1", "r")])
    #expect(talk.session.isHolding)
    #expect(talk.deliver("e2") == [respond(2, "e2", plain), .disarm])
  }

  @Test("if the announced request's client leaves, the held connect takes the events after all")
  func announcedRequestLeaves() {
    var talk = Conversation.holding()
    talk.session.requestBegan(ExchangeID(rawValue: 3))
    _ = talk.deliver("e1")
    #expect(talk.closed(3) == [respond(2, "e1", plain), .disarm])
  }

  @Test("when another request's response fails, the held connect takes its events at once")
  func failedOtherResponse() {
    var talk = Conversation.connected()
    _ = talk.deliver("e1")
    _ = talk.post(2, "r")
    _ = talk.poll(3)
    #expect(talk.written(2, false) == [respond(3, "e1", plain), .disarm])
  }

  @Test(
    "with two responses in flight each event goes back to its place, whichever fails first",
    arguments: [true, false])
  func twoFailures(firstFirst: Bool) {
    var talk = Conversation.connected()
    _ = talk.deliver("e1", "e2")
    _ = talk.post(2, "r")
    _ = talk.deliver("e3")
    _ = talk.post(3, "r")
    _ = talk.deliver("e4")
    _ = talk.written(firstFirst ? 2 : 3, false)
    _ = talk.written(firstFirst ? 3 : 2, false)
    #expect(talk.poll(4) == [respond(4, "e1", "e2", "e3", "e4", plain), .disarm])
  }

  @Test("a position is not reported while an earlier event is not through")
  func gap() {
    var talk = Conversation.connected()
    _ = talk.deliver([event("e1", at: 1)])
    _ = talk.post(2, "r")
    _ = talk.deliver([event("e2", at: 2)])
    _ = talk.post(3, "r")
    #expect(talk.written(3) == [])
    #expect(talk.written(2, false) == [])
    #expect(talk.poll(4) == [respond(4, "e1", plain), .disarm])
    #expect(talk.written(4) == [.delivered([mark(1), mark(2)]), .arm(milliseconds: 10_000)])
  }

  @Test("advice is owed again if the reply that carried it was not written")
  func owedAdvice() {
    var talk = Conversation()
    _ = talk.poll(1)
    _ = talk.written(1, false)
    _ = talk.poll(2)
    #expect(talk.elapse() == [respond(2, advised)])
    _ = talk.written(2)
    _ = talk.poll(3)
    #expect(talk.elapse() == [respond(3, plain)])
  }

  @Test("what the client turns out not to have goes before all that waits, with the request that showed it")
  func redelivered() {
    var talk = Conversation.connected()
    _ = talk.deliver([event("e1", at: 1)])
    _ = talk.poll(2)
    #expect(talk.written(2) == [.delivered([mark(1)]), .arm(milliseconds: 10_000)])
    _ = talk.deliver([event("e2", at: 2)])
    #expect(talk.session.received(.redeliver([event("e1", at: 1)])) == [])
    #expect(talk.poll(3) == [respond(3, "e1", "e2", plain), .disarm])
    #expect(talk.written(3) == [.delivered([mark(1), mark(2)]), .arm(milliseconds: 10_000)])
    #expect(!talk.session.hasUndelivered)
  }

  @Test("a client is there while a connect waits or is answered, and not in the time that it is given to come again")
  func live() {
    var talk = Conversation.connected()
    #expect(!talk.session.isLive)
    _ = talk.poll(2)
    #expect(talk.session.isLive)
    _ = talk.deliver("e1")
    #expect(talk.session.isLive)
    _ = talk.written(2)
    #expect(!talk.session.isLive)
    _ = talk.poll(3)
    _ = talk.closed(3)
    #expect(!talk.session.isLive)
    _ = talk.frame(7, connect())
    _ = talk.written(7)
    #expect(talk.session.isLive)
    _ = talk.closed(7)
    #expect(!talk.session.isLive)
  }
}
