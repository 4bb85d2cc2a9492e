import Bayeux
import Testing

/// A client that polls, posts, leaves and loses responses at random, against the machine, with others of its browser
/// and without. Each seed is one long life.
@Suite("Session, polled, under random failures")
struct SessionRandomTests {
  @Test(
    "loses nothing, keeps the order, holds one connect at most and answers each request once",
    arguments: Array(1...40) as [UInt64], [false, true])
  func model(seed: UInt64, acknowledges: Bool) {
    var model = ModelClient(seed: seed, acknowledges: acknowledges)
    for _ in 0..<400 { model.step() }
    model.settle()
    #expect(model.faults == [], "seed \(seed), acknowledges \(acknowledges)")
    #expect(model.delivered > 50, "seed \(seed): the run must have done something")
  }
}

struct ModelClient {
  var random: SplitMix
  let acknowledges: Bool
  var session: BayeuxSession
  var faults: [String] = []

  /// Events handed in so far, and what the client has got of them, in order.
  var produced = 0
  var received: [Int] = []
  var reported = 0
  var lastBatch = 0
  var isTimerRunning = false

  enum Phase { case waiting, onItsWay([[UInt8]]), done }
  var exchanges: [UInt64: Phase] = [:]
  var connects: Set<UInt64> = []
  /// Closed by the client before an answer came.
  var abandoned: Set<UInt64> = []
  var nextExchange: UInt64 = 1

  init(seed: UInt64, acknowledges: Bool) {
    random = SplitMix(state: seed)
    self.acknowledges = acknowledges
    var settings = SessionSettings()
    settings.queueMessagesMaximum = 10_000
    session = BayeuxSession(clientID: "c", settings: settings, acknowledges: acknowledges)
    perform(session.handshaken())
  }

  var delivered: Int { reported }

  mutating func step() {
    switch Int.random(in: 0..<100, using: &random) {
    case 0..<30: deliver(Int.random(in: 1...3, using: &random))
    case 30..<55: poll()
    case 55..<65: post()
    case 65..<90: finishOne()
    case 90..<95: elapse()
    default: leave()
    }
    check()
  }

  /// Everything that is under way comes to a good end.
  mutating func settle() {
    for _ in 0..<5 {
      while exchanges.contains(where: { if case .onItsWay = $0.value { true } else { false } }) {
        finishOne(isSafe: true)
      }
      poll(isPlain: true)
    }
    if received != Array(0..<produced) { faults.append("got \(received.count) of \(produced)") }
    if reported != produced { faults.append("\(reported) of \(produced) reported") }
    let waiting = exchanges.filter { if case .waiting = $0.value { true } else { false } }.map(\.key)
    if waiting.count != 1 || !session.isHolding { faults.append("still waiting at the end: \(waiting)") }
  }

  private mutating func deliver(_ count: Int) {
    let messages = (produced..<produced + count).map {
      QueuedMessage(bytes: Array(String($0).utf8), mark: DeliveryMark(source: "", position: $0 + 1))
    }
    produced += count
    perform(session.received(.deliver(messages)))
  }

  private mutating func poll(isPlain: Bool = false) {
    let exchange = begin()
    connects.insert(exchange)
    let timeout = !isPlain && Int.random(in: 0..<8, using: &random) == 0 ? 0 : nil
    var replies: [SessionReply] = [
      .connect(ConnectRequest(timeout: timeout, acknowledged: acknowledges ? lastBatch : nil))
    ]
    if !isPlain, Int.random(in: 0..<8, using: &random) == 0 { replies.insert(.ready(Array("r".utf8)), at: 0) }
    session.isSurplus = !isPlain && Int.random(in: 0..<4, using: &random) == 0
    perform(session.received(.request(exchange: .init(rawValue: exchange), transport: transport, replies: replies)))
  }

  private mutating func post() {
    let exchange = begin()
    if Bool.random(using: &random) { session.requestBegan(.init(rawValue: exchange)) }
    if Bool.random(using: &random) { deliver(1) }
    let replies = [SessionReply.ready(Array("r".utf8))]
    perform(session.received(.request(exchange: .init(rawValue: exchange), transport: transport, replies: replies)))
    if case .waiting = exchanges[exchange] { faults.append("post \(exchange) not answered at once") }
  }

