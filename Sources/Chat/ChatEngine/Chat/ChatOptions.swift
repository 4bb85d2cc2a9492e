public import ChatDomain
public import EngineKit

extension Options {
  /// As `service`, but what the request brought comes first if `_overwritable_options` lists it. Spec: GMS 8.2.
  public func service(_ service: String, _ name: String, request: [DataPair]) -> String? {
    let overwritable =
      request.isEmpty
      ? nil : sections["service.\(service)"]?["_overwritable_options"] ?? sections["chat"]?["_overwritable_options"]
    if let overwritable, Self.list(overwritable).contains(name), let pair = request.last(where: { $0.name == name }) {
      return pair.value
    }
    return self.service(service, name)
  }
}

/// The policies of chats.
package struct ChatPolicies: Sendable {
  private let store: OptionStore
  private let policies: OptionCache<String, ChatPolicy>

  init(_ store: OptionStore) {
    self.store = store
    policies = OptionCache(store) { ChatPolicy(options: $0, service: $1, request: []) }
  }

  /// The policy of a chat of `service` whose request brought `request`.
  package func policy(service: String, request: [DataPair]) -> ChatPolicy {
    request.isEmpty
      ? policies[service] : ChatPolicy(options: store.current, service: service, request: request)
  }
}

extension ChatPolicy {
  /// Resolves the options of `service`. A value that cannot be read leaves the default: the configuration has been
  /// checked at start, so this concerns values that a request brought. Spec: GMS 8.3.
  init(options: Options, service: String, request: [DataPair]) {
    self.init()
    func text(_ name: String) -> String? { options.service(service, name, request: request) }
    if let seconds = text("_client_timeout_notification").flatMap({ Int64($0) }), (0...31_536_000).contains(seconds) {
      pushDelay = .seconds(seconds)
    }
    if let seconds = text("_ttl").flatMap({ Int64($0) }), (1...315_360_000).contains(seconds) {
      timeToLive = .seconds(seconds)
    }
    // Not what a request says: it is about who may make one.
    opensByServiceID = options.service(service, "_open_by_service_id") == "true"
    if let message = text("_client_timeout_notification_message") { pushMessage = message }
    if let notice = text("_agent_timeout_notification_message") { absenceNotice = notice }
    if let notice = text("_agent_return_notification_message") { returnNotice = notice }
    if let loss = text("on_comet_lost").flatMap(CometLoss.init) { cometLoss = loss }
    // The service's own list replaces the default; the default may stand in `push` or, by an old text, in `chat`.
    let filter =
      text("_filtering_chat_events") ?? options.sections["push"]?["filtering_chat_events"]
      ?? options.sections["chat"]?["filtering_chat_events"]
    if let filter { pushFilter = Set(Options.list(filter).compactMap(TranscriptEventType.init)) }
  }
}
