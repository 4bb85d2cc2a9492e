import BenchReport
import CarillonClient
import NIOCore

/// Many customers and one agent, all on one event loop without a task of their own: the load generator shares the
/// machine with the server and must take little of it.
///
/// Each message is checked on arrival: positions without gap or repetition, numbers in the order in which they were
/// sent. The first violation ends the measurement.
final class ChatLoad {
  enum Link: String, Sendable { case longPolling = "long polling", webSocket = "WebSocket" }

  /// Who sends: the agent over the agent API, or each customer over REST, whose own message comes back.
  enum Sender: String, Sendable { case agent, customer }

  struct Settings: Sendable {
    var address: ServerAddress
    var agentToken: String
    var customers: Int
    var link = Link.longPolling
    var sender = Sender.agent
    /// Connections that post.
    var lanes = 256
    /// False: the agent joins no chat (idle measurements).
    var agentJoins = true
  }

  let settings: Settings
  let loop: any EventLoop
  /// Names this load among all that its server has seen.
  let number = UInt64.random(in: 1 ... .max)
  let lanes: Lanes
  var customers: [Customer] = []
  var scanner = DeliveryScanner()

  // Set-up.
  var nextSetUp = 0
  var setUpCount = 0
  var setUpPromise: EventLoopPromise<Void>?

  // The running phase.
  var pacing: Pacing?
  var phase: EventLoopPromise<PhaseResult>?
  var ready = CustomerQueue()
  var outstanding = 0
  var delivered = 0
  var latencies = LatencyHistogram()
  var watch: SecondsWatch?
  var began = NIODeadline.now()
  /// Messages that the open loop has let go.
  var scheduled = 0
  var failure: BenchError?
  private var isClosed = false

  private init(_ settings: Settings, lanes: Lanes, loop: any EventLoop) {
    self.settings = settings
    self.lanes = lanes
    self.loop = loop
  }

  /// Makes the load and its posting connections.
  static func open(_ settings: Settings, on loop: any EventLoop) async throws -> NIOLoopBound<ChatLoad> {
    try await loop.flatSubmit {
      Lanes.open(settings.lanes, to: settings.address, on: loop).map { lanes in
        let load = ChatLoad(settings, lanes: lanes.value, loop: loop)
        let bound = NIOLoopBound(load, eventLoop: loop)
        load.lanes.onFailure = { bound.value.fail($0) }
        return bound
      }
    }.get()
  }

  func fail(_ message: String) {
    guard failure == nil, !isClosed else { return }
    let error = BenchError(message)
    failure = error
    setUpPromise?.fail(error)
    setUpPromise = nil
    phase?.fail(error)
    phase = nil
    pacing = nil
  }

  func close() {
    isClosed = true
    pacing = nil
    lanes.close()
    for customer in customers {
      customer.connection?.onClose = nil
      customer.connection?.close()
      customer.socket?.onClose = nil
      customer.socket?.close()
    }
    customers = []
  }

  // MARK: What arrives

  /// One response of a held poll, or one frame.
  func arrived(_ bytes: UnsafeRawBufferPointer, for customer: Customer) {
    guard scanner.scan(bytes) else { return fail("not understood: \(Self.excerpt(bytes))") }
    for notification in scanner.notifications {
      let first = notification.position - notification.events
      guard first == customer.position else {
        return fail(
          "chat \(customer.chatID): events \(first + 1)…\(notification.position) came when "
            + "\(customer.position) was the last")
      }
      customer.position = notification.position
    }
    guard !scanner.sequences.isEmpty else { return }
    let now = NIODeadline.now()
    for sequence in scanner.sequences {
      guard sequence == customer.deliveredSequence + 1, let due = customer.due.first else {
        return fail("chat \(customer.chatID): message \(sequence) came after \(customer.deliveredSequence)")
      }
      customer.due.removeFirst()
      customer.deliveredSequence = sequence
      let latency = (now - due).nanoseconds
      latencies.record(latency)
      watch?.arrived(nanoseconds: latency)
    }
    delivered += scanner.sequences.count
    outstanding -= scanner.sequences.count
    settled(customer)
  }

  // MARK: What goes out

  /// Posts the next message of `customer`, counted from when it was due.
  func post(_ customer: Customer, due: NIODeadline) {
    outstanding += 1
    customer.due.append(due)
    customer.unanswered += 1
    lanes.submit(customer.nextPost()) { [unowned self] response in
      customer.unanswered -= 1
      guard response.status == 200 || response.status == 201 else {
        return self.fail("a message was refused: \(response.status) \(String(buffer: response.body))")
      }
      self.settled(customer)
    }
  }

  /// A customer whose last message is both acknowledged and delivered can take the next one.
  private func settled(_ customer: Customer) {
    guard customer.unanswered == 0, customer.due.isEmpty, let pacing else { return }
    if case .closed = pacing { ready.append(customer) }
    pump()
  }

  static func excerpt(_ bytes: UnsafeRawBufferPointer) -> String {
    String(decoding: bytes.prefix(500), as: UTF8.self)
  }
}

/// First in, first out.
struct CustomerQueue {
  private var items: [Customer] = []
  private var head = 0

  var isEmpty: Bool { head == items.count }

  mutating func append(_ customer: Customer) { items.append(customer) }

  mutating func popFirst() -> Customer? {
    guard head < items.count else { return nil }
    defer {
      head += 1
      if head > 4_096 {
        items.removeFirst(head)
        head = 0
      }
    }
    return items[head]
  }

  mutating func removeAll() {
    items.removeAll(keepingCapacity: true)
    head = 0
  }
}
