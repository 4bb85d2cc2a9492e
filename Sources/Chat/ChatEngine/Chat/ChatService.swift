public import ChatDomain
import CometEngine
public import EngineKit
package import EntityRuntime
public import EventSourcing
package import OptionKit

/// The customer's operations on chats. Each returns once what it did is durable.
///
/// Each asks who calls, and takes somebody who shows nothing for granted: a chat that has a user is then not there
/// (`.chat(.unknownService)`).
public final class ChatService: Sendable {
  package let directory: EntityDirectory<ChatSession>
  package let index: ChatIndex
  let comet: CometDirectory
  let options: OptionStore
  package let policies: ChatPolicies
  let limits: EngineLimits
  let nodeNumber: Int
  let identifiers: Identifiers
  /// Instances that are being made together with their chats.
  let beginnings = KeysUnderWay()

  init(
    directory: EntityDirectory<ChatSession>, index: ChatIndex, comet: CometDirectory, options: OptionStore,
    policies: ChatPolicies, limits: EngineLimits, nodeNumber: Int, identifiers: Identifiers
  ) {
    self.directory = directory
    self.index = index
    self.comet = comet
    self.options = options
    self.policies = policies
    self.limits = limits
    self.nodeNumber = nodeNumber
    self.identifiers = identifiers
  }

  // MARK: Operations

  /// Makes a service instance. - Parameter userKey: whose it is; nil: whoever has its id may use it.
  /// - Returns: its service id. - Throws: `.unknownServiceName`, `.limitReached`.
  public func create(
    service name: String, data: [NameValuePair], userKey: String? = nil
  ) async throws(EngineError) -> String {
    let serviceID = identifiers.serviceID(node: nodeNumber)
    guard options.current.hasService(name) else { throw .unknownServiceName(name) }
    guard let entity = directory.entity(serviceID, limit: limits.chatsMaximum) else { throw .limitReached("chats") }
    index.created(serviceID, serviceName: name, data: attachable(data, of: name), userKey: userKey)
    do {
      _ = try await perform(
        .create(serviceName: name, data: attachable(data, of: name), userKey: userKey), on: entity
      ) { _ in true }
    } catch {
      directory.remove(serviceID)
      index.withdrawn(serviceID)
      throw error
    }
    return serviceID
  }

  /// Starts the chat of an instance, for the user whom the request names; makes the instance too if there is none and
  /// the request brings it.
  public func start(_ serviceID: String, _ request: ChatStartRequest) async throws(EngineError) -> ChatReply {
    if let instance = request.instance, !directory.contains(serviceID) {
      return try await start(serviceID, request, making: instance)
    }
    let start = chatStart(request, of: try await serviceName(of: serviceID))
    return try await begin(.start(start), on: try entity(serviceID), by: request.userKey)
  }

  /// Instance and chat in one turn: an instance that nobody started would pass its time, and be made once more under an
  /// id that the journal has done with.
  private func start(
    _ serviceID: String, _ request: ChatStartRequest, making instance: ChatStartRequest.Instance
  ) async throws(EngineError) -> ChatReply {
    let name = instance.serviceName
    guard options.current.hasService(name) else { throw .unknownServiceName(name) }
    // Of two who start at once, one would take the entity away that the other one has begun with.
    guard beginnings.enter(serviceID) else { throw .chat(.alreadyStarted) }
    defer { _ = beginnings.leave(serviceID) }
    guard let entity = directory.entity(serviceID, limit: limits.chatsMaximum) else { throw .limitReached("chats") }
    // Whoever was here a moment ago has begun it: the chat says so.
    guard entity.progressedTo == 0 else {
      return try await begin(.start(chatStart(request, of: name)), on: entity, by: request.userKey)
    }
    let data = attachable(instance.data, of: name)
    index.created(serviceID, serviceName: name, data: data, userKey: instance.userKey)
    do {
      let start = chatStart(request, of: name)
      return try await begin(
        .createAndStart(serviceName: name, data: data, userKey: instance.userKey, start), on: entity,
        by: request.userKey)
    } catch {
      if entity.progressedTo == 0 {
        directory.remove(serviceID)
        index.withdrawn(serviceID)
      }
      throw error
    }
  }

  private func begin(
    _ action: ChatAction, on entity: Entity<ChatSession>, by userKey: String?
  ) async throws(EngineError) -> ChatReply {
    let serviceID = entity.id.key
    return try await perform(action, on: entity, by: .customer(userKey: userKey)) { chat in
      ChatReply(chat, serviceID: serviceID, state: .connected, events: chat.events(after: 0))
    }
  }

