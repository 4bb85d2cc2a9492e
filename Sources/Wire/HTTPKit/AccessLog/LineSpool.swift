import Synchronization

/// Lines on their way to something slow: at most so many bytes wait, and whatever comes beyond that is not taken.
/// Whoever appends never waits for what is slow.
package final class LineSpool: Sendable {
  /// Runs a piece of work elsewhere, later, one after the other.
  package typealias Schedule = @Sendable (_ work: @escaping @Sendable () -> Void) -> Void
  /// Writes bytes, and says whether all of them were.
  package typealias Output = @Sendable (_ bytes: [UInt8]) -> Bool

  private struct State {
    var waiting: [UInt8] = []
    var lineCount = 0
    var isScheduled = false
  }

  private let bytesMaximum: Int
  private let schedule: Schedule
  private let output: Output
  private let onLost: @Sendable (_ lines: Int) -> Void
  private let state = Mutex(State())

  /// - Parameter onLost: told how many lines could not be written.
  package init(
    bytesMaximum: Int, schedule: @escaping Schedule, output: @escaping Output,
    onLost: @escaping @Sendable (_ lines: Int) -> Void
  ) {
    self.bytesMaximum = bytesMaximum
    self.schedule = schedule
    self.output = output
    self.onLost = onLost
  }

  /// False if there is no room; then nothing was taken.
  package func append(_ line: [UInt8]) -> Bool {
    let (isTaken, isFirst) = state.withLock { state in
      guard state.waiting.count + line.count <= bytesMaximum else { return (false, false) }
      state.waiting += line
      state.lineCount += 1
      defer { state.isScheduled = true }
      return (true, !state.isScheduled)
    }
    if isFirst { schedule { [self] in drain() } }
    return isTaken
  }

  private func drain() {
    while true {
      let (bytes, lines) = state.withLock { state in
        let taken = (state.waiting, state.lineCount)
        (state.waiting, state.lineCount) = ([], 0)
        if taken.1 == 0 { state.isScheduled = false }
        return taken
      }
      guard lines > 0 else { return }
      if !output(bytes) { onLost(lines) }
    }
  }
}
