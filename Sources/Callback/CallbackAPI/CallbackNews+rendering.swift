package import CallbackEngine
package import ChatAPI
package import JSONEnvelope

extension CallbackNews: RenderedAgentNews {
  package var name: AgentEventName { .callback }

  package func write(base: String, into event: inout JSONObjectWriter) {
    AgentRendering.write(change, view, into: &event)
  }
}
