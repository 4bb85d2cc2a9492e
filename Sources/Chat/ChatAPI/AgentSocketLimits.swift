/// The bounds of one socket of an agent, beside those that all WebSockets have in `EdgeLimits`.
package struct AgentSocketLimits: Sendable, Equatable {
  /// Requests that are not answered yet; beyond it nothing more is read.
  package var requestsMaximum = 32
  /// Answers that are kept for requests that come again; the oldest one goes first.
  package var answersKeptMaximum = 128
  /// Bytes of a request's id.
  package var idBytesMaximum = 64
  /// Until a socket whose upgrade showed no token has to have shown one.
  package var loginTimeout: Duration = .seconds(10)
  /// How often it is looked whether the token is still good, and whether any time is up. With the tick of the
  /// deadlines, a socket outlives its token by less than a second.
  package var checkInterval: Duration = .milliseconds(500)

  package init() {}
}
