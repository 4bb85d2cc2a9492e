import Bayeux
import Testing

@Suite("Session, with lazy messages")
struct SessionLazyTests {
  private func lazy(_ name: String) -> QueuedMessage {
    QueuedMessage(bytes: Array(name.utf8), mark: nil, isLazy: true)
  }

  @Test("one wakes no connect; it leaves with the next that does")
  func rides() {
    var talk = Conversation.holding()
    #expect(talk.deliver([lazy("z1")]) == [])
    #expect(talk.deliver("e1") == [respond(2, "z1", "e1", plain), .disarm])
  }

  @Test("it leaves when it has waited long enough")
  func elapses() {
    var talk = Conversation.holding()
    _ = talk.deliver([lazy("z1"), lazy("z2")])
    #expect(talk.session.received(.lazyElapsed) == [respond(2, "z1", "z2", plain), .disarm])
  }

  @Test("it leaves when the connect's own time is up")
  func timesOut() {
    var talk = Conversation.holding()
    _ = talk.deliver([lazy("z1")])
    #expect(talk.elapse() == [respond(2, "z1", plain)])
  }

  @Test("it leaves with the answer to another request")
  func otherRequest() {
    var talk = Conversation.holding()
    _ = talk.deliver([lazy("z1")])
    #expect(talk.post(3, "r") == [respond(3, "z1", "r")])
    #expect(talk.session.isHolding)
  }

  @Test("a connect is held beside it, but not beside one that has waited long enough")
  func held() {
    var talk = Conversation.connected()
    _ = talk.deliver([lazy("z1")])
    #expect(talk.poll(2) == [.arm(milliseconds: 25_000)])
    talk = .connected()
    _ = talk.deliver([lazy("z1")])
    #expect(talk.session.received(.lazyElapsed) == [])
    #expect(talk.poll(2) == [respond(2, "z1", plain), .disarm])
  }

  @Test("over a socket it waits as well")
  func socket() {
    var talk = Conversation.connected()
    _ = talk.frame(9, ready("r"))
    _ = talk.written(9)
    #expect(talk.deliver([lazy("z1")]) == [])
    #expect(talk.session.received(.lazyElapsed) == [respond(9, "z1")])
    _ = talk.written(9)
    _ = talk.deliver([lazy("z2")])
    #expect(talk.deliver("e1") == [respond(9, "z2", "e1")])
  }

  @Test("it counts for the bounds of the queue")
  func overflow() {
    var settings = SessionSettings()
    settings.queueMessagesMaximum = 1
    var talk = Conversation.connected(settings: settings)
    #expect(talk.deliver([lazy("z1")]) == [])
    #expect(talk.deliver([lazy("z2")]) == [.disarm, .ended(.overflowed)])
    #expect(talk.session.received(.lazyElapsed) == [])
  }

  @Test("a request that is answered past the session lets what waited for it go")
  func forgone() {
    var talk = Conversation.holding()
    talk.session.requestBegan(ExchangeID(rawValue: 3))
    #expect(talk.deliver("e1") == [])
    #expect(talk.session.requestForgone(ExchangeID(rawValue: 3)) == [respond(2, "e1", plain), .disarm])
    #expect(talk.session.requestForgone(ExchangeID(rawValue: 3)) == [])
  }
}
