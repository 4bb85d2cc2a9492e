package import ChatDomain
package import EngineKit

// What whoever keeps the files of chats asks for agents.
extension AgentService {
  /// The instance of a chat that is the viewer's business. - Throws: `.chat(.unknownService)`.
  package func serviceID(of chatID: String, for viewer: AgentViewer) async throws(EngineError) -> String {
    try await look(chatID, for: viewer) { _, serviceID in serviceID }
  }

  /// A file of a chat that is the viewer's business, and the chat's instance; nil if it has no such file.
  /// - Throws: `.chat(.unknownService)`.
  package func file(
    _ id: String, of chatID: String, for viewer: AgentViewer
  ) async throws(EngineError) -> (file: ChatFile, serviceID: String)? {
    try await look(chatID, for: viewer) { chat, serviceID in chat.file(id).map { ($0, serviceID) } }
  }
}
