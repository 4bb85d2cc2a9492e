package import ChatDomain
package import ChatEngine
package import EngineKit
import EntityRuntime
import EventSourcing
import Logging
package import OptionKit
package import StorageEngine
import Synchronization

/// Files in chats: looked at, kept, named in the conversation, handed out. Each call returns once what it did is durable.
///
/// ```
///   name and type ─> would the chat take it? ─> scan ─> kept ─> the chat names it
///                                                        └── it does not: dropped ──┘
/// ```
/// A kill in between leaves bytes that no chat names: they end within the hour.
package final class FileService: Sendable {
  private let chats: ChatService
  private let agents: AgentService
  private let storage: StorageService
  private let scanner: (any FileScanner)?
  private let node: Node
  /// Scans that run.
  private let scans = Mutex(0)

  /// - Parameter scanner: nil where none can be run: if the options want one, nothing is taken then.
  package init(
    _ partitions: Partitions, chats: ChatService, agents: AgentService, storage: StorageService,
    scanner: (any FileScanner)?
  ) {
    node = partitions.node
    self.chats = chats
    self.agents = agents
    self.storage = storage
    self.scanner = scanner
  }

  // MARK: Sending

  /// The customer of a chat sends a file.
  /// - Parameters:
  ///   - caller: for whom the chat opens.
  ///   - source: whose share of what strangers leave here it takes.
  ///   - url: where the customer will get the file of this id.
  package func send(
    _ upload: FileUpload, in serviceID: String, by caller: ChatCaller, from source: StorageSource?,
    url: @Sendable (_ fileID: String) -> String
  ) async throws(FileFailure) -> PostedFile {
    try await send(upload, in: serviceID, by: caller, from: source, url: url) { .sendFile($0, by: nil) }
  }

  /// Before anything of what an agent sends is read. - Throws: `.chat(.unknownService)` if the chat is none of theirs.
  package func admit(_ viewer: AgentViewer, to chatID: String) async throws(FileFailure) {
    do { try await agents.admit(viewer, to: chatID) } catch { throw .chat(error) }
  }

  /// An agent who is in the chat sends a file.
  /// - Parameter url: as the other's, of the chat of this instance.
  package func send(
    _ upload: FileUpload, inChat chatID: String, for viewer: AgentViewer,
    url: @Sendable (_ serviceID: String, _ fileID: String) -> String
  ) async throws(FileFailure) -> PostedFile {
    let serviceID: String
    do { serviceID = try await agents.serviceID(of: chatID, for: viewer) } catch { throw .chat(error) }
    return try await send(upload, in: serviceID, by: .house, from: nil, url: { url(serviceID, $0) }) {
      .sendFile($0, by: viewer.id)
    }
  }

  private func send(
    _ upload: FileUpload, in serviceID: String, by caller: ChatCaller, from source: StorageSource?,
    url: @Sendable (String) -> String, as action: (ChatFile) -> ChatAction
  ) async throws(FileFailure) -> PostedFile {
    let name = try FileName.cleaned(upload.name)
    let type = try FileType.judged(upload.contentType, upload.bytes)
    func file(_ id: String) -> ChatFile {
      ChatFile(id: id, name: name, contentType: type, byteCount: upload.bytes.count, url: url(id))
    }
    do {
      try await chats.lookAhead(serviceID, action(file("")), by: caller, now: node.time.now)
    } catch { throw .chat(error) }
    try await scan(upload.bytes)
    let id: String
    do {
      id = try await storage.keepFile(upload.bytes, contentType: type, ofChat: serviceID, from: source)
    } catch { throw .storage(error) }
    do {
      let posted = file(id)
      return PostedFile(file: posted, position: try await chats.post(serviceID, action(posted), by: caller))
    } catch {
      // Unless nobody knows whether the chat has taken it: then its alarm asks.
      if error != .unavailable { await storage.dropFile(id) }
      throw .chat(error)
    }
  }

  // MARK: Scanning

  private func scan(_ bytes: [UInt8]) async throws(FileFailure) {
    let (options, keys) = (node.options.current.section(.server), FileOptions.keys)
    let command = options[keys.scanCommand]
    guard !command.isEmpty else { return }
    guard let scanner else { throw .notScanned }
    let most = options[keys.scansAtOnce]
    let isAdmitted = scans.withLock { running in
      guard running < most else { return false }
      running += 1
      return true
    }
    guard isAdmitted else { throw .notScanned }
    defer { scans.withLock { $0 -= 1 } }
    switch await scanner.verdict(on: bytes, by: command, within: options[keys.scanTimeout]) {
    case .clean: return
    case .refused:
      node.logger.notice("the scan has refused a file of a chat")
      throw .refused
    case .undecided(let reason):
      node.logger.error("a file of a chat was not scanned, and not taken", metadata: ["reason": "\(reason)"])
      throw .notScanned
    }
  }

  // MARK: Handing out

  /// A file of a chat that opens to the caller. - Throws: `.unknown`, `.chat`, `.storage`.
  package func file(_ id: String, in serviceID: String, for caller: ChatCaller) async throws(FileFailure) -> FileContent
  {
    let file: ChatFile?
    do { file = try await chats.file(id, of: serviceID, for: caller) } catch { throw .chat(error) }
    guard let file else { throw .unknown }
    return try await content(of: file, in: serviceID)
  }

  /// A file of a chat that is the viewer's business: whoever may read that it was sent may read it. Throws as the other.
  package func file(_ id: String, inChat chatID: String, for viewer: AgentViewer) async throws(FileFailure)
    -> FileContent
  {
    let found: (file: ChatFile, serviceID: String)?
    do { found = try await agents.file(id, of: chatID, for: viewer) } catch { throw .chat(error) }
    guard let found else { throw .unknown }
    return try await content(of: found.file, in: found.serviceID)
  }

  private func content(of file: ChatFile, in serviceID: String) async throws(FileFailure) -> FileContent {
    do {
      let kept = try await storage.keptFile(file.id, ofChat: serviceID)
      return FileContent(file: file, bytes: kept.bytes, digest: kept.digest)
    } catch {
      throw error == .unknown || error == .unknownKey ? .unknown : .storage(error)
    }
  }
}

extension FileService: Feature {
  package static var kinds: [EntityCard] { [] }
  package static var options: [OptionSpecification] { FileOptions.options }
  package static var metrics: [MetricKey] { [] }
}

/// A file as somebody sends it.
package struct FileUpload: Sendable {
  /// As its sender says it.
  package let name: String
  /// `type/subtype` in small letters, as its sender says it; nil if they do not.
  package let contentType: String?
  package let bytes: [UInt8]

  package init(name: String, contentType: String?, bytes: [UInt8]) {
    self.name = name
    self.contentType = contentType
    self.bytes = bytes
  }
}

/// A file that a chat has taken.
package struct PostedFile: Sendable, Equatable {
  package let file: ChatFile
  /// Of its event.
  package let position: Int
}

/// A file as it is handed out.
package struct FileContent: Sendable, Equatable {
  package let file: ChatFile
  package let bytes: [UInt8]
  /// SHA-256.
  package let digest: [UInt8]
}
