internal import Synchronization

/// Something with connections of its own that is made for one credential and closed in the end.
protocol PooledLane: AnyObject, Sendable {
  func close() async
}

/// The lanes in use, one for each set of options that matters to it, or why there is none.
///
/// ```
///             first use                      reload, content as before
///   (nothing) ─────────> ready | blocked ──> ready (the same lane)
///                          │        │ reload, content changed; too many lanes
///                          │        └───────> retired ── last delivery ended ──> closed
///                          └─ shutdown ─────────────────────────────────────────> closed
/// ```
/// Files are read when a lane is made and at the first use after `reload()`, never for each push.
final class LaneTable<Key: Hashable & Sendable, Lane: PooledLane>: Sendable {
  /// Makes the lane of a key, or gives back `previous` if nothing has changed.
  typealias Maker = @Sendable (_ key: Key, _ previous: Lane?) throws(PushObstacle) -> Lane

  private struct Slot {
    var result: Result<Lane, PushObstacle>
    var generation: Int
    var lastUse: UInt64
  }

  private struct Holder {
    let lane: Lane
    var deliveries = 0
    var isRetired = false
  }

  private struct State {
    var slots: [Key: Slot] = [:]
    /// Every lane that is not closed yet, retired ones with deliveries under way among them.
    var holders: [ObjectIdentifier: Holder] = [:]
    var closing: [ObjectIdentifier: Task<Void, Never>] = [:]
    var generation = 0
    var uses: UInt64 = 0
    var isShutDown = false
  }

  private enum Found {
    case result(Result<Lane, PushObstacle>)
    case stale(Lane?, generation: Int)
  }

  private let lanesMaximum: Int
  private let make: Maker
  private let state = Mutex(State())

  init(lanesMaximum: Int, make: @escaping Maker) {
    self.lanesMaximum = max(1, lanesMaximum)
    self.make = make
  }

  /// Why there is no lane for this key; nil if there is one.
  func obstacle(_ key: Key) -> PushObstacle? {
    switch slot(key) {
    case .success: nil
    case .failure(let obstacle): obstacle
    }
  }

  /// Runs `body` with the key's lane, which is not closed meanwhile.
  func withLane<Answer: Sendable>(
    _ key: Key, _ body: @Sendable (Lane) async -> Answer
  ) async -> Result<Answer, PushObstacle> {
    // A lane that was retired between the two steps is asked for anew; after a shutdown there is none.
    while true {
      switch slot(key) {
      case .failure(let obstacle): return .failure(obstacle)
      case .success(let lane):
        guard enter(lane) else { continue }
        let answer = await body(lane)
        leave(lane)
        return .success(answer)
      }
    }
  }

  /// Lets the next use of each key read its files again.
  func reload() { state.withLock { $0.generation += 1 } }

  /// The lanes in use.
  var lanes: [Lane] { state.withLock { state in state.slots.values.compactMap { try? $0.result.get() } } }

  /// Closes every lane, at once, and waits for it. Nothing can be had from then on.
  func shutdown() async {
    // One that was being made meanwhile is closed as soon as it is there.
    while true {
      let tasks = state.withLock { state in
        state.isShutDown = true
        state.slots.removeAll()
        for holder in state.holders.values { close(holder.lane, &state) }
        return Array(state.closing.values)
      }
      if tasks.isEmpty { return }
      for task in tasks { await task.value }
    }
  }

  // MARK: Slots

  private func slot(_ key: Key) -> Result<Lane, PushObstacle> {
    // A previous lane that was retired while its files were read cannot be had back: then once more, from the start.
    while true { if let result = lookUp(key) { return result } }
  }

  private func lookUp(_ key: Key) -> Result<Lane, PushObstacle>? {
    let found: Found = state.withLock { state in
      if state.isShutDown { return .result(.failure(PushObstacle("shut down"))) }
      guard var slot = state.slots[key] else { return .stale(nil, generation: state.generation) }
      guard slot.generation == state.generation else {
        return .stale(try? slot.result.get(), generation: state.generation)
      }
      state.uses += 1
      slot.lastUse = state.uses
      state.slots[key] = slot
      return .result(slot.result)
    }
    switch found {
    case .result(let result): return result
    case .stale(let previous, let generation):
      let made: Result<Lane, PushObstacle>
      do throws(PushObstacle) { made = .success(try make(key, previous)) } catch { made = .failure(error) }
      return state.withLock { state in install(made, previous, key, generation, &state) }
    }
  }

  private func install(
    _ made: Result<Lane, PushObstacle>, _ previous: Lane?, _ key: Key, _ generation: Int, _ state: inout State
  ) -> Result<Lane, PushObstacle>? {
    let lane = try? made.get()
    if let lane {
      let id = ObjectIdentifier(lane)
      if lane === previous {
        guard state.holders[id]?.isRetired == false else { return nil }
      } else {
        state.holders[id] = Holder(lane: lane)
      }
    }
    if state.isShutDown {
      if let lane { close(lane, &state) }
      return .failure(PushObstacle("shut down"))
    }
    // Another call has made one meanwhile: that one counts.
    if let slot = state.slots[key], slot.generation >= generation, slot.generation == state.generation {
      if let lane, lane !== (try? slot.result.get()) { retire(lane, &state) }
      return slot.result
    }
    if let old = try? state.slots[key]?.result.get(), old !== lane { retire(old, &state) }
    if state.slots[key] == nil { makeRoom(&state) }
    state.uses += 1
    state.slots[key] = Slot(result: made, generation: generation, lastUse: state.uses)
    return made
  }

  /// The lane that was used least recently goes.
  private func makeRoom(_ state: inout State) {
    while state.slots.count >= lanesMaximum, let oldest = state.slots.min(by: { $0.value.lastUse < $1.value.lastUse }) {
      state.slots[oldest.key] = nil
      if let lane = try? oldest.value.result.get() { retire(lane, &state) }
    }
  }

  // MARK: Lanes

  private func enter(_ lane: Lane) -> Bool {
    state.withLock { state in
      guard var holder = state.holders[ObjectIdentifier(lane)], !holder.isRetired else { return false }
      holder.deliveries += 1
      state.holders[ObjectIdentifier(lane)] = holder
      return true
    }
  }

  private func leave(_ lane: Lane) {
    state.withLock { state in
      guard var holder = state.holders[ObjectIdentifier(lane)] else { return }
      holder.deliveries -= 1
      state.holders[ObjectIdentifier(lane)] = holder
      if holder.isRetired, holder.deliveries == 0 { close(lane, &state) }
    }
  }

  private func retire(_ lane: Lane, _ state: inout State) {
    let id = ObjectIdentifier(lane)
    state.holders[id]?.isRetired = true
    if state.holders[id]?.deliveries == 0 { close(lane, &state) }
  }

  private func close(_ lane: Lane, _ state: inout State) {
    let id = ObjectIdentifier(lane)
    state.holders[id]?.isRetired = true
    guard state.closing[id] == nil else { return }
    // Its owner is this table: `shutdown` waits for it. The closed lane is forgotten only when it is, so that its
    // identifier cannot be another's meanwhile.
    state.closing[id] = Task {
      await lane.close()
      self.state.withLock { state in
        state.holders[id] = nil
        state.closing[id] = nil
      }
    }
  }
}
