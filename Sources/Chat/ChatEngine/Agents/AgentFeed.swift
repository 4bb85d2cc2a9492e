public import ChatDomain
import DequeModule
import EngineKit
import EntityRuntime
import EventSourcing
import Synchronization

/// What a capability above has to tell agents.
public protocol AgentNews: Sendable, Equatable {}

/// One entry of the agents' event stream.
public struct AgentEvent: Sendable, Equatable {
  public enum Kind: Sendable {
    case chat(AgentNotification)
    /// Events are missing before this one: read the list of chats anew.
    case reset
    /// Something has happened to work of another kind.
    case other(any AgentNews)
    /// An agent is ready, or is not any more.
    case agent(id: String, isReady: Bool)
  }

  /// Rises by one with each event of this process.
  public let number: UInt64
  /// The chat session id; empty for `reset`.
  public let chatID: String
  public let serviceID: String
  public let kind: Kind
  /// Nil for `reset`, which concerns its stream alone.
  let audience: AgentAudience?
  package let rendering = SharedRendering()
}

extension AgentEvent.Kind: Equatable {
  public static func == (one: Self, other: Self) -> Bool {
    switch (one, other) {
    case (.chat(let one), .chat(let other)): one == other
    case (.reset, .reset): true
    case (.other(let one), .other(let other)): one.equals(other)
    case (.agent(let one, let was), .agent(let other, let isReady)): one == other && was == isReady
    default: false
    }
  }
}

extension AgentNews {
  fileprivate func equals(_ other: any AgentNews) -> Bool { other as? Self == self }
}

/// What happens in all chats, for the streams of the agents whom it concerns. Keeps the last events for streams that come
/// back.
package final class AgentFeed: Sendable {
  private struct Listener {
    let viewer: AgentViewer
    let continuation: AsyncStream<AgentEvent>.Continuation
  }

  private struct State {
    var number: UInt64
    var kept = Deque<AgentEvent>()
    var listeners: [UInt64: Listener] = [:]
    var nextListener: UInt64 = 0
    var isFinished = false
    /// Somebody has listened: from then on events are kept.
    var isUsed = false
    /// When the last stream of an agent was gone, in milliseconds of a clock that nobody sets. Only of late.
    var left: [String: Int64] = [:]

    /// - Returns: whose it was; nil if it is gone already.
    @discardableResult
    mutating func remove(_ id: UInt64, at now: Int64) -> String? {
      guard let listener = listeners.removeValue(forKey: id) else { return nil }
      left = left.filter { now - $0.value < Int64(AgentPresence.graceSeconds) * 1_000 }
      left[listener.viewer.id] = now
      return listener.viewer.id
    }
  }

  private let keptMaximum: Int
  private let waitingMaximum: Int
  private let time: any TimeSource
  private let state: Mutex<State>
  private let streams = Atomic(0)

  /// Who follows which agents are there.
  typealias Watcher = @Sendable (_ agentID: String, _ hasLeft: Bool) -> Void
  private let watchers = Mutex<[Watcher]>([])

  /// A thousand events in each millisecond, for as long as a process may have run; and exact as a number of JavaScript,
  /// which is to name it again: below 2^53 until the year 2248.
  static func firstNumber(startedAt now: Timestamp) -> UInt64 { UInt64(max(0, now.milliseconds)) << 10 }

  /// - Parameter firstNumber: where this process begins to count: above all that the process before it may have given
  ///   out, so that a stream that comes back after a restart is told that events are missing.
  init(limits: EngineLimits, time: any TimeSource, firstNumber: UInt64) {
    self.time = time
    keptMaximum = limits.agentEventsKept
    waitingMaximum = limits.agentEventsWaitingMaximum
    state = Mutex(State(number: firstNumber))
  }

  /// How many streams are open, or have ended and nobody has been told yet.
  var streamCount: Int { streams.load(ordering: .acquiring) }

  package var hasListeners: Bool { state.withLock { $0.isUsed } }

  package func publish(chatID: String, serviceID: String, _ kind: AgentEvent.Kind, to audience: AgentAudience) {
    let lost = state.withLock { state -> [Listener] in
      state.number += 1
      let event = AgentEvent(
        number: state.number, chatID: chatID, serviceID: serviceID, kind: kind, audience: audience)
      state.kept.append(event)
      if state.kept.count > keptMaximum { state.kept.removeFirst() }
      var lost: [Listener] = []
      for (id, listener) in state.listeners where listener.viewer.sees(audience) {
        // A stream that lags so far behind is ended: its client comes back and is told what it missed.
        if case .enqueued = listener.continuation.yield(event) { continue }
        state.remove(id, at: time.monotonicMilliseconds)
        lost.append(listener)
      }
      return lost
    }
    for listener in lost {
      listener.continuation.finish()
      tell(listener.viewer.id, hasLeft: true)
    }
  }

  /// What concerns `viewer`: its numbers rise, and those between them are of others' events.
  func events(after number: UInt64?, for viewer: AgentViewer) -> AsyncStream<AgentEvent> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: AgentEvent.self, bufferingPolicy: .bufferingOldest(waitingMaximum))
    let id = state.withLock { state -> UInt64? in
      guard !state.isFinished else { return nil }
      state.isUsed = true
      if let number, number != state.number {
        if let first = state.kept.first, number < state.number, number + 1 >= first.number {
          for event in state.kept where event.number > number && event.audience.map(viewer.sees) ?? true {
            continuation.yield(event)
          }
        } else {
          continuation.yield(
            AgentEvent(number: state.number, chatID: "", serviceID: "", kind: .reset, audience: nil))
        }
      }
      state.nextListener += 1
      state.listeners[state.nextListener] = Listener(viewer: viewer, continuation: continuation)
      return state.nextListener
    }
    guard let id else {
      continuation.finish()
      return stream
    }
    streams.add(1, ordering: .relaxed)
    continuation.onEnd { [weak self] in
      self?.remove(id)
      self?.streams.subtract(1, ordering: .releasing)
    }
    tell(viewer.id, hasLeft: false)
    return stream
  }

  private func remove(_ id: UInt64) {
    if let agentID = state.withLock({ $0.remove(id, at: time.monotonicMilliseconds) }) { tell(agentID, hasLeft: true) }
  }

  /// From now on it is told of each stream that begins or ends; the agent may have others.
  func watch(_ watcher: @escaping Watcher) { watchers.withLock { $0.append(watcher) } }

  private func tell(_ agentID: String, hasLeft: Bool) {
    for watcher in watchers.withLock({ $0 }) { watcher(agentID, hasLeft) }
  }

  /// Who is there now.
  var presence: @Sendable (_ agentID: String) -> AgentPresence {
    let now = time.monotonicMilliseconds
    let online = state.withLock { state in
      Set(state.listeners.values.map(\.viewer.id)).union(
        state.left.filter { now - $0.value < Int64(AgentPresence.graceSeconds) * 1_000 }.keys)
    }
    return { online.contains($0) ? .online : .away }
  }

  /// Lets go of what is kept of these chats: it has been erased. Streams that come back miss it.
  package func forget(_ services: Set<String>) {
    state.withLock { state in state.kept.removeAll { services.contains($0.serviceID) } }
  }

  /// Ends all streams.
  package func finish() {
    let listeners = state.withLock { state in
      state.isFinished = true
      defer { state.listeners = [:] }
      return state.listeners.values.map(\.continuation)
    }
    for listener in listeners { listener.finish() }
  }
}
