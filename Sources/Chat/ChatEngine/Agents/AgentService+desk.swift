public import ChatDomain
public import EngineKit
import EntityRuntime
import EventSourcing

// What agents do beside the conversation, and how they pass it on. Whoever asks has been admitted, if nothing else is said.
extension AgentService {
  /// Notes how far the viewer has read; nobody waits for that.
  /// - Returns: how far that is now: it never goes back, and not beyond the last event.
  public func read(_ chatID: String, upTo position: Int, for viewer: AgentViewer) async throws(EngineError) -> Int? {
    let reached = try await look(chatID, for: viewer) { chat, _ in
      max(chat.readMark(of: viewer.id), min(position, chat.lastPosition))
    }
    let chat = try entity(chatID)
    await chat.post(
      ChatCommand(.agentRead(agentID: viewer.id, upTo: position), policy: chats.policy(of: chat.id.key)), lazy: true)
    return reached
  }

  /// The agent sends away what is offered to them, and is not ready any more. - Throws: `.chat(.notOffered)`.
  public func release(_ chatID: String, agentID: String) async throws(EngineError) {
    _ = try await operate(chatID, .releaseOffer(agentID: agentID))
  }

  /// A word among agents.
  public func note(_ chatID: String, agentID: String, text: String) async throws(EngineError) {
    _ = try await operate(chatID, .agentNote(agentID: agentID, text: text))
  }

  /// A supervisor's word to the agents; they need not be in the chat.
  public func whisper(_ chatID: String, agentID: String, text: String) async throws(EngineError) {
    _ = try await operate(chatID, .whisper(agentID: agentID, text: text))
  }

  public func invite(_ agentID: String, to chatID: String, by viewer: AgentViewer) async throws(EngineError) {
    _ = try await operate(
      chatID, .invite(agentID: agentID, by: viewer.id, isSupervisor: viewer.isSupervisor))
  }

  /// The agent leaves it to another agent or to those of a service.
  /// - Throws: `.invalid` for a service that there is not.
  public func transfer(
    _ chatID: String, agentID: String, to target: ChatTransferTarget
  ) async throws(EngineError) -> Int? {
    if case .service(let name) = target, !chats.options.current.hasService(name) {
      throw .invalid(field: "service", reason: "is not the name of a service")
    }
    return try await operate(chatID, .transfer(agentID: agentID, to: target))
  }

  /// A supervisor comes, and the others leave.
  public func takeOver(_ chatID: String, agentID: String, nickname: String) async throws(EngineError) -> Int? {
    try await operate(chatID, .takeOver(agentID: agentID, nickname: nickname))
  }

  /// Notes what came of a chat that the viewer is in or was, also when it is over. Judges itself whose business it is.
  public func wrapUp(
    _ chatID: String, disposition: String, note: String, tags: [String], for viewer: AgentViewer
  ) async throws(EngineError) -> Int? {
    let chat = try entity(chatID)
    let isTheirs = try await chats.read(chat) { $0.hasHadAgent(viewer.id) || viewer.sees(AgentAudience($0)) }
    guard isTheirs else { throw .chat(.unknownService) }
    return try await operate(
      chatID, .wrapUp(agentID: viewer.id, disposition: disposition, note: note, tags: tags))
  }
}
