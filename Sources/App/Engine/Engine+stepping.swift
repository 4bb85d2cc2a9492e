import EngineKit
import EntityRuntime
package import EventSourcing
package import Journal
package import PushDomain
import PushEngine

// What the owner of a stepped engine does in place of its clock and its threads, and looks at. For simulation.
extension Engine {
  /// Fires the timers that have come due.
  package func tick() { node.timers.fireDue() }

  /// Whether `stepJournal` has something to write or to release.
  package var journalNeedsStep: Bool { partitions.all.contains { $0.journal.writer?.needsStep ?? false } }

  /// How many requests and sockets each Comet session keeps, by clientId.
  package func exchangeCounts() async -> [String: Int] { await comet.exchangeCounts() }

  /// Lets a journal commit what waits.
  /// - Parameters:
  ///   - partition: the number of one; nil: all of them, one after the other.
  ///   - confirming: see `JournalWriter.step`.
  package func stepJournal(_ partition: Int? = nil, confirming: Bool = false) {
    for one in partitions.all where partition ?? one.number == one.number {
      one.journal.writer?.step(confirming: confirming)
    }
  }

  /// Everything that was appended is durable.
  package var isJournalSettled: Bool {
    partitions.all.allSatisfy { $0.journal.writer.map { $0.durablePosition == $0.lastPosition } ?? false }
  }

  /// Entities in memory, of the kinds that can sleep.
  package var awakeEntities: Int { partitions.all.reduce(0) { $0 + $1.shelves.reduce(0) { $0 + $1.awakeCount } } }

  /// Pushes that a courier has in its hands, or that are about to be begun.
  package var pushesUnderWay: Int { node.pushTasks.count }

  /// See `Partition.capturedStates`.
  package func capturedStates() async throws -> [EntityID: CapturedState] { try await partitions.capturedStates() }

  /// See `Partition.tidySegments`.
  package func tidySegments() async { for partition in partitions.all { await partition.tidySegments() } }

  /// See `Partition.extendTree`.
  package func extendTree() async throws(TreeError) -> JournalTree.Progress { try await partition.extendTree() }

  /// Hands a command to the queue of a device, as a producer beside the chats would.
  /// - Returns: false if the journal has nothing of it yet.
  @discardableResult
  package func order(_ command: PushCommand, of address: PushAddress) async -> Bool {
    guard let queue = queues.entity(DeviceKey.of(address), limit: node.limits.pushQueuesMaximum)
    else { return false }
    return await queue.post(command)
  }

  /// The key of that queue.
  package static func queueKey(of address: PushAddress) -> String { DeviceKey.of(address) }
}