  private func chatStart(_ request: ChatStartRequest, of serviceName: String) -> ChatStart {
    var start = request.start
    start.chatSessionID = identifiers.chatSessionID()
    start.userID = identifiers.secureKey()
    start.secureKey = identifiers.secureKey()
    start.data = attachable(request.data, of: serviceName)
    return start
  }

  public func send(
    _ serviceID: String, text: String, by caller: ChatCaller = .customer(userKey: nil)
  ) async throws(EngineError) -> ChatReply {
    try await operate(serviceID, .customerSend(text: text), by: caller)
  }

  public func typing(
    _ serviceID: String, started: Bool, preview: String, by caller: ChatCaller = .customer(userKey: nil)
  ) async throws(EngineError) -> ChatReply {
    try await operate(serviceID, .customerTyping(started: started, preview: preview), by: caller)
  }

  public func notice(
    _ serviceID: String, text: String, by caller: ChatCaller = .customer(userKey: nil)
  ) async throws(EngineError) -> ChatReply {
    try await operate(serviceID, .customerNotice(text: text), by: caller)
  }

  public func pushURL(
    _ serviceID: String, url: String, by caller: ChatCaller = .customer(userKey: nil)
  ) async throws(EngineError) -> ChatReply {
    try await operate(serviceID, .customerPushURL(url), by: caller)
  }

  public func updateData(
    _ serviceID: String, _ data: [NameValuePair], by caller: ChatCaller = .customer(userKey: nil)
  ) async throws(EngineError) -> ChatReply {
    try await operate(serviceID, .updateData(data.filter { !$0.name.hasPrefix("_") }), by: caller)
  }

  /// Sends `message` first if there is one; then returns what follows `position`, or what the customer has not been
  /// given yet. Spec: GMS 3.3, 5.2, 6.7.
  /// - Throws: `.chat(.ended)` only if the service asks for it (`_chat_400_response_on_disconnected`).
  public func refresh(
    _ serviceID: String, after position: Int?, message: String?, by caller: ChatCaller = .customer(userKey: nil)
  ) async throws(EngineError) -> ChatReply {
    let entity = try entity(serviceID)
    if let message, !message.isEmpty {
      do throws(EngineError) {
        _ = try await perform(.customerSend(text: message), on: entity, by: caller) { _ in true }
      } catch {
        // Too late for the text: the reply below says that the chat is over.
        guard error == .chat(.ended) else { throw error }
      }
    }
    let delivered = position == nil ? await highestConfirmed(serviceID, of: entity) : 0
    let (policy, asker) = (policy(of: serviceID), self.caller(caller, of: serviceID))
    let (reply, isStarted, isGuessed, isOpen) = try await read(entity) { chat in
      let events = chat.events(after: position ?? max(chat.servedPosition, chat.writtenPosition, delivered))
      let reply = ChatReply(chat, serviceID: serviceID, state: chat.replyState, events: events)
      return (reply, chat.isStarted, chat.isPositionGuessed, chat.opens(to: asker, policy))
    }
    guard isOpen else { throw .chat(.unknownService) }
    guard isStarted else { throw .chat(.notStarted) }
    // 0 asks for the transcript from the start, whatever the app has of it.
    if let position, position > 0, isGuessed {
      await tell(serviceID, .statePosition(position, concernsSeveralChats: false, replacesStated: false))
    }
    if reply.state == .disconnected, option(ChatOptions.keys.refusesEndedRefresh, of: serviceID) {
      throw .chat(.ended)
    }
    await noteServed(reply, by: entity)
    return reply
  }

  /// From now on the chat's pushes go there; nil: nowhere.
  public func changePushTarget(
    _ serviceID: String, to target: PushTarget?, by caller: ChatCaller = .customer(userKey: nil)
  ) async throws(EngineError) {
    _ = try await perform(.changePushTarget(target), on: try entity(serviceID), by: caller) { _ in true }
  }

  /// The chat's push target as it is now; nil if it has none.
  public func pushTarget(of serviceID: String) async throws(EngineError) -> PushTarget? {
    try await read(try entity(serviceID)) { $0.pushTarget }
  }

