import EventSourcing
import PushDomain
import Synchronization

/// What the queues hold that somebody is to look at: dead letters, and what waits. Rebuilt from the queues themselves
/// after a restart.
final class DeadLetterIndex: Sendable {
  private struct State {
    /// Dead letters, by queue.
    var letters: [String: Int] = [:]
    var waiting: [String: Waiting] = [:]
    /// There are few kinds of pushes and many queues.
    var kinds: [PushKind] = []
    var numbers: [PushKind: Int32] = [:]
  }

  /// One for each device that something waits for: small.
  private struct Waiting {
    let kind: Int32
    let urgent: Int32
    let normal: Int32
    let since: Timestamp
    /// `.max` for none.
    let nextAttempt: Timestamp
  }

  private let state = Mutex(State())

  init() {}

  // MARK: Dead letters

  func set(_ key: String, _ count: Int) { state.withLock { $0.letters[key] = count == 0 ? nil : count } }

  var total: Int { state.withLock { $0.letters.values.reduce(0, +) } }

  /// The next queues with dead letters, in the order of their keys. - Parameter from: a key, or nothing.
  func keys(from: String, limit: Int) -> [String] {
    state.withLock { state in Array(state.letters.keys.filter { $0 >= from }.sorted().prefix(limit)) }
  }

  // MARK: What waits

  func set(_ key: String, _ backlog: PushBacklog?) {
    state.withLock { state in
      guard let backlog else {
        state.waiting[key] = nil
        return
      }
      let kind = PushKind(backlog)
      let number = state.numbers[kind] ?? Int32(state.kinds.count)
      if number == state.kinds.count {
        state.kinds.append(kind)
        state.numbers[kind] = number
      }
      state.waiting[key] = Waiting(
        kind: number, urgent: Int32(clamping: backlog.urgent), normal: Int32(clamping: backlog.normal),
        since: backlog.since, nextAttempt: backlog.nextAttempt ?? Timestamp(milliseconds: .max))
    }
  }

  /// How many queues there are in which pushes wait.
  var waitingCount: Int { state.withLock { $0.waiting.count } }

  /// The next queues in which pushes wait, in the order of their keys.
  func waiting(after: String, limit: Int) -> [String] {
    // Copied first: whoever pushes must not wait until they are looked through.
    let keys = state.withLock { Array($0.waiting.keys) }
    var smallest: [String] = []
    for key in keys where key > after && (smallest.count < limit || smallest.last.map { key < $0 } ?? false) {
      let place = smallest.firstIndex { $0 > key } ?? smallest.count
      smallest.insert(key, at: place)
      if smallest.count > limit { smallest.removeLast() }
    }
    return smallest
  }

  /// What waits in all queues together, by kind.
  var backlogs: [(kind: PushKind, backlog: Backlog)] {
    state.withLock { state in
      var sums = [Backlog?](repeating: nil, count: state.kinds.count)
      for waiting in state.waiting.values {
        let next = waiting.nextAttempt.milliseconds == .max ? nil : waiting.nextAttempt
        let one = Backlog(
          urgent: Int(waiting.urgent), normal: Int(waiting.normal),
          retrying: next == nil ? 0 : Int(waiting.urgent) + Int(waiting.normal), since: waiting.since, nextAttempt: next
        )
        sums[Int(waiting.kind)] = sums[Int(waiting.kind)].map { $0.with(one) } ?? one
      }
      return zip(state.kinds, sums).compactMap { kind, sum in sum.map { (kind, $0) } }
    }
  }

  /// Messages that wait; those in flight do not.
  struct Backlog: Sendable, Equatable {
    var urgent = 0
    var normal = 0
    /// Those of both that wait for their next attempt.
    var retrying = 0
    /// When the oldest one was taken over.
    var since: Timestamp
    /// The first moment at which a queue tries again that waits for it.
    var nextAttempt: Timestamp?

    func with(_ other: Backlog) -> Backlog {
      let next = [nextAttempt, other.nextAttempt].compactMap(\.self).min()
      return Backlog(
        urgent: urgent + other.urgent, normal: normal + other.normal, retrying: retrying + other.retrying,
        since: min(since, other.since), nextAttempt: next)
    }
  }

  func restored(_ key: String, _ note: QueueNote) {
    set(key, note.deadLetters)
    set(key, note.backlog)
  }
}

/// What tells the lanes of waiting pushes apart, without any device.
struct PushKind: Hashable, Sendable {
  let type: String
  let provider: String?
  let debug: Bool
  let tag: String

  init(_ backlog: PushBacklog) {
    type = backlog.target.type
    provider = backlog.target.provider
    debug = backlog.target.debug
    tag = backlog.tag
  }

  /// An address of this kind, of nobody.
  var target: PushAddress { PushAddress(type: type, deviceID: "", provider: provider, debug: debug) }
}
