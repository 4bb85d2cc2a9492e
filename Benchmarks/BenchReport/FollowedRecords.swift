/// How long records that are on one disk take to be on another too, as whoever sees it who asks one question after the
/// other how far both are.
///
/// ```
///   asked ── answered without it        asked ── answered: here        asked ── answered: there too
///     └───────────────────────────── the record's time ────────────────────────────────────┘
/// ```
/// A time is never too short, and too long by what lies between three questions at most.
package struct FollowedRecords: Sendable {
  private struct Step {
    /// The last of those that were seen for the first time together.
    let position: UInt64
    /// When the question was asked before, in nanoseconds.
    let since: Int64
  }

  private var steps: [Step] = []
  private var first: (answered: Int64, position: UInt64)?
  private var last: (asked: Int64, answered: Int64, position: UInt64) = (0, 0, 0)
  /// All up to here have their time.
  private var counted: UInt64 = 0
  private var answerCount = 0

  /// One for each record; those that were there before the first answer are left out.
  package private(set) var latencies = LatencyHistogram()

  package init() {}

  /// All that were seen on the one disk are on the other.
  package var isLevel: Bool { steps.isEmpty }

  /// Records that came to the first disk, from the first answer to the last.
  package var recordsPerSecond: Double {
    guard let first, last.answered > first.answered else { return 0 }
    return Double(last.position - first.position) / Double(last.answered - first.answered) * 1e9
  }

  /// From one answer to the next, on the average; 0 of fewer than two.
  package var millisecondsBetweenAnswers: Double {
    guard let first, answerCount > 1 else { return 0 }
    return Double(last.answered - first.answered) / Double(answerCount - 1) / 1e6
  }

  /// An answer, in the order of the questions; each is asked when the one before has been answered.
  /// - Parameters:
  ///   - asked: when, in nanoseconds.
  ///   - answered: the same clock.
  ///   - position: of the last record on the one disk.
  ///   - followed: of the last one that is on the other.
  package mutating func answer(asked: Int64, answered: Int64, position: UInt64, followed: UInt64) {
    defer { last = (asked, answered, max(position, last.position)) }
    answerCount += 1
    guard first != nil else {
      first = (answered, position)
      counted = position
      return
    }
    if position > last.position { steps.append(Step(position: position, since: last.asked)) }
    while let step = steps.first, followed > counted {
      let end = min(step.position, followed)
      latencies.record(answered - step.since, count: Int(end - counted))
      counted = end
      guard end == step.position else { return }
      steps.removeFirst()
    }
  }
}
