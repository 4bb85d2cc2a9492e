package import ChatDomain
package import ChatEngine

/// What a chat's operations ask of the capabilities that are built on chats.
package protocol ChatNeighbours: Sendable {
  /// Whether whoever shows this key may use the callback of this id; nil if it is none.
  func obeys(_ serviceID: String, _ userKey: String?) async -> Bool?
  /// A callback's chat takes over what its app left open; any other starts as it is asked to.
  func prepareChat(_ serviceID: String, _ request: ChatStartRequest) async throws -> ChatStartRequest
  /// Where a notification subscription pushes to.
  func pushTarget(
    ofSubscription id: String, for userKey: String?, language: String?
  ) async throws -> PushTarget
  /// What the others know of a customer and an agent may see. Devices are nobody's in particular: they are shown with the
  /// rest.
  /// - Parameter limit: of each kind.
  func dealings(with userKey: String, limit: Int, for viewer: AgentViewer) async throws -> CustomerDealings
  /// Why the pushes of a chat can reach nobody there; nil if they can.
  func obstacle(_ target: PushTarget, ofChat serviceID: String) -> String?
}
