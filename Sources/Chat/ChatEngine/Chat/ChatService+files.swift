package import ChatDomain
package import EngineKit
import EntityRuntime
package import EventSourcing

// What whoever keeps the files of chats asks of them.
extension ChatService {
  /// What a chat would say to this now, and does not do: before much is done for it.
  /// - Throws: as `post`.
  package func lookAhead(
    _ serviceID: String, _ action: ChatAction, by caller: ChatCaller, now: Timestamp
  ) async throws(EngineError) {
    let command = ChatCommand(action, policy: policy(of: serviceID), caller: self.caller(caller, of: serviceID))
    let refusal = try await read(try entity(serviceID)) { chat -> ChatRejection? in
      do throws(ChatRejection) { _ = try chat.decide(command, now: now) } catch { return error }
      return nil
    }
    if let refusal { throw .chat(refusal) }
  }

  /// - Returns: the position of what has come of it.
  package func post(
    _ serviceID: String, _ action: ChatAction, by caller: ChatCaller
  ) async throws(EngineError) -> Int {
    try await perform(action, on: try entity(serviceID), by: caller) { $0.lastPosition }
  }

  /// A file of a chat that opens to the caller. - Throws: `.chat(.unknownService)`; nil: it has no such file.
  package func file(_ id: String, of serviceID: String, for caller: ChatCaller) async throws(EngineError) -> ChatFile? {
    let (asker, policy) = (self.caller(caller, of: serviceID), policy(of: serviceID))
    let (isOpen, file) = try await read(try entity(serviceID)) { chat in (chat.opens(to: asker, policy), chat.file(id))
    }
    guard isOpen else { throw .chat(.unknownService) }
    return file
  }

  /// Whether a chat has such a file, whoever asks.
  package func hasFile(_ id: String, of serviceID: String) async -> Bool {
    await directory.peek(serviceID) { $0.file(id) != nil } ?? false
  }
}
