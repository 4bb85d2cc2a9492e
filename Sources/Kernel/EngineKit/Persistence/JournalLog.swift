import EntityRuntime
import EventSourcing
import Journal
import Synchronization

/// The journal as the runtime sees it. Refuses everything until it is opened.
final class JournalLog: EventLog {
  private let writer = Mutex<JournalWriter?>(nil)
  private let outbox: Lane

  init(outbox: Lane) { self.outbox = outbox }

  func open(_ writer: JournalWriter) { self.writer.withLock { $0 = writer } }

  func append(_ turn: Turn, lazy: Bool, release: Release?) throws(EventLogError) -> UInt64 {
    guard let writer = writer.withLock({ $0 }) else { throw .failed }
    var sequence = turn.firstSequence
    let records = turn.events.map { event in
      defer { sequence += 1 }
      return PendingRecord(
        kind: turn.id.kind.rawValue, key: turn.id.key, sequence: sequence, timeMilliseconds: turn.time.milliseconds,
        tag: event.tag, payload: event.payload)
    }
    #if CARILLON_CANARIES
      if Canary.sings(.ackBeforeSync), let release { outbox.enqueue { await release(.durable) } }
      let release = Canary.sings(.ackBeforeSync) ? nil : release
    #endif
    do throws(JournalError) {
      return try writer.append(records, waiter: release.map { PendingRelease($0) }, lazy: lazy)
    } catch { throw Self.error(error) }
  }

  func afterDurable(_ release: @escaping Release) throws(EventLogError) {
    guard let writer = writer.withLock({ $0 }) else { throw .failed }
    let isDurable: Bool
    do throws(JournalError) {
      // Behind everything appended so far; what is durable already passes at once, in its place.
      isDurable = try writer.enqueue(PendingRelease(release), for: writer.lastPosition)
    } catch { throw Self.error(error) }
    if isDurable, !outbox.enqueue({ await release(.durable) }) { throw .failed }
  }

  /// Takes the waiters of one commit to the outbox together.
  static func delivery(to outbox: Lane) -> JournalWriter.Delivery {
    { waiters, position in
      let fate = position == nil ? Durability.lost : .durable
      outbox.enqueue(contentsOf: waiters.compactMap { ($0 as? PendingRelease)?.job(fate) })
    }
  }

  private static func error(_ error: JournalError) -> EventLogError {
    switch error {
    case .overloaded: .overloaded
    case .storageFull: .storageFull
    case .tooLarge, .keyTooLong: .tooLarge
    default: .failed
    }
  }
}

/// A release on its way from the journal's thread to the outbox's task.
private final class PendingRelease: DurabilityWaiter {
  let release: Release

  init(_ release: @escaping Release) { self.release = release }

  /// The journal hands releases over together, see `delivery(to:)`.
  func becameDurable(position: UInt64) {}
  func wasLost() {}

  func job(_ fate: Durability) -> Lane.Job { { [release] in await release(fate) } }
}
