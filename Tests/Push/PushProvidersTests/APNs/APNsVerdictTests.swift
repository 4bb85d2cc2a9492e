import EventSourcing
import PushDomain
import Testing

@testable import PushProviders

/// A row of providers 2.7.
struct APNsRow: Sendable, CustomTestStringConvertible {
  let status: Int
  let reason: String
  let outcome: PushOutcome
  var action: APNsVerdict.Action = .none

  var testDescription: String { "\(status) \(reason)" }

  static let since = Timestamp(milliseconds: 1_700_000_000_123)

  static let all: [APNsRow] =
    ["BadDeviceToken", "DeviceTokenNotForTopic"].map {
      APNsRow(status: 400, reason: $0, outcome: .unregistered(reason: "400 \($0)", isSuspect: true))
    }
    + [
      "BadCollapseId", "BadExpirationDate", "BadMessageId", "BadPriority", "InvalidPushType", "PayloadEmpty",
      "DuplicateHeaders", "MissingDeviceToken",
    ].map { APNsRow(status: 400, reason: $0, outcome: .refused(reason: "400 \($0)")) }
    + ["BadTopic", "MissingTopic", "TopicDisallowed"].map {
      APNsRow(status: 400, reason: $0, outcome: .laneBroken(reason: "400 \($0)"))
    }
    + [
      "InvalidProviderToken", "MissingProviderToken", "Forbidden", "BadCertificate", "BadCertificateEnvironment",
      "BadEnvironmentKeyIdInToken",
    ].map {
      APNsRow(status: 403, reason: $0, outcome: .laneBroken(reason: "403 \($0)"), action: .retireConnection)
    }
    + [
      APNsRow(
        status: 400, reason: "IdleTimeout", outcome: .unprocessed(reason: "400 IdleTimeout"),
        action: .retireConnection),
      APNsRow(
        status: 403, reason: "ExpiredProviderToken", outcome: .laneBroken(reason: "403 ExpiredProviderToken, clock?"),
        action: .renewToken),
      APNsRow(
        status: 403, reason: "UnrelatedKeyIdInToken", outcome: .unprocessed(reason: "403 UnrelatedKeyIdInToken"),
        action: .retireConnection),
      APNsRow(status: 404, reason: "BadPath", outcome: .refused(reason: "404 BadPath")),
      APNsRow(status: 405, reason: "MethodNotAllowed", outcome: .refused(reason: "405 MethodNotAllowed")),
      APNsRow(status: 410, reason: "Unregistered", outcome: .unregistered(reason: "410 Unregistered", since: since)),
      APNsRow(status: 410, reason: "ExpiredToken", outcome: .unregistered(reason: "410 ExpiredToken")),
      APNsRow(status: 413, reason: "PayloadTooLarge", outcome: .refused(reason: "413 PayloadTooLarge")),
      APNsRow(
        status: 429, reason: "TooManyRequests",
        outcome: .retryable(reason: "429 TooManyRequests", after: .seconds(30))),
      APNsRow(
        status: 429, reason: "TooManyProviderTokenUpdates",
        outcome: .lanePaused(reason: "429 TooManyProviderTokenUpdates", for: .seconds(60)), action: .holdToken),
      APNsRow(
        status: 500, reason: "InternalServerError", outcome: .retryable(reason: "500 InternalServerError")),
      APNsRow(status: 503, reason: "ServiceUnavailable", outcome: .retryable(reason: "503 ServiceUnavailable")),
      APNsRow(
        status: 503, reason: "Shutdown", outcome: .retryable(reason: "503 Shutdown"), action: .retireConnection),
      APNsRow(status: 400, reason: "SomethingNew", outcome: .refused(reason: "400 SomethingNew")),
      APNsRow(status: 500, reason: "SomethingElse", outcome: .retryable(reason: "500 SomethingElse")),
    ]
}

@Suite("APNs answers")
struct APNsVerdictTests {
  @Test("each row of the table", arguments: APNsRow.all)
  func rows(row: APNsRow) {
    let since = row.reason == "Unregistered" ? APNsRow.since : nil
    #expect(APNsVerdict.of(row.status, row.reason, since: since) == APNsVerdict(row.outcome, row.action))
  }

  @Test(
    "too many requests to one device: 30 s, doubled with each attempt",
    arguments: [
      (1, 30), (2, 60), (3, 120), (4, 240), (5, 300), (50, 300),
    ])
  func deviceRate(attempt: Int, seconds: Int) {
    let verdict = APNsVerdict.of(429, "TooManyRequests", attempt: attempt)
    #expect(verdict.outcome == .retryable(reason: "429 TooManyRequests", after: .seconds(seconds)))
  }

  @Test("retry-after lengthens a pause and never shortens it")
  func retryAfter() {
    #expect(
      APNsVerdict.of(503, "Shutdown", pause: .seconds(7)).outcome
        == .retryable(reason: "503 Shutdown", after: .seconds(7)))
    #expect(
      APNsVerdict.of(429, "TooManyRequests", pause: .seconds(5)).outcome
        == .retryable(reason: "429 TooManyRequests", after: .seconds(30)))
  }

  @Test("a redirect is somebody else's server, and a 4xx without a reason keeps its status")
  func strangers() {
    #expect(APNsVerdict.of(302, nil).outcome == .laneBroken(reason: "302"))
    #expect(APNsVerdict.of(418, nil).outcome == .refused(reason: "418"))
    #expect(APNsVerdict.of(204, nil).outcome == .retryable(reason: "204"))
  }

  @Test("what a server writes as its reason is cleaned before it reaches a log")
  func cleaned() {
    let verdict = APNsVerdict.of(400, "Bad\nthing https://host/" + String(repeating: "x", count: 500))
    guard case .refused(let reason) = verdict.outcome else { return #expect(Bool(false)) }
    #expect(reason.hasPrefix("400 Badthinghttpshost"))
    #expect(reason.count <= 64)
  }
}
