package import ChatAPI
import Engine
package import JSONEnvelope
import SupportDomain

extension SupportRequestNews: RenderedAgentNews {
  package var name: AgentEventName { .support }

  /// What has happened, and the request as it is now: the shape of a ticket. Spec: support requests 8.
  package func writeMembers(base: String, into writer: inout JSONWriter) {
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
