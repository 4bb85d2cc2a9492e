import EventSourcing
import PushDomain
import Testing

@testable import PushProviders

/// A row of providers 3.3, by the name that `fcm.py` gives it.
struct FCMRow: Sendable, CustomTestStringConvertible {
  let name: String
  let status: Int
  let body: String
  let outcome: PushOutcome
  var action: FCMVerdict.Action = .none
  var pause: Duration?

  var testDescription: String { name }

  private static func error(_ status: String, _ message: String, _ code: String? = nil, _ more: String = "") -> String {
    let detail = code.map {
      #"{"@type":"type.googleapis.com/google.firebase.fcm.v1.FcmError","errorCode":"\#($0)"}"#
        + (more.isEmpty ? "" : ",")
    }
    return #"{"error":{"status":"\#(status)","message":"\#(message)","details":[\#(detail ?? "")\#(more)]}}"#
  }

  private static func badField(_ name: String) -> String {
    #"{"@type":"type.googleapis.com/google.rpc.BadRequest","fieldViolations":[{"field":"\#(name)"}]}"#
  }

  private static func quota(_ subject: String) -> String {
    #"{"@type":"type.googleapis.com/google.rpc.QuotaFailure","violations":[{"subject":"\#(subject)"}]}"#
  }

  static let all: [FCMRow] = [
    FCMRow(
      name: "bad-request", status: 400,
      body: error("INVALID_ARGUMENT", "Invalid value", nil, badField("message.android.ttl")),
      outcome: .refused(reason: "400 INVALID_ARGUMENT message.android.ttl")),
    FCMRow(
      name: "bad-token", status: 400,
      body: error(
        "INVALID_ARGUMENT", "The registration token is not a valid FCM registration token", "INVALID_ARGUMENT",
        badField("message.token")),
      outcome: .unregistered(reason: "400 INVALID_ARGUMENT")),
    FCMRow(
      name: "bad-argument", status: 400, body: error("INVALID_ARGUMENT", "Message too big", "INVALID_ARGUMENT"),
      outcome: .refused(reason: "400 INVALID_ARGUMENT")),
    FCMRow(
      name: "third-party", status: 401, body: error("UNAUTHENTICATED", "Auth error", "THIRD_PARTY_AUTH_ERROR"),
      outcome: .laneBroken(reason: "401 THIRD_PARTY_AUTH_ERROR"), action: .separateTarget),
    FCMRow(
      name: "unauthenticated", status: 401, body: error("UNAUTHENTICATED", "Invalid credentials"),
      outcome: .laneBroken(reason: "401 UNAUTHENTICATED"), action: .renewToken),
    FCMRow(
      name: "sender", status: 403, body: error("PERMISSION_DENIED", "SenderId mismatch", "SENDER_ID_MISMATCH"),
      outcome: .unregistered(reason: "403 SENDER_ID_MISMATCH", isSuspect: true)),
    FCMRow(
      name: "forbidden", status: 403, body: error("PERMISSION_DENIED", "API is not enabled"),
      outcome: .laneBroken(reason: "403 PERMISSION_DENIED")),
    FCMRow(
      name: "unregistered", status: 404, body: error("NOT_FOUND", "Not found", "UNREGISTERED"),
      outcome: .unregistered(reason: "404 UNREGISTERED")),
    FCMRow(name: "not-found", status: 404, body: "<html>404</html>", outcome: .laneBroken(reason: "404")),
    FCMRow(
      name: "quota", status: 429,
      body: error("RESOURCE_EXHAUSTED", "Quota exceeded", "QUOTA_EXCEEDED", quota("project:demo")),
      outcome: .lanePaused(reason: "429 QUOTA_EXCEEDED", for: .seconds(60))),
    FCMRow(
      name: "quota-after", status: 429, body: error("RESOURCE_EXHAUSTED", "Quota exceeded", "QUOTA_EXCEEDED"),
      outcome: .lanePaused(reason: "429 QUOTA_EXCEEDED", for: .seconds(120)), pause: .seconds(120)),
    FCMRow(
      name: "device-rate", status: 429,
      body: error("RESOURCE_EXHAUSTED", "Device message rate exceeded", "QUOTA_EXCEEDED"),
      outcome: .retryable(reason: "429 QUOTA_EXCEEDED", after: .seconds(60))),
    FCMRow(
      name: "topic-rate", status: 429,
      body: error("RESOURCE_EXHAUSTED", "Quota exceeded", "QUOTA_EXCEEDED", quota("topic:news")),
      outcome: .retryable(reason: "429 QUOTA_EXCEEDED", after: .seconds(60))),
    FCMRow(
      name: "internal", status: 500, body: error("INTERNAL", "Internal error", "INTERNAL"),
      outcome: .retryable(reason: "500 INTERNAL")),
    FCMRow(
      name: "unavailable", status: 503, body: error("UNAVAILABLE", "Try later", "UNAVAILABLE"),
      outcome: .retryable(reason: "503 UNAVAILABLE", after: .seconds(7)), pause: .seconds(7)),
    FCMRow(name: "gateway", status: 502, body: "<html>502</html>", outcome: .retryable(reason: "502")),
  ]
}

