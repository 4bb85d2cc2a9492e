import NIOPosix

/// Threads that write at the same time, each again and again until the time is over.
enum Writers {
  /// Events a second of all.
  /// - Parameter writer: called once on each thread; gives what writes once and says how many events that were.
  static func eventsPerSecond(
    threads: Int, for seconds: Int, _ writer: @escaping @Sendable (_ thread: Int) throws -> (() throws -> Int)
  ) async throws -> Double {
    let pool = NIOThreadPool(numberOfThreads: threads)
    pool.start()
    do {
      let start = ContinuousClock.now
      let events = try await withThrowingTaskGroup(of: Int.self) { group in
        for thread in 0..<threads {
          group.addTask {
            try await pool.runIfActive {
              let write = try writer(thread)
              var events = 0
              while ContinuousClock.now - start < .seconds(seconds) { events += try write() }
              return events
            }
          }
        }
        return try await group.reduce(0, +)
      }
      let elapsed = (ContinuousClock.now - start).inSeconds
      try await pool.shutdownGracefully()
      return Double(events) / elapsed
    } catch {
      try? await pool.shutdownGracefully()
      throw error
    }
  }
}
