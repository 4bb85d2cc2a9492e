import EntityRuntime
import EventSourcing
import Synchronization

/// A log whose disk a test moves by hand.
final class ManualLog: EventLog {
  private struct State {
    var position: UInt64 = 0
    var turns: [Turn] = []
    var waiting: [Release] = []
    var refusal: EventLogError?
    var refusesToWait = false
  }

  private let state = Mutex(State())
  private let outbox: Lane

  init(outbox: Lane) { self.outbox = outbox }

  var turns: [Turn] { state.withLock { $0.turns } }
  var waitingCount: Int { state.withLock { $0.waiting.count } }

  /// - Parameter waiting: refuses those who wait for all that was appended, too, as a log does that has failed.
  func refuse(_ error: EventLogError?, waiting: Bool = false) {
    state.withLock { ($0.refusal, $0.refusesToWait) = (error, waiting) }
  }

  /// Everything appended so far becomes durable.
  func sync() { release(.durable) }

  /// The disk fails: nothing that waits will ever be known to be durable.
  func fail() { release(.lost) }

  private func release(_ fate: Durability) {
    let releases = state.withLock { state in
      defer { state.waiting = [] }
      return state.waiting
    }
    outbox.enqueue(contentsOf: releases.map { release -> Lane.Job in { await release(fate) } })
  }

  func append(_ turn: Turn, lazy: Bool, release: Release?) throws(EventLogError) -> UInt64 {
    let result = state.withLock { state -> Result<UInt64, EventLogError> in
      if let refusal = state.refusal { return .failure(refusal) }
      state.position += UInt64(turn.events.count)
      state.turns.append(turn)
      if let release { state.waiting.append(release) }
      return .success(state.position)
    }
    return try result.get()
  }

  func afterDurable(_ release: @escaping Release) throws(EventLogError) {
    let refusal = state.withLock { state -> EventLogError? in
      if state.refusesToWait, let refusal = state.refusal { return refusal }
      state.waiting.append(release)
      return nil
    }
    if let refusal { throw refusal }
  }
}

/// Notes what happens, in order.
final class Diary: Sendable {
  private let state = Mutex<[String]>([])
  func note(_ line: String) { state.withLock { $0.append(line) } }
  var lines: [String] { state.withLock { $0 } }
}
