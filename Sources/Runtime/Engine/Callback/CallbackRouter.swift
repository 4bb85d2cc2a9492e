import CallbackDomain
import EntityRuntime
import EventSourcing
import HeapModule
import Synchronization

/// Gives free agents to waiting callbacks: those whose customer is on the line first, then by priority, then the
/// oldest; to the agent who has been idle longest.
///
/// ```
///   callback wants an agent ─┐
///                            ├─> pair ─> agentAvailable ─> the callback holds the agent, or it wants another
///   agent is ready and free ─┘
/// ```
/// It knows only what durable events have told it; what it wants is a command like any other, which the callback may
/// refuse. An agent has one callback at a time from here.
final class CallbackRouter: Sendable {
  private struct Ticket: Comparable {
    let isRouting: Bool
    let priority: Int
    let since: Timestamp
    let id: String

    /// The first to be served is the smallest.
    static func < (left: Ticket, right: Ticket) -> Bool {
      if left.isRouting != right.isRouting { return left.isRouting }
      if left.priority != right.priority { return left.priority > right.priority }
      return (left.since, left.id) < (right.since, right.id)
    }
  }

  private struct State {
    /// Tickets that no longer hold are passed over.
    var queue = Heap<Ticket>()
    var tickets: [String: Ticket] = [:]
    var ready: Set<String> = []
    /// Agents by the callbacks that hold them.
    var held: [String: Set<String>] = [:]
    /// Agents who are being given to a callback, and those callbacks.
    var assigning: Set<String> = []
    var beingAssigned: Set<String> = []
    /// Ready and free, the longest idle first; who is no longer so is passed over.
    var idle: [String] = []
    var idleStart = 0
    var isOpen = false
    /// There were too many tasks: pairs are looked for again in a moment.
    var isRetryDue = false
    /// When the last callbacks came to an agent.
    var assignments: [Timestamp] = []

    func isFree(_ agent: String) -> Bool { ready.contains(agent) && held[agent] == nil && !assigning.contains(agent) }
  }

  private let state = Mutex(State())
  private let limits: EngineLimits
  private let context: RuntimeContext
  private let tasks: TaskPool
  /// Gives the agent to the callback; says whether it holds them now, nil if the journal had no room.
  private let assign: @Sendable (_ agent: String, _ id: String) async -> Bool?

  init(
    limits: EngineLimits, context: RuntimeContext, tasks: TaskPool,
    assign: @escaping @Sendable (_ agent: String, _ id: String) async -> Bool?
  ) {
    self.limits = limits
    self.context = context
    self.tasks = tasks
    self.assign = assign
  }

  // MARK: What has happened

  /// From here on agents are given away: all callbacks and agents that there were are known.
  func open() {
    state.withLock { $0.isOpen = true }
    match()
  }

  func changed(_ id: String, from before: CallbackNote?, to note: CallbackNote?) {
    state.withLock { state in
      let (old, new) = (before.flatMap(Self.heldAgent), note.flatMap(Self.heldAgent))
      if let new {
        state.held[new, default: []].insert(id)
        if old != new, state.isOpen { record(assignmentAt: context.time.now, &state) }
      }
      if let old, old != new {
        state.held[old]?.remove(id)
        if state.held[old]?.isEmpty == true { state.held[old] = nil }
        if state.isFree(old) { state.idle.append(old) }
      }
      if let note, note.wantsAgent {
        let ticket = Ticket(
          isRouting: note.status == .routing, priority: note.priority, since: note.queuedAt ?? note.createdAt, id: id)
        guard state.tickets[id] != ticket else { return }
        state.tickets[id] = ticket
        if !state.beingAssigned.contains(id) { state.queue.insert(ticket) }
      } else {
        state.tickets[id] = nil
      }
    }
    match()
  }

  func changed(agent: String, isReady: Bool) {
    state.withLock { state in
      if isReady {
        if state.ready.insert(agent).inserted, state.isFree(agent) { state.idle.append(agent) }
      } else {
        state.ready.remove(agent)
      }
    }
    match()
  }

  private static func heldAgent(_ note: CallbackNote) -> String? { note.isOpen ? note.agentID : nil }

