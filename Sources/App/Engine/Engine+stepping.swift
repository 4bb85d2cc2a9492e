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
  package var journalNeedsStep: Bool { partition.journal.writer?.needsStep ?? false }

  /// How many requests and sockets each Comet session keeps, by clientId.
  package func exchangeCounts() async -> [String: Int] { await comet.exchangeCounts() }

  /// Lets the journal commit what waits. - Parameter confirming: see `JournalWriter.step`.
  package func stepJournal(confirming: Bool = false) { partition.journal.writer?.step(confirming: confirming) }

  /// Everything that was appended is durable.
  package var isJournalSettled: Bool { partition.journal.writer.map { $0.durablePosition == $0.lastPosition } ?? false }

  /// Entities in memory, of the kinds that can sleep.
  package var awakeEntities: Int { partition.shelves.reduce(0) { $0 + $1.awakeCount } }

  /// Pushes that a courier has in its hands, or that are about to be begun.
  package var pushesUnderWay: Int { node.pushTasks.count }

  /// See `Partition.capturedStates`.
  package func capturedStates() async throws -> [EntityID: CapturedState] { try await partition.capturedStates() }

  /// See `Partition.tidySegments`.
  package func tidySegments() async { await partition.tidySegments() }

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
