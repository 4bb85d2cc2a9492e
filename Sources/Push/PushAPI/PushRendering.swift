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
    write(letter.history, into: &object)
    object.member("lastAnswer", letter.lastAnswer)
    write(alert: letter.alert, body: letter.body, bytes: letter.bytes, into: &object)
    object.member("acceptedAt", letter.acceptedAt.iso8601)
    object.member("endedAt", letter.endedAt.iso8601)
    object.member("cursor", letter.cursor)
  }

  static func write(_ queue: QueueView, into object: inout JSONObjectWriter) {
    object.member("id", queue.id)
    object.member("waiting", queue.pushCount)
    object.member("why", queue.why)
    object.member("lane", queue.lane?.label)
    object.member("laneState", queue.lane.map { "\($0.condition)" })
    object.member("nextProbeAt", queue.lane?.nextProbe?.iso8601Milliseconds)
    object.objects("pushes", queue.pushes) { write($0, into: &$1) }
    object.member("mail", queue.mailCount)
    object.member("mailSince", queue.mailSince?.iso8601)
    object.member("deadLetters", queue.deadLetters)
    object.member("endedBecause", queue.endReason)
  }

  private static func write(_ push: WaitingPush, into object: inout JSONObjectWriter) {
    let message = push.message
    object.member("producer", message.producer)
    object.member("number", message.number)
    object.member("id", PushUUID.text(of: message.id))
    object.member("type", message.target.type)
    object.member("tag", message.tag)
    object.member("service", message.service)
    object.member("priority", message.priority == .high ? "high" : "normal")
    object.member("stage", push.stage.rawValue)
    object.member("acceptedAt", push.acceptedAt.iso8601)
    object.member("expiresAt", message.expiry?.iso8601)
    object.member("failures", push.failures)
    object.member("nextAttemptAt", push.nextAttempt?.iso8601Milliseconds)
    write(push.history, into: &object)
    object.member("lastAnswer", push.history.last { $0.answer != nil }?.answer)
    let alert = message.alert.isEmpty ? message.display?.body ?? "" : message.alert
    write(alert: alert, body: message.content, bytes: message.contentBytes, into: &object)
  }

  private static func write(_ history: [PushAttempt], into object: inout JSONObjectWriter) {
    object.objects("history", history) { attempt, object in
      object.member("at", attempt.at.iso8601Milliseconds)
      object.member("reason", attempt.reason)
      object.member("maybeDelivered", attempt.mayBeDelivered)
    }
  }

  private static func write(alert: String, body: [UInt8], bytes: Int, into object: inout JSONObjectWriter) {
    let shown = body.prefix(EdgeLimits.deadLetterBodyBytesMaximum)
    object.member("alert", alert)
    object.member("body", String(decoding: shown, as: UTF8.self))
    object.member("isWhole", shown.count == body.count)
    object.member("bytes", bytes)
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
    object.member("reason", lane.reason)
    object.member("nextProbeAt", lane.nextProbe?.iso8601Milliseconds)
  }
}