  private mutating func elapse() {
    // The client is not to be lost to the clock; only holds run out.
    if isTimerRunning, session.isHolding {
      isTimerRunning = false
      perform(session.received(.timerElapsed))
    }
  }

  private mutating func leave() {
    guard let exchange = exchanges.filter({ if case .waiting = $0.value { true } else { false } }).keys.min() else {
      return
    }
    abandoned.insert(exchange)
    exchanges[exchange] = .done
    perform(session.received(.closed(.init(rawValue: exchange))))
  }

  private mutating func finishOne(isSafe: Bool = false) {
    let candidates = exchanges.filter { if case .onItsWay = $0.value { true } else { false } }.keys.sorted()
    guard let exchange = candidates.randomElement(using: &random),
      case .onItsWay(let messages) = exchanges[exchange]
    else { return }
    exchanges[exchange] = .done
    let success = isSafe || Int.random(in: 0..<4, using: &random) > 0
    // With acknowledgments even a written response may be lost.
    let arrives = success && (isSafe || !acknowledges || Int.random(in: 0..<6, using: &random) > 0)
    if arrives { take(messages) }
    perform(session.received(.written(.init(rawValue: exchange), success: success)))
  }

  private mutating func take(_ messages: [[UInt8]]) {
    var batch: Int?
    var events: [Int] = []
    for message in messages {
      let text = String(decoding: message, as: UTF8.self)
      if let number = Int(text) { events.append(number) }
      if let range = text.firstRange(of: #""ack":"#) {
        batch = Int(text[range.upperBound...].prefix { $0.isNumber })
      }
    }
    if events != events.sorted() { faults.append("out of order: \(events)") }
    if acknowledges {
      // A response that comes after a newer one is dropped, as a client that polls one at a time never sees it.
      guard let batch else {
        if !events.isEmpty { faults.append("events without a batch") }
        return
      }
      if batch <= lastBatch { return }
      lastBatch = batch
      for event in events where event >= received.count {
        if event != received.count { faults.append("gap before \(event)") }
        received.append(event)
      }
    } else {
      for event in events {
        if received.contains(event) { faults.append("\(event) came twice") }
        received.append(event)
      }
      received.sort()
    }
  }

  /// Which way the next request comes.
  private var transport: ConnectionType {
    mutating get { Bool.random(using: &random) ? .longPolling : .callbackPolling }
  }

  private mutating func begin() -> UInt64 {
    defer { nextExchange += 1 }
    exchanges[nextExchange] = .waiting
    return nextExchange
  }

  private mutating func perform(_ actions: [SessionAction]) {
    for action in actions {
      switch action {
      case .respond(let exchange, let messages):
        guard case .waiting = exchanges[exchange.rawValue] else {
          let isGone = abandoned.contains(exchange.rawValue)
          faults.append("\(exchange.rawValue) answered \(isGone ? "after it left" : "again")")
          continue
        }
        let replies = messages.filter { Int(String(decoding: $0, as: UTF8.self)) == nil }
        if replies.isEmpty { faults.append("\(exchange.rawValue): no reply in its response") }
        exchanges[exchange.rawValue] = .onItsWay(messages)
      case .arm: isTimerRunning = true
      case .disarm: isTimerRunning = false
      case .sendOff: break
      case .delivered(let marks):
        for mark in marks {
          if mark.position != reported + 1 { faults.append("\(mark.position) reported after \(reported)") }
          reported = mark.position
        }
      case .ended(let end): faults.append("ended: \(end)")
      }
    }
  }

  private mutating func check() {
    let waiting = exchanges.filter { if case .waiting = $0.value { true } else { false } }.map(\.key)
    if waiting.count > 1 { faults.append("waiting: \(waiting)") }
    if session.isHolding != (waiting.count == 1) { faults.append("holding does not fit: \(waiting)") }
    if session.isHolding, session.hasQueued { faults.append("a connect is held while something is queued") }
    let isAnswering = connects.contains { if case .onItsWay = exchanges[$0] { true } else { false } }
    if session.isConnected, !isAnswering, !isTimerRunning { faults.append("no clock runs") }
  }
}

/// A small generator with a seed, so that a failing run can be had again.
struct SplitMix: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = (state ^ state >> 30) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
    return mixed ^ mixed >> 31
  }
}
