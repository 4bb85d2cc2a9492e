import EventSourcing
import PushDomain
import Synchronization

/// Which queues keep dead letters, and how many. Rebuilt from the queues themselves after a restart.
final class DeadLetterIndex: Sendable {
  private let counts = Mutex<[String: Int]>([:])

  init() {}

  func set(_ key: String, _ count: Int) { counts.withLock { $0[key] = count == 0 ? nil : count } }

  var total: Int { counts.withLock { $0.values.reduce(0, +) } }

  /// The next queues with dead letters, in the order of their keys. - Parameter after: a key, or nothing.
  func keys(after: String, limit: Int) -> [String] {
    counts.withLock { counts in Array(counts.keys.filter { $0 > after }.sorted().prefix(limit)) }
  }

  /// What the index must know of a queue while it sleeps: the number of its dead letters (1).
  static func note(_ queue: borrowing PushQueue) -> [UInt8] {
    guard !queue.deadLetters.isEmpty else { return [] }
    var writer = PayloadWriter()
    writer.integer(1, queue.deadLetters.count)
    return writer.bytes
  }

  func restored(_ key: String, note: [UInt8]) {
    let count = note.withUnsafeBufferPointer { bytes -> Int in
      var reader = PayloadReader(UnsafeRawBufferPointer(bytes))
      while let field = try? reader.next() {
        if field == 1, let count = try? reader.integer() { return count }
        guard (try? reader.skip()) != nil else { break }
      }
      return 0
    }
    set(key, count)
  }
}
