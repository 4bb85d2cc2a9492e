package import ChatAPI
package import JSONEnvelope
import SupportDomain
package import SupportEngine

extension SupportRequestNews: RenderedAgentNews {
  package var name: AgentEventName { .support }

  /// What has happened, and the request as it is now: the shape of a ticket. Spec: support requests 8.
  package func write(base: String, into event: inout JSONObjectWriter) {
    switch change {
    case .created: event.member("change", "created")
    case .commented(let number):
      event.member("change", "commented")
      event.member("commentId", SupportIDs.comment(number, of: view.number))
    case .updated: event.member("change", "updated")
    }
    event.object("request") {
      SupportRendering.request(view, includes: [.lastComment], for: .agent, base: base, into: &$0)
    }
  }
}
