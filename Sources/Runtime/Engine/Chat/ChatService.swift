public import ChatDomain
import EntityRuntime
import EventSourcing

/// The customer's operations on chats. Each returns once what it did is durable.
public struct ChatService: Sendable {
  let directory: EntityDirectory<ChatSession>
  let index: ChatIndex
  let comet: CometDirectory
  let options: OptionStore
  let limits: EngineLimits
  let nodeNumber: Int
  let identifiers: Identifiers

  // MARK: Operations

  /// Makes a service instance. - Returns: its service id. - Throws: `.unknownServiceName`, `.limitReached`.
  public func create(service name: String, data: [DataPair]) async throws(EngineError) -> String {
    let serviceID = identifiers.serviceID(node: nodeNumber)
    try await create(service: name, data: data, as: serviceID)
    return serviceID
  }

  /// - Parameter serviceID: of the instance, which no other has.
  func create(service name: String, data: [DataPair], as serviceID: String) async throws(EngineError) {
    guard options.current.hasService(name) else { throw .unknownServiceName(name) }
    guard let entity = directory.entity(serviceID, limit: limits.chatsMaximum) else { throw .limitReached("chats") }
    index.created(serviceID, serviceName: name, data: attachable(data, of: name))
    do {
      _ = try await perform(
        .create(serviceName: name, data: attachable(data, of: name)), on: entity
      ) { _ in true }
    } catch {
      directory.remove(serviceID)
      index.removed(serviceID)
      throw error
    }
  }

  /// Starts the chat of an instance.
  public func start(_ serviceID: String, _ request: ChatStartRequest) async throws(EngineError) -> ChatReply {
    let start = ChatStart(
      chatSessionID: identifiers.chatSessionID(), userKey: request.userKey, notifiesByComet: request.notifiesByComet,
      nickname: request.nickname, subject: request.subject, firstMessage: request.firstMessage,
      pushTarget: request.pushTarget, userID: identifiers.secureKey(), secureKey: identifiers.secureKey(),
      data: attachable(request.data, of: try await serviceName(of: serviceID)))
    let entity = try entity(serviceID)
    return try await perform(.start(start), on: entity) { chat in
      ChatReply(chat, serviceID: serviceID, state: .connected, events: chat.events(after: 0))
    }
  }

  public func send(_ serviceID: String, text: String) async throws(EngineError) -> ChatReply {
    try await operate(serviceID, .customerSend(text: text))
  }

  public func typing(_ serviceID: String, started: Bool, preview: String) async throws(EngineError) -> ChatReply {
    try await operate(serviceID, .customerTyping(started: started, preview: preview))
  }

  public func notice(_ serviceID: String, text: String) async throws(EngineError) -> ChatReply {
    try await operate(serviceID, .customerNotice(text: text))
  }

  public func pushURL(_ serviceID: String, url: String) async throws(EngineError) -> ChatReply {
    try await operate(serviceID, .customerPushURL(url))
  }

  public func updateData(_ serviceID: String, _ data: [DataPair]) async throws(EngineError) -> ChatReply {
    try await operate(serviceID, .updateData(data.filter { !$0.name.hasPrefix("_") }))
  }

  /// Sends `message` first if there is one; then returns what follows `position`, or what the customer has not been
  /// given yet. Spec: GMS 3.3, 5.2, 6.7.
  /// - Throws: `.chat(.ended)` only if the service asks for it (`_chat_400_response_on_disconnected`).
  public func refresh(_ serviceID: String, after position: Int?, message: String?) async throws(EngineError)
    -> ChatReply
  {
    let entity = try entity(serviceID)
    if let message, !message.isEmpty {
      do throws(EngineError) {
        _ = try await perform(.customerSend(text: message), on: entity) { _ in true }
      } catch {
        // Too late for the text: the reply below says that the chat is over.
        guard error == .chat(.ended) else { throw error }
      }
    }
    let delivered = position == nil ? await highestDelivered(serviceID, of: entity) : 0
    let (reply, isStarted) = try await read(entity) { chat in
      let events = chat.events(after: position ?? max(chat.servedPosition, chat.writtenPosition, delivered))
      return (ChatReply(chat, serviceID: serviceID, state: chat.replyState, events: events), chat.isStarted)
    }
    guard isStarted else { throw .chat(.notStarted) }
    if reply.state == .disconnected,
      option("_chat_400_response_on_disconnected", of: serviceID).map({ $0 == "true" }) == true
    {
      throw .chat(.ended)
    }
    await noteServed(reply, by: entity)
    return reply
  }

