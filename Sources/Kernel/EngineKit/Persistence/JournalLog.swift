import EntityRuntime
import EventSourcing
import Journal
import Synchronization

/// The journal as the runtime sees it. Refuses everything until it is opened.
final class JournalLog: EventLog {
  private let writer = Mutex<JournalWriter?>(nil)
  private let outbox: Lane
  /// Where all that waits comes by on its way to the outbox, if a standby has to have it too.
  let hold: StandbyHold?

  init(outbox: Lane, hold: StandbyHold?) {
    self.outbox = outbox
    self.hold = hold
  }

  func open(_ writer: JournalWriter) { self.writer.withLock { $0 = writer } }

  func append(_ turn: Turn, lazy: Bool, release: Release?) throws(EventLogError) -> UInt64 {
    guard let writer = writer.withLock({ $0 }) else { throw .failed }
    if let hold, hold.isOverloaded { throw .overloaded }
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
    if let hold, hold.isOverloaded { throw .overloaded }
    let position = writer.lastPosition
    let isDurable: Bool
    do throws(JournalError) {
      // Behind everything appended so far; what is durable already passes at once, in its place.
      isDurable = try writer.enqueue(PendingRelease(release), for: position)
    } catch { throw Self.error(error) }
    guard isDurable else { return }
    let isTaken = hold?.take([release], for: position) ?? outbox.enqueue({ await release(.durable) })
    if !isTaken { throw .failed }
  }

  /// Takes the waiters of one commit to the outbox together.
  var delivery: JournalWriter.Delivery {
    if let hold {
      return { waiters, position in
        let releases = waiters.compactMap { ($0 as? PendingRelease)?.release }
        if let position { hold.take(releases, for: position) } else { hold.lose(releases) }
      }
    }
    return { [outbox] waiters, position in
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

  /// The journal hands releases over together, see `delivery`.
  func becameDurable(position: UInt64) {}
  func wasLost() {}

  func job(_ fate: Durability) -> Lane.Job { { [release] in await release(fate) } }
}
