internal import JournalFormat
internal import Synchronization

/// Leaves of durable records on their way from the writer to whoever makes the tree. Nobody waits: what is not fetched
/// in time is dropped, and read from the journal.
public final class LeafHandover: Sendable {
  /// Leaves of records that follow each other.
  struct Stretch {
    /// 32 bytes each.
    let entries: [UInt8]
    /// Behind the last of the records.
    let point: JournalPoint
  }

  private struct State {
    /// Of the first leaf; of the next one to come, if there is none.
    var firstPosition: UInt64 = 0
    var entries: [UInt8] = []
    var point: JournalPoint?

    mutating func drop() {
      entries.removeAll(keepingCapacity: true)
      point = nil
    }
  }

  private let state = Mutex(State())
  private let byteCountMaximum: Int

  public convenience init() { self.init(byteCountMaximum: Limits.leafHandoverByteCount) }

  init(byteCountMaximum: Int) { self.byteCountMaximum = byteCountMaximum }

  /// Takes leaves of records that are on the disk.
  ///
  /// - Parameters:
  ///   - firstPosition: of the first of them.
  ///   - point: behind the last of them.
  func add(_ entries: [UInt8], firstPosition: UInt64, point: JournalPoint) {
    state.withLock { state in
      let end = state.firstPosition + UInt64(state.entries.count / 32)
      if end != firstPosition || state.entries.count + entries.count > byteCountMaximum { state.drop() }
      guard entries.count <= byteCountMaximum else {
        state.firstPosition = point.position + 1
        return
      }
      if state.entries.isEmpty { state.firstPosition = firstPosition }
      state.entries.append(contentsOf: entries)
      state.point = point
    }
  }

  /// Hands over what stands behind `position`; nil if there is nothing, or if some of it has been dropped.
  func take(after position: UInt64) -> Stretch? {
    state.withLock { state in
      guard let point = state.point, state.firstPosition <= position + 1, point.position > position else { return nil }
      var entries: [UInt8] = []
      swap(&entries, &state.entries)
      entries.removeFirst(Int(position + 1 - state.firstPosition) * 32)
      state.firstPosition = point.position + 1
      state.drop()
      return Stretch(entries: entries, point: point)
    }
  }
}
