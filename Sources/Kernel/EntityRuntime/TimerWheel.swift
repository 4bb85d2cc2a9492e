import Synchronization

/// All deadlines of the process in one hashed wheel that one task ticks.
///
/// A timer costs a 48-byte node in a slab and a constant-time list operation, where a sleeping task costs 2 KB and the
/// event loop's own timers cancel in linear time. Deadlines are rounded up to the next tick.
///
/// ```
/// slots  [0]──node──node     a node sits in slot (deadline / tick) mod slots.count and is looked at
///        [1]                 once each revolution; it fires when its deadline has come
///        [2]──node
/// ```
public final class TimerWheel: Sendable {
  /// A running timer. Stale handles (fired, cancelled) are recognised by their generation and do nothing.
  public struct Handle: Sendable, Hashable {
    fileprivate let index: Int32
    fileprivate let generation: UInt32
  }

  public typealias Action = @Sendable () -> Void

  private struct Node {
    var deadline: Int64 = 0
    var order: UInt64 = 0
    var previous: Int32 = -1
    var next: Int32 = -1
    var slot: Int32 = -1
    var generation: UInt32 = 0
    var action: Action?
  }

  private struct State {
    var nodes: [Node] = []
    var free: [Int32] = []
    var heads: [Int32]
    /// The tick that was looked at last.
    var tick: Int64
    var count = 0
    var scheduled: UInt64 = 0
  }

  public let tickMilliseconds: Int64
  private let slotCount: Int64
  private let time: any TimeSource
  private let state: Mutex<State>

  public init(time: any TimeSource, tickMilliseconds: Int64 = 20, slotCount: Int = 4_096) {
    precondition(tickMilliseconds > 0 && slotCount > 0, "a wheel has slots, and time between them")
    self.time = time
    self.tickMilliseconds = tickMilliseconds
    self.slotCount = Int64(slotCount)
    state = Mutex(
      State(
        heads: Array(repeating: -1, count: slotCount), tick: time.monotonicMilliseconds / tickMilliseconds))
  }

  /// Runs `action` once `delay` milliseconds have passed, unless cancelled before. A negative delay is overdue: it fires
  /// at the next tick, before what became due later.
  /// The action runs on the ticking task and must be quick.
  public func schedule(afterMilliseconds delay: Int64, _ action: @escaping Action) -> Handle {
    let deadline = time.monotonicMilliseconds.addingReportingOverflow(delay)
    return state.withLock { state in
      let index: Int32
      if let reused = state.free.popLast() {
        index = reused
      } else {
        index = Int32(state.nodes.count)
        state.nodes.append(Node())
      }
      // Rounded up, and never into a slot that this revolution has passed already.
      let due = deadline.overflow ? (delay < 0 ? 0 : Int64.max / 2) : min(deadline.partialValue, Int64.max / 2)
      let tick = (due + tickMilliseconds - 1) / tickMilliseconds
      let slot = Int(max(tick, state.tick + 1) % slotCount)
      state.scheduled += 1
      state.nodes[Int(index)].deadline = tick
      state.nodes[Int(index)].order = state.scheduled
      state.nodes[Int(index)].slot = Int32(slot)
      state.nodes[Int(index)].previous = -1
      state.nodes[Int(index)].next = state.heads[slot]
      state.nodes[Int(index)].action = action
      if state.heads[slot] >= 0 { state.nodes[Int(state.heads[slot])].previous = index }
      state.heads[slot] = index
      state.count += 1
      return Handle(index: index, generation: state.nodes[Int(index)].generation)
    }
  }

  /// - Returns: whether the timer was still running.
  @discardableResult
  public func cancel(_ handle: Handle) -> Bool {
    let action: Action? = state.withLock { state in
      guard state.nodes[Int(handle.index)].generation == handle.generation else { return nil }
      return remove(handle.index, from: &state)
    }
    // The action's captures are released outside the lock.
    return action != nil
  }

  /// Timers that have neither fired nor been cancelled.
  public var count: Int { state.withLock { $0.count } }

  /// Fires what has come due: earliest deadline first, and in the order of scheduling within a tick.
  public func fireDue() {
    let now = time.monotonicMilliseconds / tickMilliseconds
    let due: [(Int64, UInt64, Action)] = state.withLock { state in
      guard now > state.tick else { return [] }
      var due: [(Int64, UInt64, Action)] = []
      // After a long stop (a suspended machine) every slot is looked at once, not once for each missed tick.
      let steps = min(now - state.tick, slotCount)
      for step in 1...steps {
        var index = state.heads[Int((state.tick + step) % slotCount)]
        while index >= 0 {
          let next = state.nodes[Int(index)].next
          if state.nodes[Int(index)].deadline <= now {
            let (deadline, order) = (state.nodes[Int(index)].deadline, state.nodes[Int(index)].order)
            if let action = remove(index, from: &state) { due.append((deadline, order, action)) }
          }
          index = next
        }
      }
      state.tick = now
      return due
    }
    for (_, _, action) in due.sorted(by: { ($0.0, $0.1) < ($1.0, $1.1) }) { action() }
  }

  /// Returns once `milliseconds` have passed, by this wheel's clock.
  public func sleep(milliseconds: Int64) async {
    await withCheckedContinuation { continuation in
      _ = schedule(afterMilliseconds: milliseconds) { continuation.resume() }
    }
  }

  /// Ticks until the surrounding task is cancelled.
  public func run() async {
    while !Task.isCancelled {
      try? await Task.sleep(for: .milliseconds(tickMilliseconds))
      fireDue()
    }
  }

  private func remove(_ index: Int32, from state: inout State) -> Action? {
    let place = Int(index)
    // Field by field: a copy of the whole node would count references for nothing.
    let (previous, next) = (state.nodes[place].previous, state.nodes[place].next)
    if previous >= 0 {
      state.nodes[Int(previous)].next = next
    } else {
      state.heads[Int(state.nodes[place].slot)] = next
    }
    if next >= 0 { state.nodes[Int(next)].previous = previous }
    state.nodes[place].generation &+= 1
    state.free.append(index)
    state.count -= 1
    return state.nodes[place].action.take()
  }
}
