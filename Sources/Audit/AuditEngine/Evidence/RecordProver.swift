package import Journal
import JournalFormat
package import Transparency

/// Proves that records stand in a tree that a log has signed: of each a file that is checked without the journal.
///
/// Of the journal only the segments are read in which the records stand, of the tree a few tiles for each.
package struct RecordProver: Sendable {
  package let note: SignedNote
  package let checkpoint: LogCheckpoint
  private let reader: JournalReader
  private let tree: JournalTree

  /// A record farther behind the one before is looked for anew; up to there it is read on.
  private static let recordsBetweenMaximum: UInt64 = 4_096

  /// - Parameters:
  ///   - note: a checkpoint with all its signatures, which are not looked at.
  ///   - tree: of the same journal, made or opened.
  /// - Throws: `badNote`; `otherHistory` if the tree is another one at that size; `tree`.
  package init(_ note: SignedNote, _ reader: JournalReader, _ tree: JournalTree) throws(ProofObstacle) {
    do throws(LogCheckpointFlaw) { checkpoint = try LogCheckpoint(text: note.text) } catch { throw .badNote(error) }
    self.note = note
    self.reader = reader
    self.tree = tree
    let head = checkpoint.head
    let own: TreeHead
    do throws(TreeError) { own = try tree.head(at: head.size) } catch { throw .tree(error) }
    guard own == head else { throw .otherHistory(size: head.size) }
  }

  /// Hands on what the journal has of records, in order; those that are not there are passed over.
  ///
  /// - Parameter positions: ascending.
  /// - Throws: `JournalError`, or what `body` throws.
  package func read(_ positions: [UInt64], _ body: (RecordEvidence) throws -> Void) throws {
    var rest = positions[...]
    while let first = rest.first {
      try reader.readEvidence(from: first) { record in
        rest = rest.drop { $0 < record.position }
        if rest.first == record.position {
          rest = rest.dropFirst()
          try body(record)
        }
        return rest.first.map { $0 - record.position <= Self.recordsBetweenMaximum } ?? false
      }
      if rest.first == first { rest = rest.dropFirst() }
    }
  }

  /// - Throws: `beyondCheckpoint`, `noRecord`, `erased`, `tree`; `JournalError`.
  package func prove(_ position: UInt64) throws -> (record: RecordEvidence, proof: LogProof) {
    guard position <= checkpoint.head.size else {
      throw ProofObstacle.beyondCheckpoint(position: position, size: checkpoint.head.size)
    }
    var found: (RecordEvidence, LogProof)?
    try read([position]) { found = ($0, try prove($0)) }
    guard let found else { throw ProofObstacle.noRecord(position: position) }
    return found
  }

  /// - Throws: `beyondCheckpoint`, `erased`, `tree`.
  package func prove(_ record: RecordEvidence) throws(ProofObstacle) -> LogProof {
    let size = checkpoint.head.size
    guard record.position <= size else { throw .beyondCheckpoint(position: record.position, size: size) }
    guard let content = record.content else { throw .erased(position: record.position) }
    let inclusion: TreeInclusion
    do throws(TreeError) { inclusion = try tree.inclusion(of: record.position - 1, in: size) } catch {
      throw .tree(error)
    }
    guard let disclosed = DisclosedRecord(salt: content.salt, body: content.body),
      MerkleTree.leaf(disclosed.entry) == inclusion.leaf
    else { throw .tree(.doubtful) }
    return LogProof(record: disclosed, index: inclusion.index, hashes: inclusion.hashes, note: note)
  }
}

/// Why a record is not proven.
package enum ProofObstacle: Error, Equatable, Sendable {
  case badNote(LogCheckpointFlaw)
  /// The checkpoint is not of this journal's history.
  case otherHistory(size: UInt64)
  /// No checkpoint reaches that far yet.
  case beyondCheckpoint(position: UInt64, size: UInt64)
  /// It was deleted with the journal's beginning, or was never there.
  case noRecord(position: UInt64)
  /// Its content was erased: there is nothing to show.
  case erased(position: UInt64)
  case tree(TreeError)
}

extension ProofObstacle: CustomStringConvertible {
  /// One line: what is in the way, and what to do.
  package var description: String {
    switch self {
    case .badNote(let flaw): "the note is no checkpoint: \(flaw)"
    case .otherHistory(let size):
      "the checkpoint of \(size) records is not of this journal's history: take one of its own, or find out which of "
        + "the two was changed"
    case .beyondCheckpoint(let position, let size):
      "the checkpoint has \(size) records and does not reach record \(position): wait for the next one, or make one"
    case .noRecord(let position): "the journal has no record \(position), or not any more"
    case .erased(let position):
      "record \(position) was erased: nothing can be proven of it any more; proofs made before still hold"
    case .tree(let error): "\(error)"
    }
  }
}
