import Journal
import JournalFormat
import Transparency

/// The tree over the records.
extension Upkeep {
  private var recordTree: JournalTree { JournalTree(directory: SteppedJournal.directory, storage: storage) }

  /// Makes what it lacks, and keeps it.
  ///
  /// - Parameter position: of the last record on the disk.
  /// - Throws: `JournalError`; `TreeError` if it is no failure of the disk.
  func growTree(upTo position: UInt64) throws {
    do throws(TreeError) {
      let tree = recordTree
      while try tree.extend(upTo: position).hasMore {}
      try tree.store()
    } catch .journal(let error) {
      throw error
    }
  }

  /// What a crash has left of it: nothing, or a whole tree of the records that the journal begins with. Nil, or what is
  /// wrong.
  ///
  /// - Throws: `JournalError`.
  func judgeTree() throws -> String? {
    let tree = recordTree
    do throws(TreeError) {
      try tree.open()
      let head = try tree.head()
      return try head == self.head(at: head.size) ? nil : "the tree of \(head.size) records is not that of the journal"
    } catch .notMade {
      return nil
    } catch .journal(let error) {
      throw error
    } catch {
      return "the tree is not to be believed: \(error)"
    }
  }

  /// Makes it whole, and compares. Nil, or what is wrong.
  ///
  /// - Throws: `JournalError`.
  func checkTree(_ found: [FoundRecord]) throws -> String? {
    try growTree(upTo: found.last?.position ?? 0)
    guard !found.isEmpty else { return nil }
    do {
      let (tree, size) = (recordTree, UInt64(found.count))
      try tree.open()
      guard try tree.head() == head(at: size) else { return "the tree is not that of the records" }
      for index in [0, size / 3, size - 1] {
        // Both are checked before they are handed on.
        _ = try tree.inclusion(of: index, in: size)
        _ = try tree.consistency(from: index, to: size)
      }
      var audit = try TreeAudit(directory: SteppedJournal.directory, storage: storage)
      _ = try JournalReader(directory: SteppedJournal.directory, storage: storage)
        .verify(frame: { audit.add($0) }, leaves: { audit.add($0, $1) })
      try audit.finish()
      return nil
    } catch let error as TreeError {
      if case .journal(let error) = error { throw error }
      return "the tree: \(error)"
    }
  }

  /// Of the tree of the first records that the journal has, made leaf by leaf.
  private func head(at size: UInt64) throws(TreeError) -> TreeHead {
    var edge = TreeEdge()
    do {
      try JournalReader(directory: SteppedJournal.directory, storage: storage).readEvidence(from: 1) { record in
        guard edge.size < size else { return false }
        edge.append(MerkleTree.leaf(record.leaf))
        return true
      }
    } catch let error as JournalError {
      throw .journal(error)
    } catch {
      preconditionFailure("a reader throws what is wrong with the journal: \(error)")
    }
    return edge.head
  }
}
