import Bayeux
import JSONEnvelope
import Testing

@Suite("Replies")
struct BayeuxReplyTests {
  func message(_ text: String) throws -> BayeuxMessage {
    try #require(try BayeuxDecoder.decode(Array(text.utf8)).first)
  }

  func json(_ reply: [UInt8]) throws -> JSONValue { try JSONValue(parsing: reply) }

  @Test("to a handshake name the client, what we offer and what to do next")
  func handshake() throws {
    #expect(
      try json(
        BayeuxReply.handshakeSucceeded(
          id: text("1"), clientID: "4z1m", connectionTypes: [.longPolling, .webSocket], timeoutMilliseconds: 30_000,
          acknowledges: false)) == [
          "id": "1", "channel": "/meta/handshake", "version": "1.0", "minimumVersion": "1.0", "clientId": "4z1m",
          "supportedConnectionTypes": ["long-polling", "websocket"], "successful": true,
          "advice": ["reconnect": "retry", "interval": 0, "timeout": 30_000],
        ])
    let granted = try json(
      BayeuxReply.handshakeSucceeded(
        id: nil, clientID: "c", connectionTypes: [.webSocket, .longPolling], timeoutMilliseconds: 1, acknowledges: true)
    )
    #expect(granted["ext"] == ["ack": true])
    #expect(granted["id"] == nil)
    #expect(granted["supportedConnectionTypes"] == ["websocket", "long-polling"])
  }

  @Test("to a handshake without a common connection type end it")
  func handshakeRefused() throws {
    let reply = try json(
      BayeuxReply.handshakeRefused(id: text("1"), offered: ["flash", "a:b,c"], connectionTypes: [.longPolling]))
    #expect(reply["successful"] == false)
    #expect(reply["error"] == "301:flash,abc:Connection types not supported")
    #expect(reply["advice"] == ["reconnect": "none"])
    #expect(reply["clientId"] == nil)
  }

  @Test("to a subscribe repeat the subscription as it came, and the client's id")
  func subscribe() throws {
    let request = try message(#"{"id":"3","channel":"/meta/subscribe","clientId":"c","subscription":["/_genesys"]}"#)
    #expect(
      try json(BayeuxReply.subscription(to: request, clientID: "c")) == [
        "id": "3", "channel": "/meta/subscribe", "clientId": "c", "subscription": ["/_genesys"], "successful": true,
      ])
    #expect(
      try json(BayeuxReply.subscription(to: request, clientID: "c", error: .subscribeDenied)) == [
        "id": "3", "channel": "/meta/subscribe", "clientId": "c", "subscription": ["/_genesys"], "successful": false,
        "error": "403::subscribe_denied",
      ])
  }

  @Test(
    "to an unknown client advise a handshake on connect and handshake only",
    arguments: [
      ("/meta/connect", true), ("/meta/handshake", true), ("/meta/subscribe", false), ("/meta/disconnect", false),
      ("/chat", false),
    ])
  func unknownClient(channel: String, isAdvised: Bool) throws {
    let reply = try json(BayeuxReply.unknownClient(to: message(#"{"channel":"\#(channel)","id":"8"}"#)))
    #expect(reply["error"] == "402::Unknown client")
    #expect(reply["successful"] == false && reply["id"] == "8" && reply["channel"]?.string == channel)
    #expect(reply["advice"] == (isAdvised ? ["reconnect": "handshake", "interval": 0] : nil))
  }

  @Test("to a message without channel have none either")
  func noChannel() throws {
    let reply = try json(BayeuxReply.failure(to: message(#"{"id":"8"}"#), error: .channelMissing))
    #expect(reply == ["id": "8", "successful": false, "error": "400::channel_missing"])
  }

  @Test("to a publish never carry data")
  func publish() throws {
    let request = try message(#"{"id":"5","channel":"/chat/x","clientId":"c","data":{"a":1}}"#)
    #expect(
      try json(BayeuxReply.failure(to: request, error: .publishDenied)) == [
        "id": "5", "channel": "/chat/x", "successful": false, "error": "403::publish_denied",
      ])
    #expect(try json(BayeuxReply.published(to: request)) == ["id": "5", "channel": "/chat/x", "successful": true])
  }

  @Test("to a disconnect name the client")
  func disconnect() throws {
    #expect(
      try json(BayeuxReply.disconnected(id: text("9"), clientID: "c")) == [
        "id": "9", "channel": "/meta/disconnect", "clientId": "c", "successful": true,
      ])
  }

  @Test(
    "have error strings of three fields, whatever goes in",
    arguments: [
      (BayeuxError.unknownClient, "402::Unknown client"), (.channelMissing, "400::channel_missing"),
      (.channelInvalid, "405::channel_invalid"), (.subscriptionMissing, "403::subscription_missing"),
      (.subscriptionInvalid, "403::subscription_invalid"), (.subscribeDenied, "403::subscribe_denied"),
      (.publishDenied, "403::publish_denied"),
      (BayeuxError(404, ["/a:b", "x,y"], "gone: away"), "404:/ab,xy:gone away"),
    ])
  func errors(error: BayeuxError, text: String) {
    #expect(error.description == text)
  }

  @Test("repeat a channel name safely escaped")
  func escaping() throws {
    let reply = BayeuxReply.failure(to: try message(#"{"channel":"/\"},{\""}"#), error: .publishDenied)
    #expect(try json(reply)["channel"] == #"/"},{""#)
  }

  @Test("events hold their data as it is")
  func event() {
    let bytes = BayeuxEvent.message(channel: "/_genesys", data: Array(#"{"id":"3f", "n":1}"#.utf8))
    #expect(String(decoding: bytes, as: UTF8.self) == #"{"channel":"/_genesys","data":{"id":"3f", "n":1}}"#)
  }
}
