import Bayeux
import Testing

@Suite("The timesync extension")
struct TimeSyncTests {
  /// What a message with this extension is answered with, 7 ms after it came at 1,000.
  private func reply(_ timesync: String) throws -> String {
    let json = #"{"channel":"/meta/subscribe","subscription":"/a","ext":{"timesync":\#(timesync)}}"#
    let message = try #require(try BayeuxDecoder.decode(Array(json.utf8)).first)
    let timesync = message.timesync?.arrived(at: 1_000).answered(at: 1_007)
    let reply = BayeuxReply.subscription(to: message, clientID: "c", timesync: timesync)
    return String(decoding: reply, as: UTF8.self)
  }

  @Test(
    "tells the client our clock, how long it waited, and by how much its own guess is wrong",
    arguments: [
      (#"{"tc":900}"#, #"{"tc":900,"ts":1000,"p":7}"#),
      (#"{"tc":900,"l":0,"o":0}"#, #"{"tc":900,"ts":1000,"p":7,"a":-100}"#),
      (#"{"tc":900,"l":30,"o":40}"#, #"{"tc":900,"ts":1000,"p":7,"a":-30}"#),
      (#"{"tc":900,"l":30}"#, #"{"tc":900,"ts":1000,"p":7,"a":-70}"#),
      (#"{"tc":900,"l":125,"o":0,"more":[1]}"#, #"{"tc":900,"ts":1000,"p":7,"a":25}"#),
      (#"{"tc":-9223372036854775808}"#, nil), (#"{"tc":9007199254740993}"#, nil),
      (#"{"tc":900,"l":-9223372036854775808,"o":9223372036854775807}"#, #"{"tc":900,"ts":1000,"p":7}"#),
      (#"{"tc":900.5}"#, nil), (#"{"tc":1e300}"#, nil), ("7", nil), ("{}", nil), (#"{"l":1}"#, nil),
      // Near enough.
      (#"{"tc":900,"l":50,"o":60}"#, nil), (#"{"tc":900,"l":124,"o":0}"#, nil),
    ])
  func answers(asked: String, answer: String?) throws {
    let plain = #"{"channel":"/meta/subscribe","successful":true,"clientId":"c","subscription":"/a""#
    #expect(try reply(asked) == plain + (answer.map { #","ext":{"timesync":\#($0)}}"# } ?? "}"))
  }

  @Test("a connect that was held says for how long, beside the number of its batch")
  func held() {
    for acknowledges in [false, true] {
      var talk = Conversation.connected(acknowledges: acknowledges)
      #expect(!talk.session.tellsTime)
      var request = ConnectRequest(acknowledged: acknowledges ? 1 : nil)
      request.timesync = (try? BayeuxDecoder.decode(Array(#"{"ext":{"timesync":{"tc":5}}}"#.utf8)))?.first?.timesync?
        .arrived(at: 2_000)
      _ = talk.session.received(
        .request(exchange: ExchangeID(rawValue: 2), transport: .longPolling, replies: [.connect(request)]))
      #expect(talk.session.tellsTime)
      talk.session.note(time: 2_300)
      let ext = (acknowledges ? #""ack":1,"# : "") + #""timesync":{"tc":5,"ts":2000,"p":300}"#
      #expect(
        talk.elapse() == [respond(2, #"{"channel":"/meta/connect","successful":true,"ext":{\#(ext)}}"#)])
      #expect(!talk.session.tellsTime)
    }
  }

  @Test("a handshake is told too")
  func handshake() {
    let message = (try? BayeuxDecoder.decode(Array(#"{"ext":{"ack":true,"timesync":{"tc":5}}}"#.utf8)))?.first
    let reply = BayeuxReply.handshakeSucceeded(
      id: nil, clientID: "c", connectionTypes: [.longPolling], timeoutMilliseconds: 1, acknowledges: true,
      timesync: message?.timesync?.arrived(at: 9))
    #expect(
      String(decoding: reply, as: UTF8.self).hasSuffix(#""ext":{"ack":true,"timesync":{"tc":5,"ts":9,"p":0}}}"#))
  }
}
