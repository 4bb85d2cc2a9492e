import Bayeux
import Testing

@Suite("Session, with the acknowledgment extension")
struct SessionAcknowledgeTests {
  let firstReply =
    #"{"channel":"/meta/connect","successful":true,"#
    + #""advice":{"reconnect":"retry","interval":0,"timeout":30000},"ext":{"ack":1}}"#

  @Test("sends again what was not acknowledged, under a new number, before what is newer")
  func transcript() {
    var talk = Conversation(acknowledges: true)
    #expect(talk.poll(1, acknowledged: 0) == [respond(1, firstReply), .disarm])
    _ = talk.written(1)
    _ = talk.deliver([event("data 1", at: 1)])
    #expect(talk.poll(2, acknowledged: 0) == [respond(2, "data 1", closing(at: 1)), .disarm])
    // The response is lost on its way, though it could be written.
    #expect(talk.written(2) == [.arm(milliseconds: 10_000)])
    _ = talk.deliver([event("data 2", at: 2)])
    #expect(talk.poll(3, acknowledged: 0) == [respond(3, "data 1", "data 2", closing(at: 2)), .disarm])
    _ = talk.written(3)
    #expect(
      talk.poll(4, acknowledged: number(at: 1)) == [
        .delivered([mark(1)]), respond(4, "data 2", closing(at: 2, 1)), .disarm,
      ])
    _ = talk.written(4)
    #expect(talk.session.hasUndelivered)
    #expect(talk.poll(5, acknowledged: number(at: 2, 1)) == [.delivered([mark(2)]), .arm(milliseconds: 25_000)])
    #expect(!talk.session.hasUndelivered)
  }

  @Test("something to send again makes the connect be answered at once")
  func resendAtOnce() {
    var talk = Conversation.holding(acknowledges: true)
    #expect(talk.deliver("e1") == [respond(2, "e1", closing(2)), .disarm])
    _ = talk.written(2)
    #expect(talk.poll(3, acknowledged: 1) == [respond(3, "e1", closing(3)), .disarm])
  }

  @Test("events leave with connect replies only")
  func connectOnly() {
    var talk = Conversation.connected(acknowledges: true)
    _ = talk.deliver("e1")
    #expect(talk.post(2, "r") == [respond(2, "r"), .arm(milliseconds: 10_000)])
    #expect(talk.poll(3, acknowledged: 1, with: [ready("r")]) == [respond(3, "r", "e1", closing(2)), .disarm])
  }

  @Test("an event wakes the held connect even while another request is worked through, for that will not take it")
  func announcedRequest() {
    var talk = Conversation.holding(acknowledges: true)
    talk.session.requestBegan(ExchangeID(rawValue: 3))
    #expect(talk.deliver("e1") == [respond(2, "e1", closing(2)), .disarm])
  }

  @Test("a failed write puts the events back; a number acknowledged meanwhile takes them off again")
  func failedWrite() {
    var talk = Conversation.holding(acknowledges: true)
    _ = talk.deliver([event("e1", at: 1)])
    #expect(talk.written(2, false) == [.arm(milliseconds: 10_000)])
    #expect(talk.session.hasQueued)
    // The client has it nevertheless.
    #expect(talk.poll(3, acknowledged: number(at: 1)) == [.delivered([mark(1)]), .arm(milliseconds: 25_000)])
    #expect(!talk.session.hasUndelivered)
  }

  @Test("a failure of an older response does not take back what a newer one carries")
  func overlappingConnects() {
    var talk = Conversation.holding(acknowledges: true)
    _ = talk.deliver("e1")
    #expect(talk.poll(3, acknowledged: 1) == [respond(3, "e1", closing(3))])
    #expect(talk.written(2, false) == [])
    #expect(!talk.session.hasQueued)
    _ = talk.written(3)
    #expect(talk.poll(4, acknowledged: 3) == [.arm(milliseconds: 25_000)])
  }

  @Test("the events of a response with two connect replies come back when it fails")
  func twoReplies() {
    var talk = Conversation.connected(acknowledges: true)
    _ = talk.deliver("e1")
    _ = talk.session.received(
      .request(
        exchange: ExchangeID(rawValue: 2), transport: .longPolling,
        replies: [connect(acknowledged: 1), connect(acknowledged: 1)]))
    _ = talk.written(2, false)
    #expect(talk.session.hasQueued)
  }

  @Test("a connect without a number neither acknowledges nor asks for more")
  func noNumber() {
    var talk = Conversation.holding(acknowledges: true)
    _ = talk.deliver("e1")
    _ = talk.written(2)
    #expect(talk.poll(3) == [.arm(milliseconds: 25_000)])
    #expect(talk.session.hasUndelivered)
  }

  @Test("a client that never acknowledges is dropped at the bound")
  func neverAcknowledges() {
    var settings = SessionSettings()
    settings.queueMessagesMaximum = 2
    var talk = Conversation.connected(acknowledges: true, settings: settings)
    for exchange in 2...3 as ClosedRange<UInt64> {
      _ = talk.poll(exchange)
      _ = talk.deliver("e")
      _ = talk.written(exchange)
    }
    #expect(talk.deliver("e") == [.disarm, .ended(.overflowed)])
  }

  @Test("-1 of an old client in its first connect is taken")
  func minusOne() {
    var talk = Conversation(acknowledges: true)
    _ = talk.deliver("e1")
    let actions = talk.poll(1, acknowledged: -1)
    #expect(actions.count == 2)
    #expect(talk.session.hasUndelivered)
  }

  @Test("after a restart the numbers go on where the client saw them, so that an old one covers nothing new")
  func restored() {
    var talk = Conversation(
      BayeuxSession(restoring: "c1", settings: SessionSettings(), acknowledges: true, isConnected: true))
    _ = talk.session.restored()
    #expect(talk.poll(1, acknowledged: 7) == [.arm(milliseconds: 25_000)])
    guard case .respond(_, let messages) = talk.deliver("e1").first else {
      Issue.record("The held connect was not answered.")
      return
    }
    #expect(String(decoding: messages[1], as: UTF8.self).contains(#""ext":{"ack":8}"#))
    #expect(talk.written(1, false) == [.arm(milliseconds: 10_000)])
    #expect(talk.poll(2, acknowledged: 7).contains { if case .respond = $0 { true } else { false } })
  }

  @Test("numbers are learnt once: a wrong one later does not move them")
  func learntOnce() {
    var talk = Conversation(
      BayeuxSession(restoring: "c1", settings: SessionSettings(), acknowledges: true, isConnected: true))
    _ = talk.poll(1, timeout: 0, acknowledged: 7)
    _ = talk.poll(2, acknowledged: 50)
    #expect(talk.deliver("e1").first == respond(2, "e1", closing(8)))
  }

  @Test("survives any number a client may name", arguments: [Int.max, Int.min])
  func extremes(number: Int) {
    var talk = Conversation(
      BayeuxSession(restoring: "c1", settings: SessionSettings(), acknowledges: true, isConnected: true))
    _ = talk.poll(1, timeout: 0, acknowledged: number)
    #expect(talk.poll(2, timeout: 0, acknowledged: number).isEmpty == false)
  }

  @Test("numbers are made of positions: after a restart the client is not sent again what it says it has")
  func readFromNumber() {
    // What was acknowledged had reached the disk up to 3 only; the client has 5.
    var talk = Conversation(
      BayeuxSession(
        restoring: "c1", settings: SessionSettings(), acknowledges: true, isConnected: false, delivered: ["chat": 3]))
    _ = talk.session.restored()
    _ = talk.deliver((4...6).map { event("e\($0)", at: $0) })
    let actions = talk.poll(1, acknowledged: number(at: 5, 2))
    #expect(actions.first == .delivered([mark(4), mark(5)]))
    #expect(actions.dropFirst().first == respond(1, "e6", advisedClosing(at: 6)))
    _ = talk.written(1)
    #expect(talk.poll(2, acknowledged: number(at: 6)) == [.delivered([mark(6)]), .arm(milliseconds: 25_000)])
  }

  @Test("a number that could speak of several chats, or of none, takes nothing away")
  func doubtfulNumbers() {
    for (source, number) in [("other", number(at: 5)), ("chat", 7), ("chat", 1 << 30 + 5)] {
      var talk = Conversation(
        BayeuxSession(restoring: "c1", settings: SessionSettings(), acknowledges: true, isConnected: false))
      let other = QueuedMessage(bytes: Array("o".utf8), mark: DeliveryMark(source: source, position: 1))
      _ = talk.deliver([event("e1", at: 1), other])
      guard case .respond(_, let messages) = talk.poll(1, acknowledged: number).first else {
        Issue.record("the connect is not answered")
        return
      }
      #expect(messages.count == 3)
    }
  }

  @Test("on a socket events end the held connect, as in long polling")
  func webSocket() {
    var talk = Conversation(acknowledges: true)
    #expect(talk.frame(7, connect(acknowledged: 0)) == [respond(7, firstReply), .disarm])
    _ = talk.written(7)
    #expect(talk.frame(7, connect(acknowledged: 1)) == [.arm(milliseconds: 25_000)])
    #expect(talk.deliver("e1") == [respond(7, "e1", closing(2)), .disarm])
    #expect(talk.written(7, false) == [.arm(milliseconds: 10_000)])
    #expect(talk.frame(8, connect(acknowledged: 1)) == [respond(8, "e1", closing(3)), .disarm])
  }
}
