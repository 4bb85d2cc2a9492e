/// The processor time of a thread so far.
package struct ThreadTime: Sendable, Equatable {
  package let name: String
  package let seconds: Double

  package init(_ name: String, _ seconds: Double) { (self.name, self.seconds) = (name, seconds) }
}

/// What a process took of the processors in a phase.
package struct ProcessorUse: Sendable, Equatable {
  /// User and system time of all threads.
  package let seconds: Double
  /// How long the phase was.
  package let elapsed: Double
  /// The thread that took most; nil if no thread was there from the beginning to the end.
  package let busiest: ThreadTime?

  /// - Parameters:
  ///   - before: the process's threads by their numbers, as the phase began.
  ///   - after: as it ended.
  package init(seconds: Double, elapsed: Double, before: [Int32: ThreadTime], after: [Int32: ThreadTime]) {
    self.seconds = seconds
    self.elapsed = elapsed
    busiest = after.map { number, thread in
      ThreadTime(thread.name, thread.seconds - (before[number]?.seconds ?? 0))
    }.max { ($0.seconds, $1.name) < ($1.seconds, $0.name) }
  }

  /// Processors that it kept busy: 1.5 is one and a half.
  package var cores: Double { elapsed > 0 ? seconds / elapsed : 0 }

  /// Of one processor, what its busiest thread took.
  package var busiestShare: Double { elapsed > 0 ? (busiest?.seconds ?? 0) / elapsed : 0 }

  /// From this share on there was no room left: whoever is so busy has bounded the rate.
  private static let limit = 0.9

  /// - Parameter processors: how many it may run on; nil for all, which it shares with others.
  package func isLimit(processors: Int? = nil) -> Bool {
    busiestShare > Self.limit || processors.map { cores > Self.limit * Double($0) } ?? false
  }
}
