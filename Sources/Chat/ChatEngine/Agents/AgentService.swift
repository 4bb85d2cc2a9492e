public import ChatDomain
public import EngineKit
import EntityRuntime
public import EventSourcing

/// The agents' operations. `chatID` is the chat session id. Spec: GMS 12.3.
public final class AgentService: Sendable {
  /// Which chats a list holds.
  public enum Filter: String, Sendable, CaseIterable { case waiting, own, all }

  let chats: ChatService
  let desks: EntityDirectory<AgentDesk>
  let feed: AgentFeed
  /// Finds what was said.
  public let search: SearchService
  /// Who may be offered work.
  package let ready: ReadyAgents
  let context: RuntimeContext

  init(
    chats: ChatService, desks: EntityDirectory<AgentDesk>, feed: AgentFeed, search: SearchService,
    ready: ReadyAgents, context: RuntimeContext
  ) {
    self.chats = chats
    self.desks = desks
    self.feed = feed
    self.search = search
    self.ready = ready
    self.context = context
  }

  /// Chats that somebody sees, that have been started and whose instance still lives.
  /// - Throws: `.invalid` for a cursor that no list of this order has given.
  public func list(
    _ query: AgentListQuery, for viewer: AgentViewer
  ) async throws(EngineError) -> ListPage<AgentChatSummary> {
    let after = try query.after.map { text throws(EngineError) in
      guard let place = ChatPlace(cursor: text, query.order) else {
        throw .invalid(field: "after", reason: ListPage<AgentChatSummary>.noCursor)
      }
      return place
    }
    let page = chats.index.find(query, for: viewer, after: after, limit: query.limit(chats.limits))
    let found = try await summaries(page.places.compactMap { chats.index.service(ofSession: $0.chatID) }, for: viewer) {
      query.takes($0, of: viewer)
    }
    return ListPage(
      elements: found, next: page.hasMore ? page.places.last?.cursor(query.order) : nil, total: page.total)
  }

  /// A customer's chats that somebody sees, the newest first.
  public func list(
    ofCustomer userKey: String, limit: Int, for viewer: AgentViewer
  ) async throws(EngineError) -> [AgentChatSummary] {
    let found = try await summaries(chats.index.services(userKey: userKey), for: viewer) { chat in
      chat.isStarted && chat.userKey == userKey && viewer.sees(AgentAudience(chat))
    }
    return Array(found.sorted { ($0.startedAt, $0.chatID) > ($1.startedAt, $1.chatID) }.prefix(limit))
  }

  private func summaries(
    _ serviceIDs: [String], for viewer: AgentViewer, where takes: @Sendable (borrowing ChatSession) -> Bool
  ) async throws(EngineError) -> [AgentChatSummary] {
    var found: [AgentChatSummary] = []
    for serviceID in serviceIDs {
      // What sleeps is looked at where it lies. The index may be a moment behind what the chat says.
      let summary = await chats.directory.peek(serviceID) { chat -> AgentChatSummary? in
        takes(chat) ? AgentChatSummary(chat, serviceID: serviceID, for: viewer) : nil
      }
      if let summary = summary ?? nil { found.append(summary) }
    }
    try await context.untilTold()
    return found
  }

  /// - Throws: `.chat(.unknownService)` also for a chat that is none of the viewer's business; so do all below.
  public func summary(_ chatID: String, for viewer: AgentViewer) async throws(EngineError) -> AgentChatSummary {
    try await look(chatID, for: viewer) { AgentChatSummary($0, serviceID: $1, for: viewer) }
  }

  /// Whether it is the viewer's business, to act in it.
  ///
  /// What lets the viewer in may not be on the disk yet: the turn that follows is behind it in the journal, and is
  /// answered no sooner. A refusal is the answer itself and waits.
  public func admit(_ viewer: AgentViewer, to chatID: String) async throws(EngineError) {
    if try await entity(chatID).peek({ viewer.sees(AgentAudience($0)) }) { return }
    try await look(chatID, for: viewer) { _, _ in }
  }

