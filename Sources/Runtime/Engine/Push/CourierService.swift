import EntityRuntime
public import EventSourcing
import JSONEnvelope
public import PushDomain
import Synchronization

/// What an operator sees of the couriers and may do with them.
public struct CourierService: Sendable {
  let dispatcher: PushDispatcher
  let identifiers: Identifiers

  /// The producer of operators' pushes, before a dash and an id of its own for each.
  static let producer = "operator"
  static let tag = "operator.test"

  // MARK: Lanes

  /// The courier lanes by label.
  public func lanes() -> [LaneView] {
    dispatcher.lanes.summaries().map { LaneView(label: $0.key, $0.value) }.sorted { $0.label < $1.label }
  }

  /// What was broken is tried again at once.
  public func resetLanes() { dispatcher.lanes.reset() }

  /// Brings the gauges up to date.
  public func report() {
    for (label, summary) in dispatcher.lanes.summaries() { dispatcher.metrics.report(label, summary) }
    dispatcher.metrics.report(deadLetters: dispatcher.deadLetters.total)
    for (type, isLive, count) in dispatcher.devices.counts() {
      dispatcher.metrics.report(devices: count, type: type, isLive: isLive)
    }
  }

  // MARK: A push of the operator's

  /// What an operator pushes to one device.
  public struct Order: Sendable {
    public var display = PushDisplay()
    /// The app's own keys: a JSON object.
    public var data: [UInt8] = Array("{}".utf8)
    public var priority = PushPriority.high
    public var timeToLive = Duration.seconds(3_600)
    public var collapseKey: String?

    public init() {}
  }

  /// Queues a push and waits for its end.
  /// - Returns: its name for the world, and its end; nil for the end if it has not come within `limit`.
  /// - Throws: `.unknownDevice`, `.invalid` if nothing can be sent there or the order is too large, `.limitReached`.
  public func push(
    _ order: Order, to deviceID: String, waitingFor limit: Duration
  ) async throws(EngineError) -> (id: String, end: (outcome: FinalPushOutcome, attempts: Int)?) {
    let device = try await dispatcher.devices.device(deviceID)
    let target = device.registration.address
    guard order.data.count <= dispatcher.limits.pushDataBytesMaximum else {
      throw .invalid(field: "data", reason: "is longer than \(dispatcher.limits.pushDataBytesMaximum) bytes")
    }
    if let obstacle = dispatcher.obstacle(target, tag: Self.tag) {
      throw .invalid(field: "device", reason: obstacle)
    }
    let message = PushMessage(
      producer: "\(Self.producer)-\(identifiers.browserID())", number: 1, tag: Self.tag,
      alert: order.display.body ?? "",
      content: order.data, service: "", target: target,
      expiry: dispatcher.context.time.now.advanced(by: max(order.timeToLive, .seconds(10))),
      collapseKey: order.collapseKey, priority: order.priority, isNowOrNever: order.timeToLive == .zero,
      display: order.display, form: .members, owner: device.registration.owner, registeredAt: device.registeredAt)
    let isQueued = Atomic(false)
    let end = await dispatcher.waiters.end(
      of: message.id, within: limit, timers: dispatcher.context.timers
    ) { [dispatcher] in
      let isTaken = await dispatcher.enqueue(message)
      isQueued.store(isTaken, ordering: .releasing)
      return isTaken
    }
    guard isQueued.load(ordering: .acquiring) else { throw .limitReached("push_queues") }
    return (PushUUID.text(of: message.id), end.map { (outcome: $0.0, attempts: $0.attempts) })
  }

  // MARK: Dead letters

  /// The next dead letters, by the queue's key and by age. - Parameter after: the id of a device, or nothing.
  public func deadLetters(after: String = "", limit: Int = 100) async -> [DeadLetterView] {
    let most = max(1, min(limit, dispatcher.limits.listMaximum))
    var found: [DeadLetterView] = []
    for key in dispatcher.deadLetters.keys(after: after, limit: most) where found.count < most {
      let letters = await dispatcher.queues[key]?.peek { $0.deadLetters } ?? []
      found += letters.map { DeadLetterView(device: key, $0) }
    }
    // What is not durable yet is nobody's to see. A journal that has failed has ended the process.
    guard (try? await dispatcher.context.untilDurable()) != nil else { return [] }
    return found
  }

  /// Puts a dead letter back into its queue; its name for the world stays.
  public func retryDeadLetter(_ id: PushID, of device: String) async throws(EngineError) {
    try await perform(.retryDeadLetter(id), id, of: device)
  }

  public func dropDeadLetter(_ id: PushID, of device: String) async throws(EngineError) {
    try await perform(.dropDeadLetter(id), id, of: device)
  }

  private func perform(_ command: PushCommand, _ id: PushID, of device: String) async throws(EngineError) {
    guard let queue = dispatcher.queues[device] else { throw .unknownDeadLetter }
    guard await queue.peek({ queue in queue.deadLetters.contains { $0.message.id == id } }) else {
      throw .unknownDeadLetter
    }
    let isGone: Bool
    do {
      isGone = try await queue.perform(command) { queue in !queue.deadLetters.contains { $0.message.id == id } }
    } catch {
      switch error {
      case .storageFull: throw .storageFull
      case .overloaded: throw .limitReached("mailbox")
      case .tooLarge, .failed, .rejected: throw .unavailable
      }
    }
    // A device that has ended takes nothing back.
    if !isGone { throw .invalid(field: "device", reason: "has ended") }
  }
}

/// The courier lanes of one label, as the operator sees them.
public struct LaneView: Sendable, Equatable {
  public let label: String
  public let lanes: Int
  public let waiting: Int
  public let running: Int
  public let open: Int
  public let off: Int
  public let oldestAge: Duration

  init(label: String, _ summary: CourierLanes.Summary) {
    self.label = label
    lanes = summary.lanes
    waiting = summary.waiting
    running = summary.running
    open = summary.open
    off = summary.off
    oldestAge = summary.oldestAge
  }
}

/// A dead letter as lists show it: without texts and tokens.
public struct DeadLetterView: Sendable, Equatable {
  public let device: String
  public let id: PushID
  /// Its name for the world.
  public let uuid: String
  public let type: String
  public let tag: String
  public let outcome: FinalPushOutcome
  public let attempts: Int
  public let bytes: Int
  public let acceptedAt: Timestamp
  public let endedAt: Timestamp

  init(device: String, _ letter: DeadLetter) {
    self.device = device
    id = letter.message.id
    uuid = PushUUID.text(of: letter.message.id)
    type = letter.message.target.type
    tag = letter.message.tag
    outcome = letter.outcome
    attempts = letter.attempts
    bytes = letter.message.contentBytes
    acceptedAt = letter.acceptedAt
    endedAt = letter.endedAt
  }
}
