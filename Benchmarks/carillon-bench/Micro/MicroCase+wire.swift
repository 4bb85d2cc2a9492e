import Bayeux
import CarillonClient
import HTTPKit
import JSONEnvelope
import NIOCore

/// What a message costs on the wire.
extension MicroCase {
  static var wire: [MicroCase] { [bayeuxParse, bayeuxPrint, jsonWrite, httpParse] }

  private static var bayeuxParse: MicroCase {
    MicroCase(name: "bayeux.parse", about: "a connect") {
      let bytes = Array(
        #"[{"id":"4","channel":"/meta/connect","clientId":"8f14e45fceea167a","connectionType":"long-polling"}]"#.utf8)
      return { count in
        for _ in 0..<count { keep(try BayeuxDecoder.decode(bytes)) }
      }
    }
  }

  private static var bayeuxPrint: MicroCase {
    MicroCase(name: "bayeux.print", about: "a chat's event and the reply to a connect") {
      let (data, id) = (notification(), Array(#""4""#.utf8))
      return { count in
        for _ in 0..<count {
          keep(BayeuxEvent.message(channel: "/_genesys", data: data))
          keep(BayeuxReply.connected(id: id))
        }
      }
    }
  }

  private static var jsonWrite: MicroCase {
    MicroCase(name: "json.write", about: "a chat's notification with one message") {
      { count in
        for _ in 0..<count { keep(notification()) }
      }
    }
  }

  /// As a customer gets it.
  private static func notification() -> [UInt8] {
    JSONWriter.object(capacity: 512) { data in
      data.member("id", "412-0001-17-17")
      data.member("tag", "service.chat.refresh.412-7d3f2a10-9c4e-4b21-8a55-000000000001")
      data.object("message") { message in
        message.member("chatSessionId", "0001Ka8GWN3U00F2")
        message.member("chatIxnState", "TRANSCRIPT")
        message.member("transcriptPosition", "17")
        message.member("chatServiceMessage", "Chat service is available")
        message.array("transcriptToShow") { transcript in
          transcript.array { tuple in
            tuple.element("Message.Text")
            tuple.element("Agent K")
            tuple.element(text)
            tuple.element("361")
            tuple.element("AGENT")
          }
        }
      }
    }
  }

  private static var httpParse: MicroCase {
    MicroCase(
      name: "http.parse",
      about: "an agent's message: a POST with a token and JSON, from the socket's bytes to the parts of the request"
    ) {
      var parser = RequestParser()
      return { count in
        for _ in 0..<count { try parser.parse() }
      }
    }
  }
}

/// What the server's connections read with.
private struct RequestParser {
  private var parser = HTTPRequestParser(
    headBytesMaximum: EdgeLimits().headBytesMaximum, fieldsMaximum: EdgeLimits().headerFieldsMaximum)
  private let request: ByteBuffer

  init() {
    request = HTTPRequest(
      .post, "/agent/1/chats/0001Ka8GWN3U00F2/messages",
      headers: [(name: "Authorization", value: "Bearer car_\(String(repeating: "x", count: 43))")],
      contentType: "application/json", body: Array(#"{"text":"\#(MicroCase.text)"}"#.utf8)
    ).bytes(for: ServerAddress(host: "127.0.0.1", port: 8_080))
  }

  mutating func parse() throws {
    parser.append(request)
    while let part = try parser.next() { MicroCase.keep(part) }
  }
}
