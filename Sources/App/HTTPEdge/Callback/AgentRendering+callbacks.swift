import CallbackDomain
import ChatAPI
import Engine
import EventSourcing
import JSONEnvelope

/// Callbacks as agents see them. Spec: GMS 12.3.
extension AgentRendering {
  /// A list does not show the fields.
  static func write(_ views: [CallbackView], into writer: inout JSONWriter) {
    writer.beginArray()
    for view in views {
      writer.beginObject()
      writeMembers(of: view, into: &writer)
      writer.endObject()
    }
    writer.endArray()
  }

  /// One, with the fields of its request.
  static func write(_ view: CallbackView, into writer: inout JSONWriter) {
    writer.beginObject()
    writeMembers(of: view, into: &writer)
    writer.key("data")
    writer.beginObject()
    for field in view.request.fields {
      writer.key(field.name)
      writer.string(field.value)
    }
    writer.endObject()
    writer.endObject()
  }

  /// - Parameter agentID: whom an event is about, if that is not the agent who is held now.
  static func writeMembers(of view: CallbackView, agentID: String? = nil, into writer: inout JSONWriter) {
    let terms = view.request.terms
    writer.member("id", view.id)
    writer.member("service", view.request.serviceName)
    writer.member("state", view.status.name)
    writer.optionalMember("reason", view.reason?.name)
    if !view.note.isEmpty { writer.member("note", view.note) }
    writer.member("media", terms.media == .chat ? "chat" : "voice")
    writer.member("direction", terms.direction == .userOriginated ? "USERORIGINATED" : "USERTERMINATED")
    writer.optionalMember("customerNumber", view.request["_customer_number"])
    writer.optionalMember("subject", view.request["subject"])
    writer.optionalMember("language", view.request.language)
    writer.key("priority")
    writer.integer(view.request.priority)
    writer.member("createdAt", view.createdAt.iso8601)
    writer.optionalMember("desiredTime", view.request.desiredTime?.iso8601)
    writer.optionalMember("queuedAt", view.queuedAt?.iso8601)
    writer.member("expiresAt", view.expiresAt.iso8601)
    writer.optionalMember("agentId", agentID ?? view.agentID)
    if view.agentID != nil {
      writer.key("accepted")
      writer.bool(view.agentHasAccepted)
    }
    if let confirmation = view.confirmation {
      writer.key("confirming")
      writer.beginObject()
      writer.key("attempt")
      writer.integer(confirmation.attempt)
      writer.member("until", confirmation.until.iso8601)
      writer.endObject()
    }
    writer.optionalMember("snoozedUntil", view.snoozedUntil?.iso8601)
    writer.optionalMember("chatId", view.chatID)
  }

  /// One event of the agents' stream.
  static func writeMembers(of change: CallbackChange, _ view: CallbackView, into writer: inout JSONWriter) {
    writer.member("change", change.name)
    writeMembers(of: view, agentID: change.agentID, into: &writer)
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

extension JSONWriter {
  /// Left out if there is no value.
  mutating func optionalMember(_ name: StaticString, _ value: String?) {
    guard let value else { return }
    key(name)
    string(value)
  }
}
