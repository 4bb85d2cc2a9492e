import BenchReport
import NIOCore

/// How messages follow each other.
enum Pacing {
  /// So many are on their way at any time: each arrival lets the next one go. Finds the maximum.
  case closed(window: Int)
  /// So many are posted a second, whatever becomes of them. A message's latency counts from when it was due, so that a
  /// server that falls behind cannot hide it.
  case open(rate: Double)
}

/// So many a second, from a moment on: when each is due.
struct OpenPace {
  let began: NIODeadline
  let rate: Double

  func isDue(_ number: Int) -> Bool { Double(number) <= began.secondsAgo * rate }
  func due(_ number: Int) -> NIODeadline { began + .nanoseconds(Int64(Double(number) / rate * 1e9)) }
}

extension NIODeadline {
  var secondsAgo: Double { Double((NIODeadline.now() - self).nanoseconds) / 1e9 }
}

extension EventLoop {
  /// Does something with what belongs to this loop, later.
  func after<Owner>(_ delay: TimeAmount, _ owner: Owner, _ work: @escaping @Sendable (Owner) -> Void) {
    let bound = NIOLoopBound(owner, eventLoop: self)
    scheduleTask(in: delay) { work(bound.value) }
  }

  /// Does it now, and then once a millisecond as long as it says so.
  func everyMillisecond<Owner>(_ owner: Owner, _ work: @escaping @Sendable (Owner) -> Bool) {
    guard work(owner) else { return }
    after(.milliseconds(1), owner) { self.everyMillisecond($0, work) }
  }
}

/// What a phase has brought.
struct PhaseResult: Sendable {
  let delivered: Int
  let seconds: Double
  /// One for each message of the phase, those that came after its end too.
  let latencies: LatencyHistogram

  var perSecond: Double { seconds > 0 ? Double(delivered) / seconds : 0 }
}

extension ChatLoad {
  /// Sends for `duration`, then waits for what is still on its way.
  /// - Parameter watch: is told of what arrives.
  func run(
    _ pacing: Pacing, for duration: Duration, watchedBy watch: SecondsWatch? = nil
  ) -> EventLoopFuture<PhaseResult> {
    if let failure { return loop.makeFailedFuture(failure) }
    let promise = loop.makePromise(of: PhaseResult.self)
    phase = promise
    (self.pacing, self.watch) = (pacing, watch)
    delivered = 0
    latencies.removeAll()
    ready.removeAll()
    began = .now()
    if case .closed = pacing { for customer in speakers { ready.append(customer) } }
    scheduled = 0
    loop.after(.milliseconds(duration.components.seconds * 1_000), self) { $0.endPhase() }
    if case .open = pacing { loop.everyMillisecond(self) { $0.letGo() } } else { pump() }
    return promise.futureResult
  }

  /// Lets go as many messages as the pacing allows now.
  func pump() {
    guard case .closed(let window) = pacing else { return }
    while outstanding < window, let customer = ready.popFirst() { post(customer, due: .now()) }
  }

  /// Everything that has become due since. - Returns: false if nothing falls due by time.
  @discardableResult
  private func letGo() -> Bool {
    guard case .open(let rate) = pacing else { return false }
    let pace = OpenPace(began: began, rate: rate)
    while pace.isDue(scheduled) {
      post(speakers[scheduled % speakers.count], due: pace.due(scheduled))
      scheduled += 1
    }
    return true
  }

  private func endPhase() {
    guard pacing != nil else { return }
    // What became due while this side itself was held up belongs to the phase, too.
    letGo()
    pacing = nil
    let deadline = NIODeadline.now() + .seconds(Limits.drainTimeout.components.seconds)
    drain(PhaseEnd(delivered: delivered, seconds: began.secondsAgo, deadline: deadline))
  }

  /// Nothing is measured any more, but everything that was sent must arrive.
  private func drain(_ end: PhaseEnd) {
    guard let phase else { return }
    guard outstanding > 0 else {
      self.phase = nil
      return phase.succeed(PhaseResult(delivered: end.delivered, seconds: end.seconds, latencies: latencies))
    }
    guard NIODeadline.now() < end.deadline else { return fail("\(outstanding) messages were never delivered") }
    loop.after(.milliseconds(2), self) { $0.drain(end) }
  }

  private struct PhaseEnd {
    let delivered: Int
    let seconds: Double
    let deadline: NIODeadline
  }
}
