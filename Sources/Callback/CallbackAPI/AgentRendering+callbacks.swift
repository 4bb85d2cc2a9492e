import CallbackDomain
import CallbackEngine
import ChatAPI
import EventSourcing
import JSONEnvelope

/// Callbacks as agents see them. Spec: GMS 12.3.
extension AgentRendering {
  /// One, with the fields of its request.
  static func writeWhole(_ view: CallbackView, into object: inout JSONObjectWriter) {
    write(view, into: &object)
    object.object("data") { data in
      for field in view.request.fields { data.member(named: field.name, field.value) }
    }
  }

  /// As lists show it, without the fields.
  /// - Parameter agentID: whom an event is about, if that is not the agent who is held now.
  static func write(_ view: CallbackView, agentID: String? = nil, into object: inout JSONObjectWriter) {
    let terms = view.request.terms
    object.member("id", view.id)
    object.member("service", view.request.serviceName)
    object.member("state", view.status.name)
    object.member("reason", ifPresent: view.reason?.name)
    if !view.note.isEmpty { object.member("note", view.note) }
    object.member("media", terms.media == .chat ? "chat" : "voice")
    object.member("direction", terms.direction == .userOriginated ? "USERORIGINATED" : "USERTERMINATED")
    object.member("customerNumber", ifPresent: view.request["_customer_number"])
    object.member("subject", ifPresent: view.request["subject"])
    object.member("language", ifPresent: view.request.language)
    object.member("priority", view.request.priority)
    object.member("createdAt", view.createdAt.iso8601)
    object.member("desiredTime", ifPresent: view.request.desiredTime?.iso8601)
    object.member("queuedAt", ifPresent: view.queuedAt?.iso8601)
    object.member("expiresAt", view.expiresAt.iso8601)
    object.member("agentId", ifPresent: agentID ?? view.agentID)
    if view.agentID != nil { object.member("accepted", view.agentHasAccepted) }
    object.member("actBy", ifPresent: view.agentUntil?.iso8601)
    if let confirmation = view.confirmation {
      object.object("confirming") { confirming in
        confirming.member("attempt", confirmation.attempt)
        confirming.member("until", confirmation.until.iso8601)
      }
    }
    object.member("snoozedUntil", ifPresent: view.snoozedUntil?.iso8601)
    object.member("chatId", ifPresent: view.chatID)
  }

  /// One event of the agents' stream.
  static func write(_ change: CallbackChange, _ view: CallbackView, into event: inout JSONObjectWriter) {
    event.member("change", change.name)
    write(view, agentID: change.agentID, into: &event)
  }
}

extension CallbackChange {
  fileprivate var name: String {
    switch self {
    case .scheduled: "scheduled"
    case .queued: "queued"
    case .offered: "offered"
    case .accepted: "accepted"
    case .released: "released"
    case .confirming: "confirming"
    case .snoozed: "snoozed"
    case .routing: "routing"
    case .connected: "connected"
    case .completed: "completed"
    case .updated: "updated"
    }
  }
}
