import EventSourcing
import Journal
import Synchronization

/// Many independent appenders: each waits until its event is on the disk before it appends the next.
enum Appenders {
  struct Outcome: Sendable {
    let events: Int
    let seconds: Double
    var perSecond: Double { Double(events) / seconds }
  }

  /// Events made beforehand: what is measured is the journal, not the making of texts. Each appender is one chat, as in
  /// the server, where one actor appends for each.
  struct Stock: Sendable {
    private let records: [PendingRecord]
    private let appenders: Int

    init(appenders: Int) throws {
      self.appenders = appenders
      var source = ChatEvents(chats: appenders)
      _ = try source.opening()
      var records: [PendingRecord] = []
      let rounds = max(20, 65_536 / appenders)
      for _ in 0..<(rounds * appenders) { records += try source.message() }
      self.records = records
    }

    /// The `number`-th event of an appender; after the last they begin anew.
    subscript(appender: Int, number: Int) -> PendingRecord {
      records[(number * appenders + appender) % records.count]
    }
  }

  /// One appender on a thread of its own, which commits by itself when nobody else does.
  static func single(_ writer: JournalWriter, _ stock: Stock, for duration: Duration) throws -> Outcome {
    let start = ContinuousClock.now
    var events = 0
    while ContinuousClock.now - start < duration {
      let record = stock[0, events]
      let position = try writer.append(
        kind: record.kind, key: record.key, sequence: record.sequence, timeMilliseconds: record.timeMilliseconds,
        tag: record.tag, payload: record.payload, lazy: true)
      try writer.waitUntilDurable(position)
      events += 1
    }
    return Outcome(events: events, seconds: (ContinuousClock.now - start).inSeconds)
  }

  /// `count` tasks.
  static func concurrent(
    _ count: Int, _ writer: JournalWriter, _ stock: Stock, for duration: Duration
  ) async throws -> Outcome {
    let start = ContinuousClock.now
    let end = End()
    let events = try await withThrowingTaskGroup(of: Int.self) { group in
      for number in 0..<count {
        group.addTask {
          let appender = Appender(writer)
          var events = 0
          while !end.isReached.load(ordering: .relaxed) {
            try await appender.append(stock[number, events])
            events += 1
          }
          return events
        }
      }
      try await Task.sleep(for: duration)
      end.isReached.store(true, ordering: .relaxed)
      return try await group.reduce(0, +)
    }
    return Outcome(events: events, seconds: (ContinuousClock.now - start).inSeconds)
  }

  private final class End: Sendable { let isReached = Atomic(false) }

  /// Waits for one event at a time.
  private final class Appender: DurabilityWaiter, @unchecked Sendable {
    // Unchecked: set before the append, read after it by the one call that the append causes.
    private var continuation: CheckedContinuation<Void, any Error>?
    private let writer: JournalWriter

    init(_ writer: JournalWriter) { self.writer = writer }

    func append(_ record: PendingRecord) async throws {
      try await withCheckedThrowingContinuation { continuation in
        self.continuation = continuation
        do {
          try writer.append(
            kind: record.kind, key: record.key, sequence: record.sequence, timeMilliseconds: record.timeMilliseconds,
            tag: record.tag, payload: record.payload, waiter: self)
        } catch {
          self.continuation = nil
          continuation.resume(throwing: error)
        }
      }
    }

    func becameDurable(position: UInt64) { take()?.resume() }
    func wasLost() { take()?.resume(throwing: JournalError.failed) }

    private func take() -> CheckedContinuation<Void, any Error>? {
      defer { continuation = nil }
      return continuation
    }
  }
}
