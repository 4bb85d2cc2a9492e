import EngineKit
import EntityRuntime
import EventSourcing
import StorageDomain

// Files of chats. Nobody finds them by what apps store under: only the chat that names one leads to it.
extension StorageService {
  private static let fileKey = "file"
  /// A file that its chat never came to name, as after a kill in between.
  private static let unnamedSeconds = 3_600

  /// Keeps a file for as long as the chat that is to name it lives.
  /// - Parameters:
  ///   - chat: its service id.
  ///   - source: whose share it takes; nil for whoever is no stranger.
  /// - Returns: its id.
  package func keepFile(
    _ bytes: [UInt8], contentType: String, ofChat chat: String, from source: StorageSource?
  ) async throws(StorageFailure) -> String {
    let id = identifiers.uuid()
    // Its name stands in the chat.
    let upload = StorageUpload(Self.fileKey, .file(bytes, contentType: contentType, name: nil))
    try await create(
      [upload], under: id, named: .file(id: id, chat: chat),
      until: until(min(instances.seconds(of: chat), Self.unnamedSeconds)), from: source)
    return id
  }

  /// What is in a file. - Throws: `.unknown` for one that is gone, `.damaged`.
  package func keptFile(_ id: String, ofChat chat: String) async throws(StorageFailure) -> StorageContent {
    guard index[.file(id: id, chat: chat)] == id, let record = directory[id] else { throw .unknown }
    let now = context.time.now
    let file: StoredFile?
    do {
      file = try await record.read { data in data.expiresAt.map { $0 > now } == true ? data.files.first : nil }
    } catch { throw StorageFailure(error) }
    guard let file else { throw .unknown }
    return StorageContent(
      bytes: try await content(of: file), digest: file.digest, contentType: file.contentType, name: file.name)
  }

  /// The chat has not taken it. What cannot be said now, its alarm says.
  package func dropFile(_ id: String) async {
    await directory[id]?.post(.end(reason: "its chat has not taken it"))
  }
}