  /// An agent takes a chat that waits; a supervisor joins any.
  /// - Throws: `.chat(.taken)` if the viewer serves the chat's service, but another agent has the chat.
  public func join(
    _ chatID: String, nickname: String, role: PartyRole, for viewer: AgentViewer
  ) async throws(EngineError) -> Int? {
    let chat = try entity(chatID)
    let isTheirs = try await chats.read(chat) { chat in
      viewer.sees(AgentAudience(chat)) || (chat.isLive && viewer.serves(chat.deskService))
    }
    guard isTheirs else { throw .chat(.unknownService) }
    return try await operate(
      chatID,
      .agentJoin(agentID: viewer.id, nickname: nickname, role: role, onlyIfWaiting: !viewer.isSupervisor))
  }

  /// Each returns the customer-side position of the event that it caused, nil if it caused none. Whoever asks has been
  /// admitted.
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

  /// A part of what agents see, with the lines that only agents see.
  public func transcript(
    _ chatID: String, _ part: TranscriptPart, for viewer: AgentViewer
  ) async throws(EngineError) -> AgentTranscript {
    try await look(chatID, for: viewer) { chat, _ in
      let (lines, next) = chat.agentLines(in: part)
      return AgentTranscript(
        lines: lines, position: chat.lastPosition, ended: chat.isEnded, startedAt: chat.startedAt, next: next)
    }
  }

  /// All that agents see after the event at `position`.
  public func transcript(
    _ chatID: String, after position: Int, for viewer: AgentViewer
  ) async throws(EngineError) -> AgentTranscript {
    try await transcript(chatID, .after(position, limit: nil), for: viewer)
  }

  /// Whether the agent takes chats: of what the viewer serves, for as long as they serve it. See `ReadyAgents`.
  /// - Throws: `.limitReached`, `.storageFull`, `.unavailable`.
  public func setReady(_ viewer: AgentViewer, _ ready: Bool) async throws(EngineError) {
    guard let desk = desks.entity(viewer.id, limit: chats.limits.chatsMaximum) else { throw .limitReached("agents") }
    let readiness = ready ? AgentReadiness.ready(for: viewer.services?.sorted()) : .away
    do throws(TurnError<Never>) { _ = try await desk.perform(readiness) { $0.readiness } } catch {
      throw switch error {
      case .overloaded, .tooLarge: .limitReached("journal")
      case .storageFull: .storageFull
      case .failed: .unavailable
      }
    }
  }

  public func isReady(_ agentID: String) async -> Bool {
    guard let desk = desks[agentID] else { return false }
    return (try? await desk.read { $0.readiness.isReady }) ?? false
  }

  /// Which agents are there now.
  public var presence: @Sendable (_ agentID: String) -> AgentPresence { feed.presence }

  /// How many streams of agents are open, or have ended and nobody has been told yet.
  package var streamCount: Int { feed.streamCount }

  /// How many live chats an agent is in.
  public func chatCount(of agentID: String) -> Int { chats.index.count(of: agentID) }

  /// How many they may have and still be offered another one.
  public var capacity: Int { chats.options.agentCapacity }

  /// What concerns an agent, for their stream: first what is still kept after `number`, or a `reset` if some of it is
  /// gone. The stream ends when its reader falls too far behind or the server stops.
  public func events(after number: UInt64?, for viewer: AgentViewer) -> AsyncStream<AgentEvent> {
    feed.events(after: number, for: viewer)
  }

  func look<Value: Sendable>(
    _ chatID: String, for viewer: AgentViewer, _ body: @Sendable (borrowing ChatSession, _ serviceID: String) -> Value
  ) async throws(EngineError) -> Value {
    let chat = try entity(chatID)
    let serviceID = chat.id.key
    let found = try await chats.read(chat) { viewer.sees(AgentAudience($0)) ? body($0, serviceID) : nil }
    guard let found else { throw .chat(.unknownService) }
    return found
  }

  func entity(_ chatID: String) throws(EngineError) -> Entity<ChatSession> {
    guard let serviceID = chats.index.service(ofSession: chatID) else { throw .chat(.unknownService) }
    return try chats.entity(serviceID)
  }

  func operate(_ chatID: String, _ action: ChatAction) async throws(EngineError) -> Int? {
    let chat = try entity(chatID)
    return try await chats.perform(action, on: chat) { $0.lastPosition }
  }
}

/// A transcript as agents see it.
public struct AgentTranscript: Sendable, Equatable {
  public var lines: [AgentLine]
  public var position: Int
  public var ended: Bool
  public var startedAt: Timestamp
  /// The position to go on from; nil where there is nothing more.
  public var next: Int?
}