/// A row of providers 3.5, by the registration token that `fcm.py` answers so.
struct FCMLegacyRow: Sendable, CustomTestStringConvertible {
  let token: String
  var status = 200
  let body: String
  let outcome: PushOutcome
  var pause: Duration?

  var testDescription: String { token }

  private static func results(_ result: String) -> String {
    #"{"multicast_id":1,"success":0,"failure":1,"canonical_ids":0,"results":[\#(result)]}"#
  }

  private static func error(_ name: String, _ outcome: PushOutcome) -> FCMLegacyRow {
    FCMLegacyRow(token: name, body: results(#"{"error":"\#(name)"}"#), outcome: outcome)
  }

  static let all: [FCMLegacyRow] =
    ["NotRegistered", "InvalidRegistration", "InvalidPackageName"].map {
      error($0, .unregistered(reason: "200 \($0)"))
    }
    + [error("MismatchSenderId", .unregistered(reason: "200 MismatchSenderId", isSuspect: true))]
    + ["MessageTooBig", "InvalidDataKey", "InvalidTtl"].map { error($0, .refused(reason: "200 \($0)")) }
    + ["Unavailable", "InternalServerError", "DeviceMessageRateExceeded", "TopicsMessageRateExceeded"].map {
      error($0, .retryable(reason: "200 \($0)"))
    }
    + [
      FCMLegacyRow(
        token: "old-token", body: results(#"{"message_id":"0:1","registration_id":"new-token"}"#),
        outcome: .delivered(id: "0:1", replacement: "new-token")),
      FCMLegacyRow(token: "status-400", status: 400, body: "", outcome: .refused(reason: "400")),
      FCMLegacyRow(token: "status-401", status: 401, body: "", outcome: .laneBroken(reason: "401")),
      FCMLegacyRow(token: "status-404", status: 404, body: "", outcome: .laneBroken(reason: "404")),
      FCMLegacyRow(token: "status-500", status: 500, body: "", outcome: .retryable(reason: "500")),
      FCMLegacyRow(
        token: "status-503", status: 503, body: "", outcome: .retryable(reason: "503", after: .seconds(9)),
        pause: .seconds(9)),
    ]
}

@Suite("FCM answers")
struct FCMVerdictTests {
  @Test("each row of HTTP v1", arguments: FCMRow.all)
  func rows(row: FCMRow) {
    #expect(FCMVerdict(row.status, Array(row.body.utf8), pause: row.pause) == FCMVerdict(row.outcome, row.action))
  }

  @Test("each row of the old form", arguments: FCMLegacyRow.all)
  func legacyRows(row: FCMLegacyRow) {
    #expect(FCMLegacyVerdict.outcome(row.status, Array(row.body.utf8), pause: row.pause) == row.outcome)
  }

  @Test("the error code goes over the status, and the status over the HTTP code")
  func precedence() {
    let code = #"{"error":{"status":"INTERNAL","details":[{"@type":"x.FcmError","errorCode":"UNREGISTERED"}]}}"#
    #expect(FCMVerdict(500, Array(code.utf8), pause: nil).outcome == .unregistered(reason: "500 UNREGISTERED"))
    let status = #"{"error":{"status":"UNAVAILABLE"}}"#
    #expect(FCMVerdict(400, Array(status.utf8), pause: nil).outcome == .retryable(reason: "400 UNAVAILABLE"))
  }

  @Test("a good answer gives the message's name")
  func delivered() {
    #expect(
      FCMVerdict(200, Array(#"{"name":"projects/p/messages/1"}"#.utf8), pause: nil).outcome
        == .delivered(id: "projects/p/messages/1"))
    #expect(FCMVerdict(200, [], pause: nil).outcome == .delivered(id: nil))
  }

  @Test("in the old form a topic's answer is the result itself, and an unreadable 200 may have been a delivery")
  func legacyForms() {
    #expect(FCMLegacyVerdict.outcome(200, Array(#"{"message_id":10}"#.utf8), pause: nil) == .delivered(id: "10"))
    #expect(
      FCMLegacyVerdict.outcome(200, Array("<html>".utf8), pause: nil)
        == .retryable(reason: "200 unreadable", mayBeDelivered: true))
  }
}
