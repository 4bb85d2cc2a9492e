package import ChatEngine
package import JSONEnvelope

/// What another capability has to tell agents, as their event stream shows it. Spec: GMS 12.3.
package protocol RenderedAgentNews: AgentNews {
  var name: AgentEventName { get }
  /// - Parameter base: how this server is reached, for the URLs in events.
  func write(base: String, into event: inout JSONObjectWriter)
}
