public import JournalFormat

/// Reads states one after the other and keeps the block it read last: whoever asks in the order of the places reads no
/// block twice. For rewriting a snapshot.
public struct SnapshotCursor {
  public let snapshot: Snapshot
  private var offset = -1
  private var plain: [UInt8] = []

  public init(_ snapshot: Snapshot) { self.snapshot = snapshot }

  /// - Throws: as `Snapshot.state(at:)`.
  public mutating func state(at place: SnapshotPlace) throws(SnapshotError) -> [UInt8] {
    guard place.byteCount > 0 else { return [] }
    let blockOffset = Int(clamping: place.blockOffset)
    if blockOffset != offset {
      plain = try snapshot.block(at: blockOffset, kind: .states)
      offset = blockOffset
    }
    let end = Int(place.start) + Int(place.byteCount)
    guard end <= plain.count else { throw snapshot.damaged(blockOffset) }
    return Array(plain[Int(place.start)..<end])
  }
}

extension Snapshot {
  /// Hands on all entries with their states, block after block; a finished entity has an empty one.
  ///
  /// - Throws: `SnapshotError`, or what `body` throws.
  public func forEachState(_ body: (SnapshotEntry, [UInt8]) throws -> Void) throws {
    var cursor = SnapshotCursor(self)
    try forEachEntry { try body($0, try cursor.state(at: $0.place)) }
  }

  /// Reads and unpacks every block, and compares the counts with the footer: beyond the checksum that `open` compared.
  ///
  /// - Throws: `SnapshotError`.
  public func verifyContents() throws(SnapshotError) {
    var counts: (entries: UInt64, finished: UInt64, bytes: UInt64) = (0, 0, 0)
    do {
      try forEachState { entry, state in
        counts.entries += 1
        counts.finished += entry.isFinished ? 1 : 0
        counts.bytes += UInt64(state.count)
      }
    } catch let error as SnapshotError {
      throw error
    } catch {
      preconditionFailure("a snapshot throws only its own errors")
    }
    guard counts == (info.entryCount, info.finishedCount, info.stateByteCount) else { throw damaged(footer.offset) }
  }
}
