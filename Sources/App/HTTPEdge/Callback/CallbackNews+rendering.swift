package import ChatAPI
import Engine
package import JSONEnvelope

extension CallbackNews: RenderedAgentNews {
  package var name: AgentEventName { .callback }

  package func writeMembers(base: String, into writer: inout JSONWriter) {
    AgentRendering.writeMembers(of: change, view, into: &writer)
  }
}
