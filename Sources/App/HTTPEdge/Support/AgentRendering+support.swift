import Engine
import JSONEnvelope
import SupportDomain

/// Requests in the agents' event stream. Spec: GMS 12.3; support requests 8.
extension AgentRendering {
  /// What has happened, and the request as it is now: the shape of a ticket.
  static func writeMembers(
    of change: SupportRequestChange, _ view: SupportRequestView, base: String, into writer: inout JSONWriter
  ) {
    switch change {
    case .created: writer.member("change", "created")
    case .commented(let number):
      writer.member("change", "commented")
      writer.key("commentId")
      writer.integer(SupportIDs.comment(number, of: view.number))
    case .updated: writer.member("change", "updated")
    }
    writer.key("request")
    SupportRendering.request(view, includes: [.lastComment], for: .agent, base: base, into: &writer)
  }
}
