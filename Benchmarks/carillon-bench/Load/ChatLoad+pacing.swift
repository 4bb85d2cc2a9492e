import NIOCore

/// How messages follow each other.
enum Pacing {
  /// So many are on their way at any time: each arrival lets the next one go. Finds the maximum.
  case closed(window: Int)
  /// So many a second, whatever becomes of them. A message's latency counts from when it was due, so that a server that
  /// falls behind cannot hide it.
  case open(rate: Double)
}

/// What a phase has brought.
struct PhaseResult: Sendable {
  let delivered: Int
  let seconds: Double
  /// Nanoseconds, one for each message delivered.
  let latencies: [Int64]

  var perSecond: Double { seconds > 0 ? Double(delivered) / seconds : 0 }
}

extension ChatLoad {
  /// Sends for `duration`, then waits for what is still on its way.
  func run(_ pacing: Pacing, for duration: Duration) -> EventLoopFuture<PhaseResult> {
    let promise = loop.makePromise(of: PhaseResult.self)
    if let failure {
      promise.fail(failure)
      return promise.futureResult
    }
    phase = promise
    self.pacing = pacing
    delivered = 0
    latencies.removeAll(keepingCapacity: true)
    ready.removeAll()
    began = .now()
    if case .closed = pacing { for customer in customers { ready.append(customer) } }
    scheduled = 0
    let bound = NIOLoopBound(self, eventLoop: loop)
    loop.scheduleTask(in: .milliseconds(duration.components.seconds * 1_000)) { bound.value.endPhase() }
    if case .open = pacing { tick() } else { pump() }
    return promise.futureResult
  }

  /// Lets go as many messages as the pacing allows now.
  func pump() {
    guard case .closed(let window) = pacing else { return }
    while outstanding < window, let customer = ready.popFirst() { post(customer, due: .now()) }
  }

  /// Once a millisecond: everything that has become due since.
  private func tick() {
    guard case .open(let rate) = pacing else { return }
    let elapsed = Double((NIODeadline.now() - began).nanoseconds) / 1e9
    while Double(scheduled) <= elapsed * rate {
      let due = began + .nanoseconds(Int64(Double(scheduled) / rate * 1e9))
      post(customers[scheduled % customers.count], due: due)
      scheduled += 1
    }
    let bound = NIOLoopBound(self, eventLoop: loop)
    loop.scheduleTask(in: .milliseconds(1)) { bound.value.tick() }
  }

  private func endPhase() {
    guard pacing != nil else { return }
    pacing = nil
    let seconds = Double((NIODeadline.now() - began).nanoseconds) / 1e9
    let deadline = NIODeadline.now() + .seconds(Limits.drainTimeout.components.seconds)
    drain(PhaseEnd(delivered: delivered, seconds: seconds, deadline: deadline))
  }

  /// Nothing is measured any more, but everything that was sent must arrive.
  private func drain(_ end: PhaseEnd) {
    guard let phase else { return }
    guard outstanding > 0 else {
      self.phase = nil
      return phase.succeed(PhaseResult(delivered: end.delivered, seconds: end.seconds, latencies: latencies))
    }
    guard NIODeadline.now() < end.deadline else { return fail("\(outstanding) messages were never delivered") }
    let bound = NIOLoopBound(self, eventLoop: loop)
    loop.scheduleTask(in: .milliseconds(2)) { bound.value.drain(end) }
  }

  private struct PhaseEnd {
    let delivered: Int
    let seconds: Double
    let deadline: NIODeadline
  }
}
