import GCMProtocol
import Testing

@Suite("An answer of legacy HTTP")
struct LegacyAnswerTests {
  @Test(
    "is the JSON of the published examples",
    arguments: [
      (
        DownstreamAnswer.targets([.accepted(id: "0:1", canonical: nil)]),
        #"{"multicast_id":7,"success":1,"failure":0,"canonical_ids":0,"results":[{"message_id":"0:1"}]}"#
      ),
      (
        .targets([
          .accepted(id: "0:1", canonical: nil), .failed(.notRegistered), .accepted(id: "0:2", canonical: "new"),
        ]),
        #"{"multicast_id":7,"success":2,"failure":1,"canonical_ids":1,"results":[{"message_id":"0:1"},{"error":"NotRegistered"},{"message_id":"0:2","registration_id":"new"}]}"#
      ),
      (.topic(.success(10_000_000_000_000_000_000)), #"{"message_id":10000000000000000000}"#),
      (.topic(.failure(.topicsMessageRateExceeded)), #"{"error":"TopicsMessageRateExceeded"}"#),
      (.group(success: 2, failed: []), #"{"success":2,"failure":0}"#),
      (
        .group(success: 1, failed: ["a", "b"]),
        #"{"success":1,"failure":2,"failed_registration_ids":["a","b"]}"#
      ),
    ])
  func json(_ answer: DownstreamAnswer, _ text: String) throws {
    #expect(String(decoding: try #require(LegacyAnswer.json(answer, multicastID: 7)), as: UTF8.self) == text)
  }

  @Test("is none if nobody of a group was reached: a 503 without JSON")
  func nobody() { #expect(LegacyAnswer.json(.group(success: 0, failed: ["a"]), multicastID: 7) == nil) }

  @Test(
    "in plain text is a line, or two",
    arguments: [
      (DownstreamAnswer.targets([.accepted(id: "0:1", canonical: nil)]), "id=0:1\n" as String?),
      (.targets([.accepted(id: "0:1", canonical: "new")]), "id=0:1\nregistration_id=new\n"),
      (.targets([.failed(.invalidRegistration)]), "Error=InvalidRegistration\n"),
      (.targets([.failed(.unavailable)]), nil),
    ])
  func text(_ answer: DownstreamAnswer, _ text: String?) { #expect(LegacyAnswer.text(answer) == text) }
}
