package import ChatAPI
import Engine
package import JSONEnvelope

extension CallbackNews: RenderedAgentNews {
  package var name: AgentEventName { .callback }

  package func write(base: String, into event: inout JSONObjectWriter) {
    AgentRendering.write(change, view, into: &event)
  }
}