  /// Ends the chat; harmless when it has ended.
  public func disconnect(
    _ serviceID: String, by caller: ChatCaller = .customer(userKey: nil)
  ) async throws(EngineError) -> ChatReply {
    try await operate(serviceID, .customerLeave, by: caller)
  }

  /// Whether an instance is there for the caller; also where there is none at all, which each operation says itself.
  public func opens(_ serviceID: String, to caller: ChatCaller) async -> Bool {
    let (asker, policy) = (self.caller(caller, of: serviceID), policy(of: serviceID))
    return await directory.peek(serviceID) { $0.opens(to: asker, policy) } ?? true
  }

  /// The position of the last event of an instance's transcript; nil if there is none such.
  public func lastPosition(of serviceID: String) async -> Int? {
    await directory.peek(serviceID) { $0.lastPosition }
  }

  /// Whether a key was made here, for one callback alone: it opens that one's chat and nothing more.
  public func isGuestKey(_ userKey: String) -> Bool { index.isGuestKey(userKey) }

  /// The name of the service that an instance belongs to. - Throws: `.chat(.unknownService)`.
  public func serviceName(of serviceID: String) async throws(EngineError) -> String {
    guard let entry = index[serviceID] else { throw .chat(.unknownService) }
    return entry.serviceName
  }

  // MARK: For the Comet gateway and the agents

  /// The chats that a Comet session may get events of.
  func services(of session: CometSession) -> [String] {
    services(userKey: session.userKey, serviceID: session.serviceID)
  }

  /// - Parameter serviceID: counts only for a chat that its service id alone opens.
  func services(userKey: String?, serviceID: String?) -> [String] {
    var found = userKey.map(index.services(userKey:)) ?? []
    if let serviceID, index[serviceID]?.chatSessionID != nil, isOpenByServiceID(serviceID), !found.contains(serviceID) {
      found.append(serviceID)
    }
    return found
  }

  /// The Comet sessions that may get the chat's events.
  func sessions(of serviceID: String) -> [CometSession] {
    comet.sessions(
      userKeys: [index[serviceID]?.userKey, index.guestKey(of: serviceID)].compactMap(\.self),
      serviceID: isOpenByServiceID(serviceID) ? serviceID : nil)
  }

  private func isOpenByServiceID(_ serviceID: String) -> Bool {
    guard let entry = index[serviceID], !entry.isUserErased else { return false }
    return entry.userKey == nil || entry.userKey == index.guestKey(of: serviceID)
      || policy(of: serviceID).opensByServiceID
  }

  /// The caller as the chat itself knows them: who shows the key that was made for its callback stands for whoever
  /// started it. Chats of earlier versions may have that key for their user: they have none, and the id opens them.
  func caller(_ caller: ChatCaller, of serviceID: String) -> ChatCaller {
    guard case .customer(let shown) = caller, let guest = index.guestKey(of: serviceID), let entry = index[serviceID],
      shown == guest || (shown == nil && entry.userKey == guest)
    else { return caller }
    return .customer(userKey: entry.userKey)
  }

  /// Whether one position that an app states speaks for several of these chats: those that live and do not poll.
  func concernsSeveral(_ serviceIDs: [String]) async -> Bool {
    guard serviceIDs.count > 1 else { return false }
    var count = 0
    for serviceID in serviceIDs {
      guard let entity = directory[serviceID] else { continue }
      if await entity.peek({ $0.notifiesByComet && $0.isLive }) { count += 1 }
    }
    return count > 1
  }

  /// The chats of these that a position speaks for: those that live and do not poll, or the one that is over.
  func named(by serviceIDs: [String]) async -> [String] {
    var (live, over): ([String], [String]) = ([], [])
    for serviceID in serviceIDs {
      guard let entity = directory[serviceID] else { continue }
      let (isNamed, isLive) = await entity.peek { ($0.notifiesByComet && $0.isStarted, $0.isLive) }
      guard isNamed else { continue }
      if isLive { live.append(serviceID) } else { over.append(serviceID) }
    }
    return live.isEmpty && over.count == 1 ? over : live
  }

  /// Lets a chat know what happened to one of its customer's Comet sessions; returns once that is durable and what
  /// follows from it is in the sessions' queues, or, while the journal has no room, will be. A refusal (a chat with too
  /// many sessions) leaves the session without it.
  func tell(_ serviceID: String, _ action: ChatAction) async {
    guard let entity = directory[serviceID] else { return }
    do throws(EngineError) { _ = try await perform(action, on: entity) { _ in true } } catch {
      switch error {
      case .limitReached, .storageFull: await entity.post(ChatCommand(action, policy: policy(of: serviceID)))
      case .refused, .missing, .unknownServiceName, .unavailable, .unknownDevice, .unknownDeadLetter, .invalid: return
      }
    }
  }

