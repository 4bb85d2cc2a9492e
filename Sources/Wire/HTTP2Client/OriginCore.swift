internal import NIOCore
internal import NIOPosix
internal import NIOSSL
internal import Synchronization

/// The bookkeeping of an origin: who waits, which connections there are, who gets the next stream.
///
/// All of it lives on one event loop, the one of all its connections, so that a request costs one hop there and one
/// back. `@unchecked Sendable`: only that loop touches what changes; `counters` are atomic.
///
/// ```
/// send --> waiting --pump: a connection has a free stream--> open --> settled
///             |  no connection can be made, too late, cancelled, shut down --> settled
/// ```
final class OriginCore: @unchecked Sendable {
  let settings: HTTP2Settings
  let authority: String
  /// Of the settings, which have it as 128 bits.
  let requestTimeout: TimeAmount
  let tls: NIOSSLContext?
  let loop: any EventLoop
  let counters = OriginCounters()

  /// Connecting, open and draining ones, the oldest first.
  var connections: [OriginConnection] = []
  /// Channels that are not closed yet, also of connections that are not in `connections` any more.
  var channels = 0
  var waiting = CircularBuffer<Exchange>()
  /// Of `waiting`, those that are not settled.
  var waitingCount = 0
  var calm = Calm()
  var goAwaysInARow = 0
  /// Connections in a row that ended without a single answer.
  var barrenInARow = 0
  var connectNotBefore = NIODeadline.distantPast
  var expandNotBefore = NIODeadline.distantPast
  var isShutDown = false
  var shutdownWaiters: [EventLoopPromise<Void>] = []
  var ticking: RepeatedTask?
  var nextConnection: UInt64 = 1
  /// For tests of the last ids; each connection begins with it.
  var firstStreamID: Int32 = 1
  private var latestOrder: UInt64 = 0
  /// Answers that came with one read, and have not been told.
  private var answers: [(waiter: UnsafeContinuation<HTTP2Outcome, Never>, outcome: HTTP2Outcome)] = []
  private var isPumping = false
  private var mustPumpAgain = false

  init(_ settings: HTTP2Settings, tls: NIOSSLContext?, loop: any EventLoop) {
    self.settings = settings
    self.tls = tls
    self.loop = loop
    authority = settings.authority
    requestTimeout = TimeAmount(settings.requestTimeout)
  }

  // MARK: Requests

  func accept(_ exchange: Exchange, _ continuation: UnsafeContinuation<HTTP2Outcome, Never>) {
    exchange.arrive(continuation)
    if exchange.isCancelled { return exchange.settle(.unprocessed(reason: "cancelled", isTransport: false)) }
    if isShutDown { return exchange.settle(.unprocessed(reason: "shut down", isTransport: false)) }
    guard exchange.request.isWellFormed else {
      return exchange.settle(.unprocessed(reason: "request malformed", isTransport: false))
    }
    // A whole batch arrives at once: what has a stream already does not count as waiting.
    if waitingCount >= settings.queueMaximum { pump() }
    guard waitingCount < settings.queueMaximum else {
      return exchange.settle(.unprocessed(reason: "too many requests wait", isTransport: false))
    }
    exchange.deadline = .now() + requestTimeout
    waiting.append(exchange)
    waitingCount += 1
  }

  func cancel(_ exchange: Exchange) {
    exchange.isCancelled = true
    guard !exchange.isSettled else { return }
    if let connection = exchange.connection {
      connection.abandon(exchange, reason: "cancelled")
    } else if exchange.deadline != .distantFuture {
      dismiss(exchange, .unprocessed(reason: "cancelled", isTransport: false))
      // Settled ones leave the queue at its head; many cancelled behind a stuck head must not pile up.
      if waiting.count > 2 * waitingCount + 64 { waiting.removeAll { $0.isSettled } }
    }
  }

  /// Ends one that waits.
  func dismiss(_ exchange: Exchange, _ outcome: HTTP2Outcome) {
    waitingCount -= 1
    exchange.settle(outcome)
  }

  func dismissAll(_ outcome: HTTP2Outcome) {
    for exchange in waiting where !exchange.isSettled { dismiss(exchange, outcome) }
    waiting.removeAll()
  }

  // MARK: Streams

  /// Gives streams to those who wait, then sees to connections. Called at the end of each turn that may have changed
  /// anything; what happens inside of it only asks for another round.
  func pump() {
    loop.assertInEventLoop()
    tellAnswers()
    mustPumpAgain = true
    guard !isPumping else { return }
    isPumping = true
    while mustPumpAgain {
      mustPumpAgain = false
      if waitingCount > 0 { fillStreams() }
      for connection in connections { connection.flush() }
      considerConnecting()
    }
    isPumping = false
    publishCounters()
  }

  /// The oldest connection first: a surplus one can then become idle and close.
  private func fillStreams() {
    let now = NIODeadline.now()
    let deadline = now + requestTimeout
    var room = calm.ceiling(at: now).map { max(0, $0 - streamCount) } ?? Int.max
    for connection in connections {
      while room > 0, waitingCount > 0, connection.canOpen {
        let exchange = waiting.removeFirst()
        if exchange.isSettled { continue }
        waitingCount -= 1
        room -= 1
        latestOrder += 1
        exchange.order = latestOrder
        connection.open(exchange, deadline: deadline)
      }
    }
  }

  var streamCount: Int { connections.reduce(0) { $0 + $1.budget.open } }

  // MARK: What connections tell

  func answered(_ exchange: Exchange, _ outcome: HTTP2Outcome) {
    goAwaysInARow = 0
    barrenInARow = 0
    if let waiter = exchange.settleLater() { answers.append((waiter, outcome)) }
  }

  /// Tells the answers of a read together: told one by one, each would wake a thread, which were asleep again before the
  /// next one is read.
  func tellAnswers() {
    guard !answers.isEmpty else { return }
    for (waiter, outcome) in answers { waiter.resume(returning: outcome) }
    answers.removeAll(keepingCapacity: true)
  }

  func askedForCalm(at order: UInt64) {
    calm.ask(
      order: order, latest: latestOrder, open: streamCount, until: .now() + TimeAmount(settings.calm))
  }

  /// - Returns: whether there were too many in a row; nothing that waits is worth another connection then.
  func countGoAway() -> Bool {
    goAwaysInARow += 1
    guard goAwaysInARow >= Limits.goawaysInARowMaximum else { return false }
    dismissAll(.unusable(reason: "goaway loop"))
    return true
  }

  private func publishCounters() {
    let live = connections.reduce(0) { $0 + ($1.phase == .connecting ? 0 : 1) }
    counters.connections.store(live, ordering: .relaxed)
    counters.streams.store(streamCount, ordering: .relaxed)
    counters.waiting.store(waitingCount, ordering: .relaxed)
  }
}

/// What `HTTP2Origin.statistics` reads from any thread.
final class OriginCounters: Sendable {
  let connections = Atomic(0)
  let streams = Atomic(0)
  let waiting = Atomic(0)
}
