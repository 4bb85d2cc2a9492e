import Bayeux
import JSONEnvelope
import Testing

@Suite("A request body, decoded")
struct BayeuxDecoderTests {
  func decode(_ text: String, limits: BayeuxLimits = BayeuxLimits()) throws -> [BayeuxMessage] {
    try BayeuxDecoder.decode(Array(text.utf8), limits: limits)
  }

  func decodeOne(_ text: String) throws -> BayeuxMessage {
    let messages = try decode(text)
    #expect(messages.count == 1)
    return try #require(messages.first)
  }

  @Test("gives a handshake's fields")
  func handshake() throws {
    let message = try decodeOne(
      #"""
      [{ "id":"1", "channel":"/meta/handshake", "version":"1.0", "minimumVersion":"0.9", "clientId":"stale",
         "supportedConnectionTypes":["websocket","long-polling"],
         "ext":{"ack":true, "gms_user":"u-1", "serviceId":"412-x", "other":{"a":[1]}} }]
      """#)
    #expect(message.channel == "/meta/handshake")
    #expect(message.id == Array(#""1""#.utf8))
    #expect(message.version == "1.0")
    #expect(message.clientID == "stale")
    #expect(message.supportedConnectionTypes == ["websocket", "long-polling"])
    #expect(message.wantsAcknowledgment)
    #expect(message.acknowledged == nil)
    #expect(message.userKey == "u-1")
    #expect(message.serviceID == "412-x")
    #expect(
      message.ext
        == Array(#"{"ack":true, "gms_user":"u-1", "serviceId":"412-x", "other":{"a":[1]}}"#.utf8))
  }

  @Test("gives a connect's fields; no id stays no id")
  func connect() throws {
    let message = try decodeOne(
      #"[{"channel":"/meta/connect","clientId":"c","connectionType":"long-polling","#
        + #""advice":{"timeout":0,"interval":2000,"x":[]},"ext":{"ack":12}}]"#)
    #expect(message.id == nil)
    #expect(message.adviceTimeout == 0)
    #expect(message.adviceInterval == 2_000)
    #expect(message.acknowledged == 12)
    #expect(!message.wantsAcknowledgment)
  }

  @Test("may be one bare message")
  func bare() throws {
    let message = try decodeOne(#" {"channel":"/meta/disconnect","clientId":"c"} "#)
    #expect(message.channel == "/meta/disconnect")
  }

  @Test("keeps the order of messages")
  func order() throws {
    let channels = try decode(#"[{"channel":"/a"},{"channel":"/b"},{}]"#).map(\.channel)
    #expect(channels == ["/a", "/b", nil])
  }

  @Test(
    "gives the transcript position from ext, else from the top level, as number or digits",
    arguments: [
      (#"{"ext":{"transcriptPosition":"4"}}"#, 4), (#"{"ext":{"transcriptPosition":4}}"#, 4),
      (#"{"transcriptPosition":"4"}"#, 4), (#"{"transcriptPosition":4.0}"#, 4), (#"{"transcriptPosition":0}"#, 0),
      (#"{"transcriptPosition":9,"ext":{"transcriptPosition":"4"}}"#, 4),
      (#"{"ext":{"transcriptPosition":"4"},"transcriptPosition":9}"#, 4),
      (#"{"ext":{"transcriptPosition":"x"},"transcriptPosition":9}"#, 9),
      (#"{"ext":{"transcriptPosition":-1}}"#, nil), (#"{"transcriptPosition":"-1"}"#, nil),
      (#"{"transcriptPosition":"+1"}"#, nil), (#"{"transcriptPosition":""}"#, nil),
      (#"{"transcriptPosition":1.5}"#, nil),
      (#"{"transcriptPosition":"99999999999999999999"}"#, nil), (#"{"transcriptPosition":[4]}"#, nil), (#"{}"#, nil),
    ])
  func position(text: String, position: Int?) throws {
    #expect(try decodeOne(text).transcriptPosition == position)
  }

  @Test("gives a subscription, one or several, and its text as it came")
  func subscription() throws {
    var message = try decodeOne(#"{"subscription":"\/_genesys"}"#)
    #expect(message.subscription == ["/_genesys"])
    #expect(message.subscriptionText == Array(#""\/_genesys""#.utf8))
    message = try decodeOne(#"{"subscription":[ "/a", "/b" ]}"#)
    #expect(message.subscription == ["/a", "/b"])
    #expect(message.subscriptionText == Array(#"[ "/a", "/b" ]"#.utf8))
    message = try decodeOne(#"{"subscription":["/a",1]}"#)
    #expect(message.subscription == nil)
    #expect(message.subscriptionText == Array(#"["/a",1]"#.utf8))
    message = try decodeOne(#"{"subscription":null}"#)
    #expect(message.subscriptionText == nil)
  }

  @Test("takes a field of the wrong kind for absent")
  func wrongKinds() throws {
    let message = try decodeOne(
      #"{"channel":5,"clientId":["c"],"id":{},"version":1.0,"connectionType":null,"#
        + #""supportedConnectionTypes":"x","subscription":{},"advice":"a","ext":[1]}"#)
    var expected = BayeuxMessage()
    expected.subscriptionText = Array("{}".utf8)
    #expect(message == expected)
    let advice = try decodeOne(#"{"advice":{"timeout":-1,"interval":"5"},"ext":{"ack":"1","gms_user":7}}"#)
    #expect(advice.adviceTimeout == nil && advice.adviceInterval == nil)
    #expect(advice.acknowledged == nil && advice.userKey == nil)
  }

  @Test("takes the last of repeated fields, with all that hangs on it")
  func repeated() throws {
    let message = try decodeOne(#"{"channel":"/a","ext":{"gms_user":"u","ack":true},"channel":"/b","ext":{"ack":3}}"#)
    #expect(message.channel == "/b")
    #expect(message.userKey == nil)
    #expect(!message.wantsAcknowledgment && message.acknowledged == 3)
  }

  @Test("knows its fields also when their names are written with escapes")
  func escapedNames() throws {
    #expect(try decodeOne(#"{"ch\u0061nnel":"/\u0061"}"#).channel == "/a")
  }

  @Test("keeps data as it came, any value", arguments: ["null", "{ \"a\" : [1.0] }", "\"x\\n\"", "[[]]", "-0.0"])
  func data(text: String) throws {
    #expect(try decodeOne(#"{"data": \#(text) ,"x":1}"#).data == Array(text.utf8))
  }

  @Test("takes a number for an id, as it came")
  func numericID() throws {
    #expect(try decodeOne(#"{"id":17}"#).id == Array("17".utf8))
  }

  @Test(
    "is refused when it is no array of messages",
    arguments: [
      ("[]", .empty), (" [ ] ", .empty), ("[1]", .notAMessage), ("[[]]", .notAMessage), (#"[{},"x"]"#, .notAMessage),
      ("null", .notAMessage), (#""x""#, .notAMessage), ("7", .notAMessage),
      ("", .malformed(JSONError(.unexpectedEnd, at: 0))), ("[{}", .malformed(JSONError(.unexpectedEnd, at: 3))),
      ("[{}]]", .malformed(JSONError(.trailingBytes, at: 4))), ("{}{}", .malformed(JSONError(.trailingBytes, at: 2))),
      ("[{},]", .malformed(JSONError(.unexpectedByte, at: 4))),
      (#"[{"x":"\ud800"}]"#, .malformed(JSONError(.loneSurrogate, at: 7))),
      (#"[{"x":01}]"#, .malformed(JSONError(.invalidNumber, at: 7))),
    ] as [(String, BayeuxDecodingError)])
  func refused(text: String, error: BayeuxDecodingError) {
    #expect(throws: error) { try decode(text) }
  }

  @Test("is refused beyond its limits")
  func limits() {
    func many(_ count: Int) -> String { "[" + Array(repeating: "{}", count: count).joined(separator: ",") + "]" }
    // More than are worked through are read all the same: each of them is to be refused under its own id.
    #expect(throws: Never.self) { try decode(many(1_024)) }
    #expect(throws: BayeuxDecodingError.tooManyMessages) { try decode(many(1_025)) }
    func list(_ count: Int) -> String {
      #"{"subscription":["# + Array(repeating: #""/a""#, count: count).joined(separator: ",") + "]}"
    }
    #expect(throws: Never.self) { try decode(list(32)) }
    #expect(throws: BayeuxDecodingError.fieldTooLong) { try decode(list(33)) }
    #expect(throws: BayeuxDecodingError.fieldTooLong) {
      try decode(#"{"id":"\#(String(repeating: "1", count: 200))"}"#)
    }
    #expect(throws: BayeuxDecodingError.fieldTooLong) {
      try decode(#"{"subscription":"/\#(String(repeating: "a", count: 9_000))"}"#)
    }
    let deep = String(repeating: "[", count: 63) + String(repeating: "]", count: 63)
    #expect(throws: BayeuxDecodingError.malformed(JSONError(.tooDeep, at: 71))) { try decode(#"[{"data":\#(deep)}]"#) }
    var small = BayeuxLimits()
    small.json.documentBytesMaximum = 3
    #expect(throws: BayeuxDecodingError.malformed(JSONError(.tooLong, at: 3))) { try decode("[{}]", limits: small) }
  }
}