  private func record(assignmentAt now: Timestamp, _ state: inout State) {
    state.assignments.append(now)
    if state.assignments.count > limits.callbackAssignmentsKept { state.assignments.removeFirst() }
  }

  // MARK: What people ask

  struct Load: Equatable {
    var waiting: Int
    /// Since when the one waits that has waited longest.
    var oldest: Timestamp?
    var agentsReady: Int
    var agentsFree: Int
  }

  var load: Load {
    state.withLock { state in
      Load(
        waiting: state.tickets.count, oldest: state.tickets.values.lazy.map(\.since).min(),
        agentsReady: state.ready.count, agentsFree: state.ready.count { state.isFree($0) })
    }
  }

  /// Those that wait for an agent, in the order in which they are served.
  func waiting(limit: Int) -> [String] {
    state.withLock { state in state.tickets.values.sorted().prefix(limit).map(\.id) }
  }

  func queuePosition(of id: String) -> CallbackQueuePosition {
    state.withLock { state in
      let waiting = state.tickets.count
      guard let ticket = state.tickets[id] else {
        return CallbackQueuePosition(position: 0, etaSeconds: 0, totalWaiting: waiting, agentIsReady: false)
      }
      let position = 1 + state.tickets.values.count { $0 < ticket }
      return CallbackQueuePosition(
        position: position, etaSeconds: eta(position, state), totalWaiting: waiting, agentIsReady: false)
    }
  }

  /// As fast as the last ones came to their agents.
  private func eta(_ position: Int, _ state: borrowing State) -> Int {
    guard let first = state.assignments.first, state.assignments.count > 1 else {
      return position * limits.callbackSecondsAssumed
    }
    let span = max(1, context.time.now.seconds(since: first))
    return Int(Double(position) * Double(span) / Double(state.assignments.count))
  }

  // MARK: Pairs

  private func match() {
    let pairs = state.withLock { state -> [(agent: String, id: String)] in
      guard state.isOpen else { return [] }
      var pairs: [(agent: String, id: String)] = []
      while let agent = Self.nextAgent(&state) {
        guard let ticket = Self.nextTicket(&state) else {
          state.idleStart -= 1
          break
        }
        state.assigning.insert(agent)
        state.beingAssigned.insert(ticket.id)
        pairs.append((agent, ticket.id))
      }
      return pairs
    }
    for (agent, id) in pairs {
      let isStarted = tasks.spawn { [self] in
        let isHeld = await assign(agent, id)
        // What the journal had no room for is tried again, not at once.
        if isHeld == nil { await context.timers.sleep(milliseconds: context.limits.storageRetryMilliseconds) }
        assigned(agent, id)
      }
      if !isStarted { refused(agent, id) }
    }
  }

  /// There are too many tasks: not at once again.
  private func refused(_ agent: String, _ id: String) {
    putBack(agent, id)
    let isFirst = state.withLock { state in
      defer { state.isRetryDue = true }
      return !state.isRetryDue
    }
    guard isFirst else { return }
    _ = context.timers.schedule(afterMilliseconds: context.limits.storageRetryMilliseconds) { [weak self] in
      self?.state.withLock { $0.isRetryDue = false }
      self?.match()
    }
  }

  private func assigned(_ agent: String, _ id: String) {
    putBack(agent, id)
    match()
  }

  private func putBack(_ agent: String, _ id: String) {
    state.withLock { state in
      state.assigning.remove(agent)
      state.beingAssigned.remove(id)
      // The callback says itself that it holds the agent; if it does not, both are free for others.
      if let ticket = state.tickets[id] { state.queue.insert(ticket) }
      if state.isFree(agent) { state.idle.append(agent) }
    }
  }

  private static func nextAgent(_ state: inout State) -> String? {
    if state.idleStart > 64, state.idleStart * 2 > state.idle.count {
      state.idle.removeFirst(state.idleStart)
      state.idleStart = 0
    }
    while state.idleStart < state.idle.count {
      let agent = state.idle[state.idleStart]
      state.idleStart += 1
      if state.isFree(agent) { return agent }
    }
    return nil
  }

  private static func nextTicket(_ state: inout State) -> Ticket? {
    while let ticket = state.queue.popMin() {
      if state.tickets[ticket.id] == ticket, !state.beingAssigned.contains(ticket.id) { return ticket }
    }
    return nil
  }
}
