import CallbackDomain
import ChatEngine
import EngineKit
import EntityRuntime
import EventSourcing
import Synchronization

/// Gives free agents to waiting callbacks: those whose customer is on the line first, then by priority, then the
/// oldest; to the agent who has been idle longest of those who serve the callback's service.
///
/// ```
///   callback wants an agent ─┐
///                            ├─> pair ─> agentAvailable ─> the callback holds the agent, or it wants another
///   agent is ready and free ─┘
/// ```
/// It knows only what durable events have told it; what it wants is a command like any other, which the callback may
/// refuse. An agent has one callback at a time from here. What they may serve is asked once more before they get it.
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

    /// Where a list goes on behind it: `1.5.1770798605123.7Q2M…`.
    var cursor: String { "\(isRouting ? 1 : 0).\(priority).\(since.milliseconds).\(id)" }

    /// Nil for a text that `cursor` has not made.
    init?(cursor: String) {
      let parts = cursor.split(separator: ".", maxSplits: 3, omittingEmptySubsequences: false)
      guard parts.count == 4, ["0", "1"].contains(parts[0]), let priority = Int(parts[1]),
        let milliseconds = Int64(parts[2])
      else { return nil }
      self.init(
        isRouting: parts[0] == "1", priority: priority, since: Timestamp(milliseconds: milliseconds),
        id: String(parts[3]))
    }

    init(isRouting: Bool, priority: Int, since: Timestamp, id: String) {
      self.isRouting = isRouting
      self.priority = priority
      self.since = since
      self.id = id
    }
  }

  /// Agents who serve the same services, ready and free, the longest idle first; who is no longer so is passed over.
  private struct Bench {
    var seats: [(agent: String, order: UInt64)] = []
    var start = 0

    var first: (agent: String, order: UInt64)? { start < seats.count ? seats[start] : nil }

    mutating func removeFirst() {
      start += 1
      if start > 64, start * 2 > seats.count {
        seats.removeFirst(start)
        start = 0
      }
    }
  }

  private struct State {
    /// Those that want an agent and that nobody is being given to, each service's in the order in which they are served.
    var queues: [String: SortedPieces<Ticket>] = [:]
    var tickets: [String: (ticket: Ticket, service: String)] = [:]
    /// Who is ready, and for which services: nil for all.
    var ready: [String: Set<String>?] = [:]
    /// Agents by the callbacks that hold them.
    var held: [String: Set<String>] = [:]
    /// Agents who are being given to a callback, and those callbacks.
    var assigning: Set<String> = []
    var beingAssigned: Set<String> = []
    /// By the services of those who sit on them.
    var idle: [Set<String>?: Bench] = [:]
    var nextOrder: UInt64 = 0
    var isOpen = false
    /// There were too many tasks: pairs are looked for again in a moment.
    var isRetryDue = false
    /// When the last callbacks came to an agent.
    var assignments: [Timestamp] = []

    func isFree(_ agent: String) -> Bool { ready[agent] != nil && held[agent] == nil && !assigning.contains(agent) }

    func readiness(of agent: String) -> AgentReadiness { ready[agent].map { .ready(for: $0?.sorted()) } ?? .away }

    mutating func seat(_ agent: String) {
      guard isFree(agent), let services = ready[agent] else { return }
      nextOrder += 1
      idle[services, default: Bench()].seats.append((agent, nextOrder))
    }

    mutating func queue(_ ticket: Ticket, of service: String) {
      unqueue(ticket.id)
      tickets[ticket.id] = (ticket, service)
      if !beingAssigned.contains(ticket.id) { queues[service, default: SortedPieces()].insert(ticket) }
    }

    mutating func unqueue(_ id: String) {
      guard let (ticket, service) = tickets.removeValue(forKey: id) else { return }
      leaveQueue(ticket, of: service)
    }

    private mutating func leaveQueue(_ ticket: Ticket, of service: String) {
      queues[service]?.remove(ticket)
      if queues[service]?.isEmpty == true { queues[service] = nil }
    }

    /// Thousands may be given to each other at once: whoever looks for the next pair must not walk past them.
    mutating func beginAssigning(_ agent: String, to id: String) {
      assigning.insert(agent)
      beingAssigned.insert(id)
      if let (ticket, service) = tickets[id] { leaveQueue(ticket, of: service) }
    }

    mutating func endAssigning(_ agent: String, to id: String) {
      assigning.remove(agent)
      beingAssigned.remove(id)
      if let (ticket, service) = tickets[id] { queues[service, default: SortedPieces()].insert(ticket) }
    }

    /// Those that wait still, as far as anybody has heard, though an agent is being given to them.
    var ticketsBeingAssigned: [(ticket: Ticket, service: String)] { beingAssigned.compactMap { tickets[$0] } }
  }

  private let state = Mutex(State())
  private let limits: EngineLimits
  private let context: RuntimeContext
  private let tasks: TaskPool
  private let agents: any ReadinessSource
  /// Gives the agent to the callback; says whether it holds them now, nil if the journal had no room.
  private let assign: @Sendable (_ agent: String, _ id: String) async -> Bool?

  init(
    limits: EngineLimits, context: RuntimeContext, tasks: TaskPool, agents: any ReadinessSource,
    assign: @escaping @Sendable (_ agent: String, _ id: String) async -> Bool?
  ) {
    self.limits = limits
    self.context = context
    self.tasks = tasks
    self.agents = agents
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
        state.seat(old)
      }
      if let note, note.wantsAgent {
        let ticket = Ticket(
          isRouting: note.status == .routing, priority: note.priority, since: note.queuedAt ?? note.createdAt, id: id)
        guard state.tickets[id]?.ticket != ticket else { return }
        state.queue(ticket, of: note.serviceName)
      } else {
        state.unqueue(id)
      }
    }
    match()
  }

  func changed(agent: String, _ readiness: AgentReadiness) {
    state.withLock { state in
      switch readiness {
      case .away: state.ready[agent] = nil
      case .ready(let names):
        let services = names.map { Set($0) }
        if let before = state.ready[agent], before == services { return }
        state.ready.updateValue(services, forKey: agent)
        state.seat(agent)
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
        waiting: state.tickets.count, oldest: state.tickets.values.lazy.map(\.ticket.since).min(),
        agentsReady: state.ready.count, agentsFree: state.ready.keys.count { state.isFree($0) })
    }
  }

  /// The next ones that wait for an agent, in the order in which they are served.
  /// - Parameter cursor: of the one behind which the list goes on. - Throws: `.invalid` if it is none.
  func waiting(
    after cursor: String? = nil, limit: Int, of services: (String) -> Bool = { _ in true }
  ) throws(EngineError) -> [(key: String, cursor: String)] {
    let after = try cursor.map { text throws(EngineError) in
      guard let ticket = Ticket(cursor: text) else {
        throw .invalid(field: "after", reason: ListPage<CallbackView>.noCursor)
      }
      return ticket
    }
    return state.withLock { state in
      var found = state.ticketsBeingAssigned.filter { ticket, service in
        services(service) && after.map { $0 < ticket } ?? true
      }.map(\.ticket)
      for (service, queue) in state.queues where services(service) {
        found += queue.elements(after: after, limit: limit)
      }
      return found.sorted().prefix(limit).map { ($0.id, $0.cursor) }
    }
  }

  func queuePosition(of id: String) -> CallbackQueuePosition {
    state.withLock { state in
      let waiting = state.tickets.count
      guard let ticket = state.tickets[id]?.ticket else {
        return CallbackQueuePosition(position: 0, etaSeconds: 0, totalWaiting: waiting, agentIsReady: false)
      }
      let before = state.ticketsBeingAssigned.count { $0.ticket < ticket }
      let position = 1 + before + state.queues.values.reduce(0) { $0 + $1.rank(of: ticket) }
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
      while let pair = Self.nextPair(&state) {
        state.beginAssigning(pair.agent, to: pair.id)
        pairs.append(pair)
      }
      return pairs
    }
    for (agent, id) in pairs {
      let isStarted = tasks.spawn { [self] in
        var isHeld = await mayBeGiven(agent, id)
        if isHeld == true { isHeld = await assign(agent, id) }
        // What cannot be known, or the journal had no room for, is tried again, not at once.
        if isHeld == nil { await context.timers.sleep(milliseconds: context.limits.storageRetryMilliseconds) }
        assigned(agent, id)
      }
      if !isStarted { refused(agent, id) }
    }
  }

  /// Whether the agent serves the callback still, whatever token or sign-in counts by now; nil if that cannot be known.
  private func mayBeGiven(_ agent: String, _ id: String) async -> Bool? {
    guard let readiness = await agents.readiness(of: agent) else { return nil }
    if state.withLock({ $0.readiness(of: agent) }) != readiness { changed(agent: agent, readiness) }
    return state.withLock { state in
      guard let services = state.ready[agent], let service = state.tickets[id]?.service else { return false }
      return services?.contains(service) ?? true
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
      state.endAssigning(agent, to: id)
      // The callback says itself that it holds the agent; if it does not, both are free for others.
      state.seat(agent)
    }
  }

  /// The first callback that one of the free agents may have, and whoever of these has been idle longest.
  private static func nextPair(_ state: inout State) -> (agent: String, id: String)? {
    var free: [(services: Set<String>?, agent: String, order: UInt64)] = []
    for services in Array(state.idle.keys) {
      if let seat = firstFree(services, &state) { free.append((services, seat.agent, seat.order)) }
    }
    guard !free.isEmpty else { return nil }
    var best: (ticket: Ticket, service: String)?
    for (service, queue) in state.queues where free.contains(where: { $0.services?.contains(service) ?? true }) {
      let first = queue.first { _ in true }
      if let first, best.map({ first < $0.ticket }) ?? true { best = (first, service) }
    }
    guard let best else { return nil }
    let fitting = free.filter { $0.services?.contains(best.service) ?? true }
    guard let seat = fitting.min(by: { $0.order < $1.order }) else { return nil }
    state.idle[seat.services]?.removeFirst()
    return (seat.agent, best.ticket.id)
  }

  /// Who sits first on a bench and is still free, and still ready for just these services.
  private static func firstFree(
    _ services: Set<String>?, _ state: inout State
  ) -> (agent: String, order: UInt64)? {
    while let seat = state.idle[services]?.first {
      if state.isFree(seat.agent), let own = state.ready[seat.agent], own == services { return seat }
      state.idle[services]?.removeFirst()
    }
    state.idle[services] = nil
    return nil
  }
}
