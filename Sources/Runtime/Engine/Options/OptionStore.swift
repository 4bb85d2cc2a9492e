import ChatDomain
import Synchronization

/// The options in force, and what is derived from them. Replaced as a whole when the operator reloads.
public final class OptionStore: Sendable {
  private struct State {
    var options: Options
    var policies: [String: ChatPolicy] = [:]
    var pushes: [PushKey: [String: String]] = [:]
    var supportApps: [String: SupportAppSettings] = [:]
  }

  private struct PushKey: Hashable {
    let provider: String?
    let tag: String
    let debug: Bool
  }

  /// Apps name providers: some hundreds of names at once are not worth a better rule.
  private static let pushesMaximum = 256

  private let state: Mutex<State>

  public init(_ options: Options) { state = Mutex(State(options: options)) }

  public var current: Options { state.withLock { $0.options } }

  /// Puts new options in force; running timers keep the values that they were started with.
  public func replace(_ options: Options) { state.withLock { $0 = State(options: options) } }

  /// Every option of such a push; see `Options.push`. Made once: each push asks for some dozens.
  func push(provider: String?, tag: String, debug: Bool) -> [String: String] {
    let key = PushKey(provider: provider, tag: tag, debug: debug)
    return state.withLock { state in
      if let options = state.pushes[key] { return options }
      let options = state.options.push(provider: provider, tag: tag, debug: debug)
      if state.pushes.count >= Self.pushesMaximum { state.pushes = [:] }
      state.pushes[key] = options
      return options
    }
  }

  /// The app of this client id; nil if none is configured. Made once: each comment and each device asks.
  func supportApp(_ clientID: String) -> SupportAppSettings? {
    state.withLock { state in
      if let app = state.supportApps[clientID] { return app }
      let app = SupportAppSettings(clientID, state.options)
      // What is not configured may be called anything.
      if app != nil { state.supportApps[clientID] = app }
      return app
    }
  }

  /// The policy of a chat of `service` whose request brought `request`.
  func policy(service: String, request: [DataPair]) -> ChatPolicy {
    state.withLock { state in
      if request.isEmpty, let policy = state.policies[service] { return policy }
      let policy = ChatPolicy(options: state.options, service: service, request: request)
      if request.isEmpty { state.policies[service] = policy }
      return policy
    }
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
    opensByServiceID = options.service(service, "_open_by_service_id", request: []) == "true"
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
