import EntityRuntime
import Journal
import JournalFormat
import Synchronization

/// A snapshot as the home of sleeping states.
final class SnapshotStates: StateFile {
  let snapshot: Snapshot
  /// Keeps the block that was read last: whoever goes from place to place reads no block twice.
  private let cursor: Mutex<SnapshotCursor>

  init(_ snapshot: Snapshot) {
    self.snapshot = snapshot
    cursor = Mutex(SnapshotCursor(snapshot))
  }

  func place(_ place: SnapshotPlace) -> StatePlace {
    StatePlace(
      file: self,
      address: StatePlace.Address(high: place.blockOffset, low: UInt64(place.start) << 32 | UInt64(place.byteCount)))
  }

  func image(at address: StatePlace.Address) throws -> [UInt8] {
    var place = SnapshotPlace.none
    place.blockOffset = address.high
    place.start = UInt32(truncatingIfNeeded: address.low >> 32)
    place.byteCount = UInt32(truncatingIfNeeded: address.low)
    let wanted = place
    return try cursor.withLock { try $0.state(at: wanted) }
  }
}
