import BenchReport
import CarillonClient
import NIOCore

/// An app server's requests, so many at a time or so many a second, on one event loop without a task of their own.
///
/// Every answer must be an acceptance. Latencies count from when a request was due, to its answer or to its message's
/// arrival.
final class SendLoad {
  enum Goal { case accepted, arrived }

  private let loop: any EventLoop
  private let lanes: Lanes
  /// The request with this number.
  private let request: (Int) -> ByteBuffer
  private var goal = Goal.accepted
  private var pacing: Pacing?
  private var phase: EventLoopPromise<PhaseResult>?
  private var began = NIODeadline.now()
  /// Where the numbers of this phase begin.
  private var first = 0
  private(set) var next = 0
  private var maximum = Int.max
  private var due: [NIODeadline] = []
  private var reached = 0
  private var latencies = LatencyHistogram()
  private var watch: SecondsWatch?
  private(set) var failure: BenchError?

  private init(_ lanes: Lanes, _ loop: any EventLoop, _ request: @escaping (Int) -> ByteBuffer) {
    (self.lanes, self.loop, self.request) = (lanes, loop, request)
  }

  static func open(
    _ lanes: Int, to address: ServerAddress, on loop: any EventLoop, request: @escaping @Sendable (Int) -> ByteBuffer
  ) async throws -> NIOLoopBound<SendLoad> {
    try await loop.flatSubmit {
      Lanes.open(lanes, to: address, on: loop).map { lanes in
        let load = NIOLoopBound(SendLoad(lanes.value, loop, request), eventLoop: loop)
        load.value.lanes.onFailure = { load.value.fail($0) }
        return load
      }
    }.get()
  }

  /// - Parameters:
  ///   - watch: is told of what reaches the goal.
  ///   - maximum: the phase ends earlier with so many.
  func run(
    _ pacing: Pacing, until goal: Goal = .accepted, for duration: Duration, watchedBy watch: SecondsWatch? = nil,
    atMost maximum: Int = .max
  ) -> EventLoopFuture<PhaseResult> {
    if let failure { return loop.makeFailedFuture(failure) }
    let promise = loop.makePromise(of: PhaseResult.self)
    (phase, self.pacing, self.goal, self.maximum) = (promise, pacing, goal, maximum)
    self.watch = watch
    (first, began, reached) = (next, .now(), 0)
    due.removeAll(keepingCapacity: true)
    latencies.removeAll()
    let generation = began
    loop.after(.milliseconds(Int64(duration.inSeconds * 1_000)), self) {
      if $0.began == generation { $0.endPhase() }
    }
    if case .open = pacing { loop.everyMillisecond(self) { $0.letGo() } } else { pump() }
    return promise.futureResult
  }

  /// The message with this number is at its device.
  func arrived(_ number: Int) { if goal == .arrived { reach(number) } }

  func close() { lanes.close() }

  func fail(_ message: String) {
    guard failure == nil else { return }
    let error = BenchError(message)
    failure = error
    pacing = nil
    phase?.fail(error)
    phase = nil
  }

  // MARK: What goes out

  private func post(due: NIODeadline) {
    let number = next
    next += 1
    self.due.append(due)
    lanes.submit(request(number)) { [unowned self] response in
      guard response.status == 200, Self.isAcceptance(response.body) else {
        return self.fail("refused: \(response.status) \(String(buffer: response.body))")
      }
      if self.goal == .accepted { self.reach(number) }
    }
  }

  private func reach(_ number: Int) {
    guard phase != nil, due.indices.contains(number - first) else { return }
    let latency = (NIODeadline.now() - due[number - first]).nanoseconds
    latencies.record(latency)
    watch?.arrived(nanoseconds: latency)
    reached += 1
    if pacing != nil { pump() }
  }

  private var outstanding: Int { next - first - reached }

  private func pump() {
    guard case .closed(let window) = pacing else { return }
    while outstanding < window, next - first < maximum { post(due: .now()) }
    if next - first >= maximum, outstanding == 0 { endPhase() }
  }

  /// Everything that has become due since. - Returns: false if nothing falls due by time.
  @discardableResult
  private func letGo() -> Bool {
    guard case .open(let rate) = pacing else { return false }
    let pace = OpenPace(began: began, rate: rate)
    while pace.isDue(next - first), next - first < maximum { post(due: pace.due(next - first)) }
    return true
  }

  // MARK: The end of a phase

  private func endPhase() {
    guard pacing != nil else { return }
    // What became due while this side itself was held up belongs to the phase, too.
    letGo()
    pacing = nil
    drain(reached, began.secondsAgo, until: .now() + .seconds(Limits.drainTimeout.components.seconds))
  }

  /// Nothing is measured any more, but everything that was sent must reach its goal.
  private func drain(_ counted: Int, _ seconds: Double, until deadline: NIODeadline) {
    guard let phase else { return }
    guard outstanding > 0 else {
      self.phase = nil
      return phase.succeed(PhaseResult(delivered: counted, seconds: seconds, latencies: latencies))
    }
    guard NIODeadline.now() < deadline else { return fail("\(outstanding) messages were never \(goal)") }
    loop.after(.milliseconds(2), self) { $0.drain(counted, seconds, until: deadline) }
  }

  private static let acceptance = Array(#""message_id":"#.utf8)

  private static func isAcceptance(_ body: ByteBuffer) -> Bool {
    body.withUnsafeReadableBytes { bytes in
      guard bytes.count >= acceptance.count else { return false }
      return (0...(bytes.count - acceptance.count)).contains { start in
        bytes[start] == acceptance[0] && bytes[start..<(start + acceptance.count)].elementsEqual(acceptance)
      }
    }
  }
}
