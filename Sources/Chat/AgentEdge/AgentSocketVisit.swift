import HTTPKit
import NetworkAddress

/// What the upgrade of an agent's socket has said.
struct AgentSocketVisit: Sendable {
  /// Nil if it showed none: it is to come in the first message.
  let token: AccessToken?
  /// The number of the last event that the client has; nil for what happens from now on.
  let after: UInt64?
  /// How the client has reached the server.
  let requested: RequestedAddress
  /// Where the client is.
  let address: IPAddress?
}
