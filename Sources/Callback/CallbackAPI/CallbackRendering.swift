import CallbackDomain
import CallbackEngine
import EventSourcing
import HTTPKit
import JSONEnvelope

/// Callbacks as apps and operators see them. Spec: GMS 9.5.
enum CallbackRendering {
  /// A record. Old clients read `desiredTime` and `url`. One without a desired time was wanted when it was made.
  static func write(_ view: CallbackView, _ url: ExternalURL, into record: inout JSONObjectWriter) {
    let request = view.request
    let time = (request.desiredTime ?? view.createdAt).iso8601
    let place = url.callback(view.id, of: request.serviceName)
    record.member("_id", view.id)
    record.member("_desired_time", time)
    record.member("desiredTime", time)
    record.member("_service_name", request.serviceName)
    record.member("_callback_state", view.status.name)
    record.member("_callback_reason", ifPresent: view.reason?.name)
    record.member("_expiration_time", view.expiresAt.iso8601)
    record.member("_url", place)
    record.member("url", place)
    for name in ["_customer_number"] + view.lookupKeys.filter({ $0 != "_customer_number" && !ownNames.contains($0) }) {
      if let value = request[name] { record.member(named: name, value) }
    }
  }

  /// What a record says itself: an app cannot say it differently by a field of that name.
  private static let ownNames: Set<String> = [
    "_id", "_desired_time", "desiredTime", "_service_name", "_callback_state", "_callback_reason", "_expiration_time",
    "_url", "url",
  ]

  /// Time → room, ascending.
  static func write(_ slots: [FreeSlot], into object: inout JSONObjectWriter) {
    for slot in slots { object.member(named: slot.start.iso8601Milliseconds, slot.free) }
  }

  /// The answer to `check-queue-position`: old clients read texts. Spec: GMS 9.2.
  static func write(_ position: CallbackQueuePosition, into object: inout JSONObjectWriter) {
    object.member("_position", String(position.position))
    object.member("_eta", String(position.etaSeconds))
    object.member("_total_waiting", String(position.totalWaiting))
    object.member("_agent_ready_threshold_passed", position.agentIsReady)
  }
}

extension ExternalURL {
  /// Where a callback is managed.
  fileprivate func callback(_ id: String, of service: String) -> String {
    "\(base)/1/service/callback/\(service)/\(id)"
  }
}
