public import ChatDomain
import EntityRuntime
public import EventSourcing

/// The agents' operations. `chatID` is the chat session id. Spec: GMS 12.3.
public struct AgentService: Sendable {
  /// Which chats a list holds.
  public enum Filter: String, Sendable { case waiting, own, all }

  let chats: ChatService
  let desks: EntityDirectory<AgentDesk>
  let feed: AgentFeed
  let context: RuntimeContext

  /// Chats that have been started and whose instance still lives, the oldest first; at most
  /// `EngineLimits.agentListMaximum`.
  public func list(_ filter: Filter, agentID: String) async throws(EngineError) -> [AgentChatSummary] {
    var found: [AgentChatSummary] = []
    for serviceID in chats.index.started(includingEnded: filter == .all) {
      // What sleeps is looked at where it lies.
      let summary = await chats.directory.peek(serviceID) { chat -> AgentChatSummary? in
        let belongs =
          switch filter {
          case .waiting: chat.isWaiting
          case .own: chat.isLive && chat.hasAgent(agentID)
          case .all: chat.isStarted
          }
        return belongs ? AgentChatSummary(chat, serviceID: serviceID) : nil
      }
      if let summary = summary ?? nil { found.append(summary) }
    }
    do throws(EventLogError) { try await context.untilDurable() } catch {
      throw error == .failed ? .unavailable : .limitReached("journal")
    }
    found.sort { ($0.startedAt, $0.chatID) < ($1.startedAt, $1.chatID) }
    return Array(found.prefix(chats.limits.agentListMaximum))
  }

  public func summary(_ chatID: String) async throws(EngineError) -> AgentChatSummary {
    let chat = try entity(chatID)
    return try await chats.read(chat) { AgentChatSummary($0, serviceID: chat.id.key) }
  }

  /// Each returns the customer-side position of the event that it caused, nil if it caused none.
  public func join(
    _ chatID: String, agentID: String, nickname: String, role: PartyRole
  ) async throws(EngineError) -> Int? {
    try await operate(chatID, .agentJoin(agentID: agentID, nickname: nickname, role: role))
  }

  public func send(_ chatID: String, agentID: String, text: String) async throws(EngineError) -> Int? {
    try await operate(chatID, .agentSend(agentID: agentID, text: text))
  }

  public func typing(_ chatID: String, agentID: String, started: Bool) async throws(EngineError) -> Int? {
    try await operate(chatID, .agentTyping(agentID: agentID, started: started))
  }

  public func pushURL(_ chatID: String, agentID: String, url: String) async throws(EngineError) -> Int? {
    try await operate(chatID, .agentPushURL(agentID: agentID, url: url))
  }

  public func notice(_ chatID: String, agentID: String, text: String) async throws(EngineError) -> Int? {
    try await operate(chatID, .agentNotice(agentID: agentID, text: text))
  }

  public func leave(_ chatID: String, agentID: String) async throws(EngineError) -> Int? {
    try await operate(chatID, .agentLeave(agentID: agentID))
  }

  public func close(_ chatID: String, agentID: String) async throws(EngineError) -> Int? {
    try await operate(chatID, .agentClose(agentID: agentID))
  }

  /// What agents see after the event at `position`, with the lines that only agents see.
  public func transcript(_ chatID: String, after position: Int) async throws(EngineError) -> AgentTranscript {
    try await chats.read(try entity(chatID)) { chat in
      AgentTranscript(
        lines: chat.agentLines(afterPosition: position), position: chat.lastPosition, ended: chat.isEnded,
        startedAt: chat.startedAt)
    }
  }

  /// Whether the agent takes chats. - Throws: `.limitReached`, `.storageFull`, `.unavailable`.
  public func setReady(_ agentID: String, _ ready: Bool) async throws(EngineError) {
    guard let desk = desks.entity(agentID, limit: chats.limits.chatsMaximum) else { throw .limitReached("agents") }
    do throws(TurnError<Never>) { _ = try await desk.perform(ready) { $0.isReady } } catch {
      throw switch error {
      case .overloaded, .tooLarge: .limitReached("journal")
      case .storageFull: .storageFull
      case .failed: .unavailable
      }
    }
  }

  public func isReady(_ agentID: String) async -> Bool {
    guard let desk = desks[agentID] else { return false }
    return (try? await desk.read { $0.isReady }) ?? false
  }

  /// Events for one agent's stream: first what is still kept after `number`, or a `reset` if some of it is gone. The
  /// stream ends when its reader falls too far behind or the server stops.
  public func events(after number: UInt64?) -> AsyncStream<AgentEvent> { feed.events(after: number) }

  private func entity(_ chatID: String) throws(EngineError) -> Entity<ChatSession> {
    guard let serviceID = chats.index.service(ofSession: chatID) else { throw .chat(.unknownService) }
    return try chats.entity(serviceID)
  }

  private func operate(_ chatID: String, _ action: ChatAction) async throws(EngineError) -> Int? {
    let chat = try entity(chatID)
    return try await chats.perform(action, on: chat) { $0.lastPosition }
  }
}

/// A chat as an agent's list shows it.
public struct AgentChatSummary: Sendable, Equatable {
  public var chatID: String
  public var serviceID: String
  public var serviceName: String
  public var subject: String
  public var customer: String
  public var startedAt: Timestamp
  public var customerOnline: Bool
  public var position: Int
  public var waiting: Bool
  public var ended: Bool
  public var agents: [ChatAgent]
  public var data: [DataPair]

  init(_ chat: borrowing ChatSession, serviceID: String) {
    chatID = chat.chatSessionID
    self.serviceID = serviceID
    serviceName = chat.serviceName
    subject = chat.subject
    customer = chat.nickname
    startedAt = chat.startedAt
    customerOnline = chat.customerIsOnline
    position = chat.lastPosition
    waiting = chat.isWaiting
    ended = chat.isEnded
    agents = chat.agents
    data = chat.data
  }
}

/// A transcript as agents see it.
public struct AgentTranscript: Sendable, Equatable {
  public var lines: [AgentLine]
  public var position: Int
  public var ended: Bool
  public var startedAt: Timestamp
}
