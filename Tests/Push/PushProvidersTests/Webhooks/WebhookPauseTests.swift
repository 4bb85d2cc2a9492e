import EventSourcing
import PushDomain
import PushProviders
import StandInSupport
import Testing

@Suite("Webhook receivers that ask for a pause", .serialized, .standIn("webhook.py", "--plain"))
struct WebhookPauseTests {
  @Test(
    "Retry-After is heeded of 429, 502, 503 and 504, and of no other",
    arguments: [429, 502, 503, 504, 500, 408])
  func retryAfterOfOthers(status: Int) async throws {
    try await withStandIn("webhook.py", ["--plain"]) { receiver, courier in
      try await receiver.willAnswer(status, headers: ["Retry-After": "7"])
      let outcome = await HTTPCallbackProvider(courier: courier).deliver(
        .callback("http://127.0.0.1:\(receiver.port)/"))
      guard case .retryable(_, let after, false, false) = outcome else {
        Issue.record("\(outcome)")
        return
      }
      #expect(after == ([429, 502, 503, 504].contains(status) ? .seconds(7) : nil))
    }
  }

  @Test(
    "Retry-After as a date counts from the answer's own date, else from our clock",
    arguments: [
      ("Sun, 06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:48:07 GMT", 90),
      ("Sunday, 06-Nov-94 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:27 GMT", 10),
      ("Sun Nov  6 08:49:37 1994", "Sun, 06 Nov 1994 08:49:38 GMT", 0),
      ("Sun, 06 Nov 1994 08:49:37 GMT", nil, 37), ("Mon, 07 Nov 1994 08:49:38 GMT", nil, 86_400),
      ("Sun, 06 Nov 1994 08:49:37 CET", nil, nil), ("Sun, 36 Nov 1994 08:49:37 GMT", nil, nil),
      ("Sun, 06 Foo 1994 08:49:37 GMT", nil, nil),
    ] as [(String, String?, Int?)])
  func retryAfterDate(value: String, date: String?, seconds: Int?) async throws {
    try await withStandIn("webhook.py", ["--plain"]) { receiver, courier in
      var headers = ["Retry-After": value]
      headers["Date"] = date
      try await receiver.willAnswer(503, headers: headers)
      let url = "http://127.0.0.1:\(receiver.port)/"
      let now = try #require(Timestamp(iso8601: "1994-11-06T08:49:00Z"))
      let delivery = PushDelivery.posting(
        .posted(to: PushAddress(type: "customhttp", deviceID: "d")), ["customhttp.url": url],
        now: now)
      let outcome = await CustomHTTPProvider(courier: courier).deliver(delivery)
      #expect(
        outcome
          == .retryable(reason: "503 Service Unavailable", after: seconds.map { .seconds($0) }))
    }
  }
}
