import EntityRuntime
package import EventSourcing
import Journal
package import PushDomain

// What the owner of a stepped engine does in place of its clock and its threads, and looks at. For simulation.
extension Engine {
  /// Fires the timers that have come due.
  package func tick() { context.timers.fireDue() }

  /// Whether `stepJournal` has something to write or to release.
  package var journalNeedsStep: Bool { journal.writer?.needsStep ?? false }

  /// Lets the journal commit what waits. - Parameter confirming: see `JournalWriter.step`.
  package func stepJournal(confirming: Bool = false) { journal.writer?.step(confirming: confirming) }

  /// Everything that was appended is durable.
  package var isJournalSettled: Bool { journal.writer.map { $0.durablePosition == $0.lastPosition } ?? false }

  /// All entities that live and sleep, Comet sessions apart: what each has come to, and its state as bytes. They are
  /// looked at one after the other: nothing else may go on meanwhile.
  /// - Throws: what reading a sleeping state throws.
  package func states() async throws -> [EntityID: (sequence: UInt64, state: [UInt8])] {
    var states: [EntityID: (sequence: UInt64, state: [UInt8])] = [:]
    for shelf in shelves {
      for key in shelf.keys {
        guard let captured = await shelf.capture(key) else { continue }
        let image: EntityImage
        switch captured.content {
        case .image(let one): image = one
        case .place(let place): image = try EntityImage(bytes: place.image())
        case .finished: continue
        }
        states[EntityID(shelf.kind, key)] = (captured.sequence, image.state)
      }
    }
    return states
  }

  /// Hands a command to the queue of a device, as a producer beside the chats would.
  package func order(_ command: PushCommand, of address: PushAddress) async {
    guard let queue = queues.entity(PushDispatcher.key(of: address), limit: configuration.limits.pushQueuesMaximum)
    else { return }
    await queue.post(command)
  }

  /// The key of that queue.
  package static func queueKey(of address: PushAddress) -> String { PushDispatcher.key(of: address) }
}
