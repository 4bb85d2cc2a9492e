import CallbackDomain
import Engine
import EventSourcing
import JSONEnvelope

/// Callbacks as apps and operators see them. Spec: GMS 9.5.
enum CallbackRendering {
  static func write(_ views: [CallbackView], _ url: ExternalURL, into writer: inout JSONWriter) {
    writer.beginArray()
    for view in views { write(view, url, into: &writer) }
    writer.endArray()
  }

  /// A record. Old clients read `desiredTime` and `url`. One without a desired time was wanted when it was made.
  static func write(_ view: CallbackView, _ url: ExternalURL, into writer: inout JSONWriter) {
    let request = view.request
    let time = (request.desiredTime ?? view.createdAt).iso8601
    let place = url.callback(view.id, of: request.serviceName)
    writer.beginObject()
    writer.member("_id", view.id)
    writer.member("_desired_time", time)
    writer.member("desiredTime", time)
    writer.member("_service_name", request.serviceName)
    writer.member("_callback_state", view.status.name)
    if let reason = view.reason { writer.member("_callback_reason", reason.name) }
    writer.member("_expiration_time", view.expiresAt.iso8601)
    writer.member("_url", place)
    writer.member("url", place)
    for name in ["_customer_number"] + view.lookupKeys.filter({ $0 != "_customer_number" && !ownNames.contains($0) }) {
      guard let value = request[name] else { continue }
      writer.key(name)
      writer.string(value)
    }
    writer.endObject()
  }

  /// What a record says itself: an app cannot say it differently by a field of that name.
  private static let ownNames: Set<String> = [
    "_id", "_desired_time", "desiredTime", "_service_name", "_callback_state", "_callback_reason", "_expiration_time",
    "_url", "url",
  ]

  /// Time → room, ascending.
  static func write(_ slots: [FreeSlot], into writer: inout JSONWriter) {
    writer.beginObject()
    for slot in slots {
      writer.key(slot.start.iso8601Milliseconds)
      writer.integer(slot.free)
    }
    writer.endObject()
  }

  /// The answer to `check-queue-position`: old clients read texts. Spec: GMS 9.2.
  static func write(_ position: CallbackQueuePosition, into writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("_position", String(position.position))
    writer.member("_eta", String(position.etaSeconds))
    writer.member("_total_waiting", String(position.totalWaiting))
    writer.key("_agent_ready_threshold_passed")
    writer.bool(position.agentIsReady)
    writer.endObject()
  }
}
