public import EventSourcing
import Synchronization

/// The events of one turn on their way to the journal.
public struct Turn: Sendable {
  public let id: EntityID
  /// The sequence number of the first event; the others follow without gaps.
  public let firstSequence: UInt64
  public let time: Timestamp
  public let events: [StoredEvent]

  public init(id: EntityID, firstSequence: UInt64, time: Timestamp, events: [StoredEvent]) {
    self.id = id
    self.firstSequence = firstSequence
    self.time = time
    self.events = events
  }
}

/// Why the log takes no more.
public enum EventLogError: Error, Equatable, Sendable {
  /// Too much waits to be written.
  case overloaded
  /// The disk has no room for another segment.
  case storageFull
  /// A turn is larger than a record may be.
  case tooLarge
  /// A write or sync failed, or the log is closed; the process is about to end.
  case failed
}

/// What has become of what was appended.
public enum Durability: Sendable {
  case durable
  /// The journal has failed: it may be on the disk or not. Nothing follows from it, and whoever waits hears so.
  case lost
}

/// What waits for durability: effects to be performed, replies to be given.
public typealias Release = @Sendable (Durability) async -> Void

/// The runtime's view of the journal.
public protocol EventLog: AnyObject, Sendable {
  /// Appends a turn; never blocks on the disk. `release` leaves for the outbox, in the order of the appends, once the
  /// turn is durable, or lost. A `lazy` turn rides on the next frame.
  /// - Returns: the position of its last event.
  @discardableResult
  func append(_ turn: Turn, lazy: Bool, release: Release?) throws(EventLogError) -> UInt64

  /// Lets `release` leave once everything appended so far is durable, or lost.
  func afterDurable(_ release: @escaping Release) throws(EventLogError)
}

/// A log that forgets: everything is durable at once. For tests of what stands above the journal.
public final class EphemeralLog: EventLog {
  private struct State {
    var position: UInt64 = 0
    var turns: [Turn] = []
  }

  private let state = Mutex(State())
  private let outbox: Lane

  public init(outbox: Lane) { self.outbox = outbox }

  /// All that was appended.
  public var turns: [Turn] { state.withLock { $0.turns } }

  public func append(_ turn: Turn, lazy: Bool, release: Release?) throws(EventLogError) -> UInt64 {
    state.withLock { state in
      state.position += UInt64(turn.events.count)
      state.turns.append(turn)
      if let release { outbox.enqueue { await release(.durable) } }
      return state.position
    }
  }

  public func afterDurable(_ release: @escaping Release) throws(EventLogError) {
    outbox.enqueue { await release(.durable) }
  }
}
