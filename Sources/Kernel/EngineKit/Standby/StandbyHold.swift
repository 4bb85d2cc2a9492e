import EntityRuntime
import EventSourcing
import Synchronization

/// Keeps what waits for durability from the outbox until a standby has it too, in the journal's order.
///
/// It begins with the service: what a start does before, and what tools do with a journal, waits for nobody.
final class StandbyHold: Sendable {
  private struct Group {
    /// Of the last record that they wait for.
    let position: UInt64
    var releases: [Release]
  }

  private enum Phase { case beforeService, service, over }

  private struct State {
    var phase = Phase.beforeService
    var gate: StandbyGate
    var held: [Group] = []
    var count = 0
  }

  private let outbox: Lane
  private let time: any TimeSource
  /// At so many the answer is that there is too much.
  private let countMaximum: Int
  // Held while jobs are put into the outbox: a commit's come from one thread, a standby's acknowledgements from others, and
  // between them there is an order to be kept.
  private let state: Mutex<State>

  init(limit: Duration, countMaximum: Int, outbox: Lane, time: any TimeSource) {
    self.outbox = outbox
    self.time = time
    self.countMaximum = countMaximum
    state = Mutex(State(gate: StandbyGate(limitMilliseconds: limit.wholeMilliseconds)))
  }

  /// Whether changes, and reads that would wait, are to be refused.
  var isOverloaded: Bool {
    state.withLock { state in
      state.phase == .service
        && (state.count >= countMaximum || state.gate.isOverdue(at: time.monotonicMilliseconds))
    }
  }

  /// Releases that wait.
  var count: Int { state.withLock { $0.count } }

  /// Whether a standby has everything up to `position`, as far as anybody waits for that.
  func hasReleased(_ position: UInt64) -> Bool {
    state.withLock { $0.phase != .service || $0.gate.releasePosition >= position }
  }

  /// From now on it holds back, beginning with what is not acknowledged of all up to `position`, which is on the disk.
  func begin(at position: UInt64) {
    state.withLock { state in
      guard state.phase == .beforeService else { return }
      state.phase = .service
      state.gate.becameDurable(position, at: time.monotonicMilliseconds)
    }
  }

  /// Everything up to `position` is on this disk.
  func becameDurable(_ position: UInt64) {
    state.withLock { state in
      guard state.phase == .service else { return }
      state.gate.becameDurable(position, at: time.monotonicMilliseconds)
      release(&state)
    }
  }

  /// A standby has everything up to `position` on its disk; all of it is on this one too.
  func wasAcknowledged(_ position: UInt64) {
    state.withLock { state in
      state.gate.wasAcknowledged(position)
      release(&state)
    }
  }

  /// Takes what waits for `position`, which is on this disk, behind all that it took before.
  ///
  /// - Returns: false if nothing is released any more, as the outbox has it.
  @discardableResult
  func take(_ releases: [Release], for position: UInt64) -> Bool {
    state.withLock { state in
      state.held.append(Group(position: position, releases: releases))
      state.count += releases.count
      return switch state.phase {
      case .beforeService: end(&state, with: .durable)
      case .service: release(&state)
      case .over: end(&state, with: .lost)
      }
    }
  }

  /// The journal has failed: what waits here is lost, and so is this.
  func lose(_ releases: [Release]) {
    state.withLock { state in
      end(&state, with: .lost)
      outbox.enqueue(contentsOf: Self.jobs(releases, .lost))
    }
  }

  /// Waits for no standby any more: whatever none has is told that it may be lost.
  func giveUp() {
    state.withLock { state in
      state.phase = .over
      end(&state, with: .lost)
    }
  }

  @discardableResult
  private func release(_ state: inout State) -> Bool {
    let position = state.gate.releasePosition
    let end = state.held.firstIndex { $0.position > position } ?? state.held.count
    return end == 0 || send(&state, first: end, with: .durable)
  }

  @discardableResult
  private func end(_ state: inout State, with fate: Durability) -> Bool {
    send(&state, first: state.held.count, with: fate)
  }

  private func send(_ state: inout State, first count: Int, with fate: Durability) -> Bool {
    var jobs: [Lane.Job] = []
    for group in state.held[..<count] { jobs += Self.jobs(group.releases, fate) }
    state.held.removeFirst(count)
    state.count -= jobs.count
    return outbox.enqueue(contentsOf: jobs)
  }

  private static func jobs(_ releases: [Release], _ fate: Durability) -> [Lane.Job] {
    releases.map { release in { await release(fate) } }
  }
}
