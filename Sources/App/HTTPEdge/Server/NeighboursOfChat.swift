import ChatAPI
import ChatDomain
import Engine

/// The capabilities beside chat, as one server has them.
struct NeighboursOfChat: ChatNeighbours {
  let engine: Engine

  func obeys(_ serviceID: String, _ userKey: String?) async -> Bool? {
    await engine.callbacks.obeys(serviceID, userKey)
  }

  func prepareChat(_ serviceID: String, _ request: ChatStartRequest) async throws -> ChatStartRequest {
    try await engine.callbacks.prepareChat(serviceID, request)
  }

  func pushTarget(ofSubscription id: String, for userKey: String?, language: String?) async throws -> PushTarget {
    try await engine.notifications.chatTarget(id, for: userKey, language: language)
  }

  func obstacle(_ target: PushTarget, ofChat serviceID: String) -> String? {
    engine.obstacle(target, ofChat: serviceID)
  }
}
