package import JournalFormat

/// The snapshots of a journal, as a store keeps them. Calls block; the owner makes one that changes something after the
/// other.
package protocol SnapshotVault: Sendable {
  /// Begins a snapshot; it is in the vault when `SnapshotWriter.finish` returns, and leaves nothing there before.
  ///
  /// - Parameters:
  ///   - point: a durable one; all that is added later covers it.
  ///   - createdMilliseconds: since 1970.
  /// - Throws: `storage`.
  func begin(at point: JournalPoint, createdMilliseconds: Int64) throws(SnapshotError) -> SnapshotWriter

  /// All that are there, newest first; none is opened.
  ///
  /// - Throws: `storage`.
  func all() throws(SnapshotError) -> [SnapshotFile]

  /// Opens a snapshot, after all of it was read and its checksum compared. It stays readable whatever is removed.
  ///
  /// - Throws: `SnapshotError`.
  func open(_ file: SnapshotFile) throws(SnapshotError) -> Snapshot

  /// Removes all but the newest ones, and what was begun and not finished. No snapshot may be being written.
  ///
  /// - Throws: `storage`.
  func prune() throws(SnapshotError)

  /// As `prune`, but leaves that one only; nil: none.
  ///
  /// - Throws: `storage`.
  func removeAll(except kept: SnapshotFile?) throws(SnapshotError)

  /// The one that is finished at a position.
  func file(at position: UInt64) -> SnapshotFile
}

extension SnapshotStore: SnapshotVault {}
