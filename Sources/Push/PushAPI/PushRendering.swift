import EventSourcing
import HTTPKit
import Hummingbird
import JSONEnvelope
import PushDomain
import PushEngine

/// Dead letters and couriers as operators see them.
enum PushRendering {
  static func answer(count: Int, hasMore: Bool, isDryRun: Bool) -> Response {
    .object(status: isDryRun ? .ok : .accepted) { answer in
      answer.member("dryRun", isDryRun)
      answer.member("count", count)
      answer.member("more", hasMore)
    }
  }

  static func write(_ letter: DeadLetterView, into object: inout JSONObjectWriter) {
    let body = letter.body.prefix(EdgeLimits.deadLetterBodyBytesMaximum)
    object.member("device", letter.device)
    object.member("producer", letter.id.producer)
    object.member("number", letter.id.number)
    object.member("id", letter.uuid)
    object.member("type", letter.type)
    object.member("tag", letter.tag)
    object.member("service", letter.service)
    object.member("outcome", letter.outcome.name)
    object.member("reason", letter.reason)
    object.member("attempts", letter.attempts)
    object.objects("history", letter.history) { attempt, object in
      object.member("at", attempt.at.iso8601Milliseconds)
      object.member("reason", attempt.reason)
      object.member("maybeDelivered", attempt.mayBeDelivered)
    }
    object.member("lastAnswer", letter.lastAnswer)
    object.member("alert", letter.alert)
    object.member("body", String(decoding: body, as: UTF8.self))
    object.member("isWhole", body.count == letter.body.count)
    object.member("bytes", letter.bytes)
    object.member("acceptedAt", letter.acceptedAt.iso8601)
    object.member("endedAt", letter.endedAt.iso8601)
    object.member("cursor", letter.cursor)
  }

  static func write(_ lane: LaneView, into object: inout JSONObjectWriter) {
    object.member("lane", lane.label)
    object.member("lanes", lane.lanes)
    object.member("waiting", lane.waiting)
    object.member("running", lane.running)
    object.member("open", lane.open)
    object.member("off", lane.off)
    object.member("oldestSeconds", Double(lane.oldestAge.wholeMilliseconds) / 1_000)
    object.object("queued") { queued in
      queued.member("high", lane.urgent)
      queued.member("normal", lane.normal)
    }
    object.member("nextAttemptAt", lane.nextAttempt?.iso8601)
  }
}
