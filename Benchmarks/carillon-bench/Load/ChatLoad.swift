import BenchReport
import CarillonClient
import NIOCore

/// Many customers and one agent, all on one event loop without a task of their own: the load generator shares the
/// machine with the server and must take little of it.
///
/// Each message is checked on arrival: numbers in the order in which they were sent, none missing, none twice. The first
/// violation ends the measurement.
final class ChatLoad {
  enum Link: String, Sendable { case longPolling = "long polling", webSocket = "WebSocket" }

  /// Who sends: the agent over the agent API, or each customer over REST, whose own message comes back; or both in turn.
  enum Sender: String, Sendable { case agent, customer, both }

  /// What is measured, and of whom.
  enum Service: Sendable {
    /// Carillon: a chat for each customer.
    case chats
    /// Carillon: one subscription to notifications, whose Comet user all customers are; each message reaches all.
    case notifications(publisherToken: String)
    /// nchan: a channel for each customer.
    case channels
    /// nchan: one channel, to which all customers listen; each message reaches all.
    case sharedChannel

    var reachesAll: Bool {
      switch self {
      case .chats, .channels: false
      case .notifications, .sharedChannel: true
      }
    }

    /// Tells the customers of several loads on one server apart: a user's chats share one channel.
    func userKey(ofLoad load: UInt64, _ index: Int) -> String {
      reachesAll ? "bench-\(load)" : "bench-\(load)-\(index)"
    }
  }

  struct Settings: Sendable {
    var address: ServerAddress
    /// Of Carillon's chats.
    var agentToken = ""
    var service = Service.chats
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
  private(set) lazy var service = makeService()

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
  /// Told of each message that goes out: its chat, its number there, and when it was due.
  var onPost: ((_ chatID: String, _ number: Int, _ due: NIODeadline) -> Void)?
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

  private func makeService() -> any LoadService {
    switch settings.service {
    case .chats: CarillonChats(self)
    case .notifications(let token): CarillonNotifications(self, publisherToken: token)
    case .channels, .sharedChannel: NchanChannels(self)
    }
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

  /// The numbers of the messages that have come to a customer, in order.
  func arrived(_ sequences: [Int], for customer: Customer) {
    guard !sequences.isEmpty else { return }
    let now = NIODeadline.now()
    for sequence in sequences {
      guard sequence == customer.deliveredSequence + 1, let due = customer.due.first else {
        return fail("customer \(customer.index): message \(sequence) came after \(customer.deliveredSequence)")
      }
      customer.due.removeFirst()
      customer.deliveredSequence = sequence
      let latency = (now - due).nanoseconds
      latencies.record(latency)
      watch?.arrived(nanoseconds: latency)
    }
    delivered += sequences.count
    outstanding -= sequences.count
    settled(customer)
  }

  // MARK: What goes out

  /// Whose post is sent: everybody's own, or one that reaches all.
  var speakers: ArraySlice<Customer> { settings.service.reachesAll ? customers.prefix(1) : customers[...] }

  /// Posts the next message of `customer`, counted from when it was due.
  ///
  /// It waits for the answer to the one before: what goes out on two connections at a time has no order that a server
  /// could keep.
  func post(_ customer: Customer, due: NIODeadline) {
    if settings.service.reachesAll {
      for hearer in customers { hearer.due.append(due) }
      outstanding += customers.count
    } else {
      customer.due.append(due)
      outstanding += 1
    }
    customer.held.append(due)
    if customer.unanswered == 0 { sendNext(customer) }
  }

  private func sendNext(_ customer: Customer) {
    guard let due = customer.held.popFirst() else { return }
    customer.unanswered += 1
    let request = customer.nextPost()
    onPost?(customer.chatID, customer.sentSequence, due)
    lanes.submit(request) { [unowned self] response in
      customer.unanswered -= 1
      // 202: nobody has asked for it yet.
      guard (200...202).contains(response.status) else {
        return self.fail("a message was refused: \(response.status) \(String(buffer: response.body))")
      }
      self.sendNext(customer)
      self.answered(customer)
    }
  }

  private func answered(_ customer: Customer) {
    guard settings.service.reachesAll else { return settled(customer) }
    if case .closed = pacing, customer.unanswered == 0 { ready.append(customer) }
    pump()
  }

  /// A customer whose last message is both acknowledged and delivered can take the next one.
  private func settled(_ customer: Customer) {
    guard !settings.service.reachesAll else { return pump() }
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
