import JSONEnvelope
import Testing

@testable import CarillonClient

/// Spec: support requests 6.2.
@Suite("Live events of support requests, on the client's side")
struct SupportEventTests {
  @Test(
    "are read from what comes on the channel of a request; everything else is none",
    arguments: [
      (
        #"{"channel":"/support/requests/5","data":{"type":"request.comment","request_id":"5","comment_id":"50009"}}"#,
        [5, 50_009]
      ),
      (
        #"{"channel":"/support/requests/5","data":{"type":"request.comment","request_id":5,"comment_id":50009}}"#,
        [5, 50_009]
      ),
      (#"{"channel":"/_genesys","data":{"type":"request.comment","request_id":"5","comment_id":"9"}}"#, []),
      (#"{"channel":"/support/requests/5","data":{"type":"request.closed","request_id":"5","comment_id":"9"}}"#, []),
      (#"{"channel":"/support/requests/5","data":{"type":"request.comment","request_id":"5"}}"#, []),
      (#"{"channel":"/support/requests/5"}"#, []), (#"{"channel":"/support/requests/5","data":7}"#, []),
    ])
  func reading(message: String, ids: [Int64]) throws {
    let messages = try CometMessage.messages(in: Array("[\(message)]".utf8))
    #expect(messages.compactMap(SupportEvent.init).flatMap { [$0.request, $0.comment] } == ids)
  }

  @Test("are acknowledged by a publish on that channel")
  func publishing() throws {
    let request = CometRequest.publish(
      clientID: "c1", channel: "/support/requests/5", data: ["type": "refreshed"])
    let message = JSONWriter.object { request.write(id: "7", into: &$0) }
    #expect(
      try JSONValue(parsing: message)
        == ["id": "7", "channel": "/support/requests/5", "clientId": "c1", "data": ["type": "refreshed"]])
  }
}