  func entity(_ serviceID: String) throws(EngineError) -> Entity<ChatSession> {
    guard let entity = directory[serviceID] else { throw .chat(.unknownService) }
    return entity
  }

  func perform<Reply: Sendable>(
    _ action: ChatAction, on entity: Entity<ChatSession>, by caller: ChatCaller = .house,
    _ reply: @Sendable (borrowing ChatSession) -> Reply
  ) async throws(EngineError) -> Reply {
    let serviceID = entity.id.key
    let command = ChatCommand(action, policy: policy(of: serviceID), caller: self.caller(caller, of: serviceID))
    do throws(TurnError<ChatRejection>) {
      return try await entity.perform(command, reply: reply)
    } catch {
      throw EngineError(error)
    }
  }

  func read<Value: Sendable>(
    _ entity: Entity<ChatSession>, _ body: @Sendable (borrowing ChatSession) -> Value
  ) async throws(EngineError) -> Value {
    do throws(TurnError<ChatRejection>) { return try await entity.read(body) } catch { throw EngineError(error) }
  }

  /// The options of an instance's service as they stand now.
  package func policy(of serviceID: String) -> ChatPolicy {
    guard let entry = index[serviceID] else { return ChatPolicy() }
    return policies.policy(service: entry.serviceName, request: entry.requestOptions)
  }

  /// What its service's options say, and its request.
  package func option<Value>(_ key: OptionKey<Value>, of serviceID: String) -> Value {
    setOption(key, of: serviceID) ?? key.builtIn
  }

  /// The same; nil if nobody has set it.
  func setOption<Value>(_ key: OptionKey<Value>, of serviceID: String) -> Value? {
    guard let entry = index[serviceID] else { return nil }
    return options.current.service(entry.serviceName, request: entry.requestOptions).ifSet(key)
  }

  // MARK: Parts

  private func operate(
    _ serviceID: String, _ action: ChatAction, by caller: ChatCaller
  ) async throws(EngineError) -> ChatReply {
    let entity = try entity(serviceID)
    let reply = try await perform(action, on: entity, by: caller) { chat in
      // A polling app is handed what it has not seen, so that the position in the reply skips nothing. Over Comet the
      // events come by themselves, and the reply only says how far the transcript has come.
      ChatReply(
        chat, serviceID: serviceID, state: chat.replyState,
        events: chat.events(after: chat.notifiesByComet ? chat.lastPosition : chat.servedPosition))
    }
    await noteServed(reply, by: entity)
    return reply
  }

  /// Also when there was nothing new: whoever asks is using the chat.
  private func noteServed(_ reply: ChatReply, by entity: Entity<ChatSession>) async {
    let command = ChatCommand(.noteServed(upTo: reply.position), policy: policy(of: reply.serviceID))
    await entity.post(command, lazy: true)
  }

  private func highestConfirmed(_ serviceID: String, of entity: Entity<ChatSession>) async -> Int {
    var highest = 0
    for session in sessions(of: serviceID) {
      highest = max(highest, await session.confirmed(of: serviceID))
    }
    return highest
  }

  /// Attached data: everything but the options, and of those the ones that a request may override.
  private func attachable(_ data: [NameValuePair], of service: String) -> [NameValuePair] {
    guard data.contains(where: { $0.name.hasPrefix("_") }) else { return data }
    let listed = options.current.service(service, request: [])[NodeOptions.keys.overwritable]
    return data.filter { !$0.name.hasPrefix("_") || listed.contains($0.name) }
  }
}

extension ChatReply {
  init(_ chat: borrowing ChatSession, serviceID: String, state: State, events: ArraySlice<TranscriptEvent>) {
    self.init(
      serviceID: serviceID, serviceName: chat.serviceName, chatSessionID: chat.chatSessionID, state: state,
      position: chat.lastPosition, startedAt: chat.startedAt, events: Array(events), userID: chat.userID,
      secureKey: chat.secureKey, isFollowedByServiceID: chat.notifiesByComet && chat.userKey == nil,
      takesFiles: chat.takesFiles)
  }
}

extension ChatSession {
  var replyState: ChatReply.State { isEnded ? .disconnected : .transcript }
}
