import EventSourcing
import HTTP2Client
import JWTKit
import NIOHPACK
import PushDomain
import Testing

@testable import PushProviders

@Suite("APNs lane over a scripted client")
struct APNsLaneTests {
  private let client = ScriptedHTTP2()
  private let mint = ProviderTokenMint(
    key: ES256PrivateKey(), keyID: "K", teamID: "T", store: nil, storeName: "n", random: { 0.5 })

  private func send(
    _ outcomes: [HTTP2Outcome], attempt: Int = 1, now: Timestamp = mobileNow, hasToken: Bool = true
  ) async throws -> PushOutcome {
    client.tell(outcomes)
    let delivery = MobileSamples.delivery(MobileSamples.message(MobileSamples.ios()), attempt: attempt, now: now)
    let lane = APNsLane(label: "l", content: "c", client: client, mint: hasToken ? mint : nil)
    return await lane.send(try APNsRequest.make(delivery, topic: "t"), delivery)
  }

  private var tokens: [String?] { client.requests.map { $0.headers.first { $0.name == "authorization" }?.value } }

  @Test("200 is a delivery, and its id is Apple's")
  func delivered() async throws {
    #expect(try await send([.answer(200, headers: [("apns-id", "i")])]) == .delivered(id: "i"))
    #expect(tokens.first??.hasPrefix("bearer ey") == true)
    #expect(client.requests[0].headers.first { $0.name == "authorization" }?.indexable == .nonIndexable)
  }

  @Test("with a certificate there is no authorization")
  func certificate() async throws {
    _ = try await send([], hasToken: false)
    #expect(tokens == [nil])
  }

  @Test("what Apple did not process goes out again at once, five times at most")
  func unprocessed() async throws {
    let refused = HTTP2Outcome.unprocessed(reason: "refused stream", isTransport: false)
    #expect(try await send(Array(repeating: refused, count: 5)) == .delivered())
    #expect(client.requests.count == 6)
    #expect(try await send(Array(repeating: refused, count: 6)) == .unprocessed(reason: "refused stream"))
    #expect(client.requests.count == 12)
  }

  @Test("no connection, no answer, no trust, no calm: each is its own outcome, and none is sent again")
  func ends() async throws {
    #expect(
      try await send([.unprocessed(reason: "refused", isTransport: true)])
        == .unprocessed(reason: "refused", isTransport: true))
    #expect(
      try await send([.unknown(reason: "cut")])
        == .retryable(reason: "cut", mayBeDelivered: true, isTransport: true))
    #expect(try await send([.unusable(reason: "goaway loop")]) == .laneBroken(reason: "goaway loop"))
    #expect(try await send([.calm(reason: "calm")]) == .lanePaused(reason: "calm", for: .seconds(30)))
    #expect(client.requests.count == 4)
  }

  @Test("an unrelated key id closes the connection, and the push goes over another")
  func unrelatedKey() async throws {
    #expect(try await send([.reason(403, "UnrelatedKeyIdInToken", connection: 7)]) == .delivered())
    #expect(client.retired == [HTTP2ConnectionID(7)])
    let stubborn = HTTP2Outcome.reason(403, "UnrelatedKeyIdInToken")
    #expect(
      try await send(Array(repeating: stubborn, count: 9)) == .unprocessed(reason: "403 UnrelatedKeyIdInToken"))
    #expect(client.requests.count == 8)
  }

  @Test("an idle timeout goes over another connection too, and a broken credential only closes its own")
  func retiring() async throws {
    #expect(try await send([.reason(400, "IdleTimeout", connection: 2)]) == .delivered())
    #expect(
      try await send([.reason(403, "InvalidProviderToken", connection: 3)])
        == .laneBroken(reason: "403 InvalidProviderToken"))
    #expect(client.retired == [HTTP2ConnectionID(2), HTTP2ConnectionID(3)])
  }

  @Test("an expired token is renewed and the push sent again, once")
  func expired() async throws {
    _ = try await mint.token(now: mobileNow)
    let later = mobileNow.advanced(by: .seconds(25 * 60))
    #expect(try await send([.reason(403, "ExpiredProviderToken")], now: later) == .delivered())
    #expect(client.requests.count == 2)
    #expect(tokens[0] != tokens[1])
    let again = later.advanced(by: .seconds(30))
    #expect(
      try await send([.reason(403, "ExpiredProviderToken")], now: again)
        == .laneBroken(reason: "403 ExpiredProviderToken, clock?"))
    #expect(client.requests.count == 3)
  }

  @Test("a renewed token that has expired too breaks the lane")
  func expiredTwice() async throws {
    _ = try await mint.token(now: mobileNow)
    let later = mobileNow.advanced(by: .seconds(25 * 60))
    let expired = HTTP2Outcome.reason(403, "ExpiredProviderToken")
    #expect(try await send([expired, expired], now: later) == .laneBroken(reason: "403 ExpiredProviderToken, clock?"))
    #expect(client.requests.count == 2)
  }

  @Test("a fresh token that is said to have expired is not replaced")
  func expiredFresh() async throws {
    #expect(
      try await send([.reason(403, "ExpiredProviderToken")]) == .laneBroken(reason: "403 ExpiredProviderToken, clock?"))
    #expect(client.requests.count == 1)
  }

  @Test("too many token updates pause the lane, and the token stays")
  func tooManyUpdates() async throws {
    let outcome = try await send([.reason(429, "TooManyProviderTokenUpdates")])
    #expect(outcome == .lanePaused(reason: "429 TooManyProviderTokenUpdates", for: .seconds(60)))
    _ = try await send([], now: mobileNow.advanced(by: .seconds(30)))
    #expect(tokens[0] == tokens[1])
  }

  @Test("retry-after is read, in seconds and as a date")
  func retryAfter() async throws {
    #expect(
      try await send([.answer(503, "{}", headers: [("retry-after", "12")])])
        == .retryable(reason: "503", after: .seconds(12)))
    #expect(
      try await send([.answer(503, "", headers: [("retry-after", "Fri, 15 Jan 2027 08:01:00 GMT")])])
        == .retryable(reason: "503", after: .seconds(60)))
  }
}
