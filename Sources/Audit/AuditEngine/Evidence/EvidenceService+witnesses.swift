import EngineKit
import EntityRuntime
import EventSourcing
import Journal
import JournalFormat
import Logging
import Synchronization
import Transparency

extension EvidenceService {
  /// Shows the newest checkpoint to a witness, and keeps its cosignature.
  func ask(_ witness: LogBook.Witness) async {
    guard let (entry, settings) = book.withLock({ book in book.newest.flatMap { n in book.settings.map { (n, $0) } } })
    else { return }
    var round = CosigningRound(entry.note, entry.checkpoint, witness: witness.key, knownSize: witness.knownSize)
    var step = round.first
    while case .ask(let oldSize) = step {
      guard let hashes = await proof(from: oldSize, to: entry.size) else { return failed(witness, nil) }
      let outcome = await caller.post(
        round.request(hashes).bytes, to: witness.url + "/add-checkpoint", trustRootsFile: settings.trustRootsFile,
        timeout: .milliseconds(limits.witnessMilliseconds))
      step = round.received(outcome, unixSeconds: unixSeconds)
    }
    switch step {
    case .ask: return
    case .failed(let failure): failed(witness, failure)
    case .cosigned(let signature, let unixSeconds):
      guard await keep(signature, size: entry.size) else { return failed(witness, nil) }
      book.withLock { $0.cosigned(witness.key, size: entry.size, unixSeconds: unixSeconds) }
    }
  }

  /// - Returns: nil if the tree cannot prove it just now.
  private func proof(from oldSize: UInt64, to size: UInt64) async -> [Hash256]? {
    guard oldSize > 0, oldSize < size else { return [] }
    let tree = partition.tree
    let hashes: Result<[Hash256], TreeError> = await partition.journal.onThread {
      Result { () throws(TreeError) in try tree.consistency(from: oldSize, to: size) }
    }
    return try? hashes.get()
  }

  /// Adds a cosignature to its checkpoint; those that come together are written together.
  ///
  /// - Returns: whether it is on the disk.
  private func keep(_ signature: NoteSignature, size: UInt64) async -> Bool {
    waiting.withLock { $0[size, default: []].append(signature) }
    return await turn.alone {
      // Whoever had the turn before may have taken this one along.
      guard let signatures = self.waiting.withLock({ $0.removeValue(forKey: size) }) else {
        return self.book.withLock { $0.holds(signature, size: size) }
      }
      guard var note = self.book.withLock({ $0.entries.first { $0.size == size }?.note }) else { return false }
      do {
        for signature in signatures { try note.add(signature) }
        try await self.keep(note, size: size)
      } catch {
        if let obstacle = error as? LogObstacle { self.metrics.failed(obstacle) }
        return false
      }
      self.book.withLock { $0.update(note, size: size) }
      return true
    }
  }

  private func failed(_ witness: LogBook.Witness, _ failure: CosigningFailure?) {
    metrics.failed(witness.key, failure)
    let pause = limits.witnessRetryMilliseconds...limits.witnessRetryMillisecondsMaximum
    let isNew = book.withLock { $0.failed(witness.key, failure, at: now, pause: pause) }
    guard isNew, let failure else { return }
    partition.logger.log(
      level: failure.isAlarm ? .error : .warning, "a witness has not cosigned",
      metadata: ["witness": "\(witness.key.name)", "reason": "\(failure)"])
  }
}