  /// Ends the chat; harmless when it has ended.
  public func disconnect(_ serviceID: String) async throws(EngineError) -> ChatReply {
    try await operate(serviceID, .customerLeave)
  }

  /// The name of the service that an instance belongs to. - Throws: `.chat(.unknownService)`.
  public func serviceName(of serviceID: String) async throws(EngineError) -> String {
    guard let entry = index[serviceID] else { throw .chat(.unknownService) }
    return entry.serviceName
  }

  // MARK: For the Comet gateway and the agents

  /// The chats that a Comet session may get events of.
  func services(of session: CometSession) -> [String] {
    index.services(userKey: session.userKey, serviceID: session.serviceID)
  }

  func services(userKey: String?, serviceID: String?) -> [String] {
    index.services(userKey: userKey, serviceID: serviceID)
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

  /// Lets a chat know what happened to one of its customer's Comet sessions; returns once that is durable and what
  /// follows from it is in the sessions' queues, or, while the journal has no room, will be. A refusal (a chat with too
  /// many sessions) leaves the session without it.
  func tell(_ serviceID: String, _ action: ChatAction) async {
    guard let entity = directory[serviceID] else { return }
    do throws(EngineError) { _ = try await perform(action, on: entity) { _ in true } } catch {
      switch error {
      case .limitReached, .storageFull: await entity.post(ChatCommand(action, policy: policy(of: serviceID)))
      case .chat, .callback, .slotUnavailable, .missing, .unknownServiceName, .unavailable, .unknownDevice,
        .unknownDeadLetter, .invalid:
        return
      }
    }
  }

  func entity(_ serviceID: String) throws(EngineError) -> Entity<ChatSession> {
    guard let entity = directory[serviceID] else { throw .chat(.unknownService) }
    return entity
  }

  func perform<Reply: Sendable>(
    _ action: ChatAction, on entity: Entity<ChatSession>, _ reply: @Sendable (borrowing ChatSession) -> Reply
  ) async throws(EngineError) -> Reply {
    let command = ChatCommand(action, policy: policy(of: entity.id.key))
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
  func policy(of serviceID: String) -> ChatPolicy {
    guard let entry = index[serviceID] else { return ChatPolicy() }
    return options.policy(service: entry.serviceName, request: entry.requestOptions)
  }

  func option(_ name: String, of serviceID: String) -> String? {
    guard let entry = index[serviceID] else { return nil }
    return options.current.service(entry.serviceName, name, request: entry.requestOptions)
  }

  // MARK: Parts

  private func operate(_ serviceID: String, _ action: ChatAction) async throws(EngineError) -> ChatReply {
    let entity = try entity(serviceID)
    let reply = try await perform(action, on: entity) { chat in
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

  private func highestDelivered(_ serviceID: String, of entity: Entity<ChatSession>) async -> Int {
    var highest = 0
    for session in comet.sessions(userKey: index[serviceID]?.userKey, serviceID: serviceID) {
      highest = max(highest, await session.delivered(of: serviceID))
    }
    return highest
  }

  /// Attached data: everything but the options, and of those the ones that a request may override.
  private func attachable(_ data: [DataPair], of service: String) -> [DataPair] {
    guard data.contains(where: { $0.name.hasPrefix("_") }) else { return data }
    let listed = options.current.service(service, "_overwritable_options").map(Options.list) ?? []
    return data.filter { !$0.name.hasPrefix("_") || listed.contains($0.name) }
  }
}

extension ChatReply {
  init(_ chat: borrowing ChatSession, serviceID: String, state: State, events: ArraySlice<TranscriptEvent>) {
    self.init(
      serviceID: serviceID, serviceName: chat.serviceName, chatSessionID: chat.chatSessionID, state: state,
      position: chat.lastPosition, startedAt: chat.startedAt, events: Array(events), userID: chat.userID,
      secureKey: chat.secureKey)
  }
}

extension ChatSession {
  var replyState: ChatReply.State { isEnded ? .disconnected : .transcript }
}

extension EngineError {
  init(_ error: TurnError<ChatRejection>) {
    self =
      switch error {
      case .rejected(let rejection): .chat(rejection)
      case .overloaded: .limitReached("journal")
      case .storageFull: .storageFull
      case .tooLarge: .limitReached("journal record")
      case .failed: .unavailable
      }
  }
}
