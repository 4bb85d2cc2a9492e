import EngineKit
import EntityRuntime
import Journal
import JournalFormat
import Logging
import Synchronization
import SystemPackage
import Transparency

extension EvidenceService {
  /// Signs and keeps a checkpoint of all records that are on the disk; if the newest one speaks of them already, the
  /// witnesses are to say once more that they see nothing else.
  ///
  /// - Throws: `LogObstacle`, which is also counted and, once, logged.
  func makeCheckpoint() async throws(LogObstacle) {
    try await inTurn { service throws(LogObstacle) in try await service.makeCheckpointAlone() }
    pace.withLock { $0.checked = now }
  }

  /// Reads what is kept, and makes nothing.
  ///
  /// - Throws: `LogObstacle`, counted and logged as well.
  func takeUp() async throws(LogObstacle) {
    try await inTurn { service throws(LogObstacle) in
      guard let settings = service.settings else { throw .notConfigured }
      _ = try await service.prepare(settings)
    }
  }

  private func inTurn(
    _ body: @escaping @Sendable (EvidenceService) async throws(LogObstacle) -> Void
  ) async throws(LogObstacle) {
    do throws(LogObstacle) {
      try await turn.alone { () async throws(LogObstacle) in try await body(self) }
      pace.withLock { $0.lastObstacle = nil }
    } catch {
      let isNew = pace.withLock { pace in
        defer { pace.lastObstacle = error }
        return pace.lastObstacle != error
      }
      metrics.failed(error)
      guard isNew else { throw error }
      partition.logger.log(
        level: error.isAlarm ? .error : .warning, "no checkpoint is made", metadata: ["reason": "\(error)"])
      throw error
    }
  }

  private func makeCheckpointAlone() async throws(LogObstacle) {
    guard let settings else { throw .notConfigured }
    let signer = try await prepare(settings)
    let head = try await durableHead()
    guard head.size > 0 else { throw .empty }
    if let newest = book.withLock({ $0.newest }) {
      try await requireContinuation(of: newest.checkpoint.head, in: head)
      guard newest.size < head.size else { return book.withLock { $0.wantAll() } }
    }
    let checkpoint = LogCheckpoint(origin: settings.origin, head: head)
    let note: SignedNote
    do throws(AuditKeyError) { note = try signer.sign(checkpoint) } catch { throw .unusableKey("\(error)") }
    try await keep(note, size: head.size)
    book.withLock { $0.add(note, checkpoint) }
    await letGo()
  }

  /// Reads the key, which may have been replaced, and what is kept, if anything has changed.
  private func prepare(_ settings: LogSettings) async throws(LogObstacle) -> NoteSigner {
    let (file, storage, store) = (settings.keyFile, node.environment.storage, store)
    let key: Result<AuditKey, LogObstacle> = await partition.journal.onThread {
      do { return .success(try AuditKey(pem: try JournalAudit.text(of: file, on: storage))) } catch {
        return .failure(.unusableKey("\(error)"))
      }
    }
    let signer = NoteSigner(name: settings.origin, key: try key.get())
    guard book.withLock({ $0.settings != settings || $0.key != signer.verifierKey }) else { return signer }
    let kept: Result<[CheckpointStore.Kept], JournalError> = await partition.journal.onThread {
      Result { () throws(JournalError) in try store.all() }
    }
    var notes: [(size: UInt64, note: SignedNote)] = []
    do throws(JournalError) {
      for kept in try kept.get() {
        // What is none any more says nothing; the witnesses know what was signed.
        guard let note = try? SignedNote(kept.bytes) else {
          partition.logger.warning("a kept checkpoint is damaged", metadata: ["size": "\(kept.size)"])
          continue
        }
        notes.append((kept.size, note))
      }
    } catch {
      throw .disk(error)
    }
    book.withLock { $0.configure(settings, signer.verifierKey, notes: notes) }
    return signer
  }

  /// The head of a tree that is on the disk, with records that are.
  private func durableHead() async throws(LogObstacle) -> TreeHead {
    guard let position = partition.journal.writer?.durablePoint.position else { throw .treeBehind }
    do throws(TreeError) {
      guard position <= partition.tree.size + limits.logCatchUpRecords else { throw TreeError.notMade }
      while partition.tree.size < position {
        let before = partition.tree.size
        _ = try await partition.extendTree()
        // Somebody else has just begun to make it anew, or the server stops.
        guard partition.tree.size > before else { throw TreeError.notMade }
      }
      let tree = partition.tree
      let head: Result<TreeHead, TreeError> = await partition.journal.onThread {
        Result { () throws(TreeError) in
          let head = try tree.head()
          try tree.store()
          return head
        }
      }
      let found = try head.get()
      // What is signed is never unsaid: whoever takes over must have its records.
      if partition.waitsForStandby, (try? await partition.context.untilDurable()) == nil { throw TreeError.notMade }
      return found
    } catch {
      throw error == .notMade ? .treeBehind : .tree(error)
    }
  }

  /// Whoever signs two histories is found out; this finds it before.
  private func requireContinuation(of signed: TreeHead, in head: TreeHead) async throws(LogObstacle) {
    guard signed.size <= head.size else { throw .shorter(signed: signed.size, size: head.size) }
    let tree = partition.tree
    let known: Result<TreeHead, TreeError> = await partition.journal.onThread {
      Result { () throws(TreeError) in try tree.head(at: signed.size) }
    }
    switch known {
    case .success(signed): return
    case .success: throw .otherHistory(signed: signed.size)
    // Of what stands before the tree's beginning no more is known.
    case .failure(.beforeBeginning): return
    case .failure(.notMade): throw .treeBehind
    case .failure(let error): throw .tree(error)
    }
  }

  /// It is on the disk when this returns. The caller has the turn.
  func keep(_ note: SignedNote, size: UInt64) async throws(LogObstacle) {
    let store = store
    let kept: Result<Void, JournalError> = await partition.journal.onThread {
      Result { () throws(JournalError) in try store.store(note.bytes, size: size) }
    }
    do throws(JournalError) { try kept.get() } catch { throw .disk(error) }
  }

  private func letGo() async {
    let sizes = book.withLock { $0.excess(beyond: limits.checkpointsKept) }
    guard !sizes.isEmpty else { return }
    let store = store
    let removed: Result<Void, JournalError> = await partition.journal.onThread {
      Result { () throws(JournalError) in try store.remove(sizes) }
    }
    // They are tried again with the next one.
    if case .success = removed { book.withLock { $0.forget(sizes) } }
  }
}
