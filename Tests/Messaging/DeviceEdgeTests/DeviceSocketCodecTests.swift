import MCSProtocol
import Testing

@testable import DeviceEdge

@Suite("Device's socket, its words")
struct DeviceSocketCodecTests {
  private func stanza(_ text: String, _ codec: inout DeviceSocketCodec) throws(MCSViolation) -> MCSStanza {
    let bytes = Array(text.utf8)
    let result = bytes.withUnsafeBytes { buffer in
      Result { () throws(MCSViolation) -> MCSStanza in try codec.stanza(buffer) }
    }
    return try result.get()
  }

  @Test(
    "what is none of the things that a client says ends the connection",
    arguments: [
      "", "{}", "[]", "null", #"{"type":7}"#, #"{"type":"no"}"#, #"{"type":"login"}"#, #"{"type":"login","id":"1"}"#,
      #"{"type":"login","id":"1","token":"2","received":[1]}"#, #"{"type":"login","id":1,"token":2}"#,
      #"{"type":"ack"}"#, #"{"type":"ack","ids":"a"}"#, #"{"type":"status","idle":1}"#,
      #"{"type":"upstream","id":"a","to":"b"}"#,
      #"{"type":"upstream","id":"a","to":"b","category":"c","data":{"k":1}}"#,
      #"{"type":"ack","ids":[[[[[[]]]]]]}"#,
    ])
  func malformed(_ text: String) {
    #expect(throws: MCSViolation.malformed) {
      var codec = DeviceSocketCodec()
      _ = try stanza(text, &codec)
    }
  }

  @Test("numbers beyond all bounds are cut, not trapped on")
  func bounds() throws {
    var codec = DeviceSocketCodec()
    _ = try stanza(#"{"type":"login","id":"1","token":"2","heartbeat":9223372036854775807}"#, &codec)
    _ = try stanza(
      #"{"type":"upstream","id":"a","to":"b","category":"c","ttl":-9223372036854775808}"#, &codec)
  }
}
