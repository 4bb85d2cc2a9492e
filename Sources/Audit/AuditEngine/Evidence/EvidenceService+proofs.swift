import EngineKit
package import Journal
import Synchronization
package import Transparency

extension EvidenceService {
  /// Proves a record by the checkpoint that is shown. Whether whoever asks may have the record is not asked here.
  ///
  /// - Throws: `LogReadFailure`: `beyondCheckpoint` as long as no checkpoint that is shown reaches it; `gone` also for
  ///   what was erased.
  package func proof(of position: UInt64) async throws(LogReadFailure) -> (record: RecordEvidence, proof: LogProof) {
    guard let note = published?.note else { throw .noCheckpoint }
    guard entryReaders.enter() else { throw .busy }
    defer { entryReaders.leave() }
    let (reader, tree) = (partition.reader, partition.tree)
    let result: Result<(RecordEvidence, LogProof), LogReadFailure> = await partition.journal.onThread {
      do {
        let proven = try RecordProver(note, reader, tree).prove(position)
        return .success((proven.record, proven.proof))
      } catch {
        return .failure(LogReadFailure(error))
      }
    }
    let proven = try result.get()
    return (record: proven.0, proof: proven.1)
  }
}

extension LogReadFailure {
  fileprivate init(_ error: any Error) {
    switch error as? ProofObstacle {
    case .beyondCheckpoint(_, let size): self = .beyondCheckpoint(size: size)
    case .noRecord, .erased, .tree(.beforeBeginning): self = .gone
    default: self = .busy
    }
  }
}
