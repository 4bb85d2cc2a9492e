package import ChatDomain
import EngineKit
package import EventSourcing
import OptionKit

/// The policies of chats.
package struct ChatPolicies: Sendable {
  private let store: OptionStore
  private let policies: OptionCache<String, ChatPolicy>

  init(_ store: OptionStore) {
    self.store = store
    policies = OptionCache(store) { ChatPolicy(options: $0, service: $1, request: []) }
  }

  /// The policy of a chat of `service` whose request brought `request`.
  package func policy(service: String, request: [NameValuePair]) -> ChatPolicy {
    request.isEmpty
      ? policies[service] : ChatPolicy(options: store.current, service: service, request: request)
  }
}

extension ChatPolicy {
  /// Resolves the options of `service`. Spec: GMS 8.3.
  init(options: Options, service: String, request: [NameValuePair]) {
    self.init()
    let keys = ChatOptions.keys
    let chat = options.service(service, request: request)
    pushDelay = chat[keys.pushDelay]
    timeToLive = chat[keys.timeToLive]
    // Not what a request says: it is about who may make one.
    opensByServiceID = options.service(service, request: [])[keys.opensByServiceID]
    pushMessage = chat[keys.pushMessage]
    absenceNotice = chat[keys.absenceNotice]
    returnNotice = chat[keys.returnNotice]
    cometLoss = chat[keys.cometLoss]
    // The service's own list replaces the default; the default may stand in `push` or, by an old text, in `chat`.
    pushFilter =
      chat[keys.filterOfService] ?? options.section(.push).ifSet(keys.filter)
      ?? options.section(.chat)[keys.filter]
  }
}
