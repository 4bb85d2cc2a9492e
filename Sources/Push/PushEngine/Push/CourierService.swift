public import EngineKit
import EntityRuntime
public import EventSourcing
import JSONEnvelope
public import PushDomain
import Synchronization

/// What an operator sees of the couriers and may do with them.
public struct CourierService: Sendable {
  let dispatcher: PushDispatcher
  let identifiers: Identifiers
  let replays = DeadLetterReplays()

  /// The producer of operators' pushes, before a dash and an id of its own for each.
  static let producer = "operator"
  package static let tag = "operator.test"

  // MARK: Lanes

  /// The courier lanes by label.
  public func lanes() -> [LaneView] {
    let (summaries, backlogs) = (dispatcher.lanes.summaries(), dispatcher.backlogs())
    let now = dispatcher.context.time.now
    return Set(summaries.keys).union(backlogs.keys).sorted().map { label in
      LaneView(label: label, summaries[label] ?? CourierLanes.Summary(), backlogs[label], now: now)
    }
  }

  /// What was broken is tried again at once.
  public func resetLanes() { dispatcher.lanes.reset() }

  /// Brings the gauges up to date.
  public func report() {
    let (summaries, backlogs) = (dispatcher.lanes.summaries(), dispatcher.backlogs())
    for (label, summary) in summaries { dispatcher.metrics.report(label, summary) }
    dispatcher.metrics.report(backlogs, now: dispatcher.context.time.now)
    let dead = dispatcher.deadLetters.total
    dispatcher.metrics.report(deadLetters: dead)
    dispatcher.metrics.report(
      backlogs.values, running: summaries.reduce(0) { $0 + $1.1.running }, dead: dead)
    for (type, isLive, count) in dispatcher.devices.counts() {
      dispatcher.metrics.report(devices: count, type: type, isLive: isLive)
    }
  }

  /// Devices that pushes wait for, lanes that are not closed, and dead letters: what a glance every few seconds may cost.
  package var counts: (devicesWaiting: Int, lanesOpen: Int, deadLetters: Int) {
    (dispatcher.deadLetters.waitingCount, dispatcher.lanes.openCount, dispatcher.deadLetters.total)
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

  /// The next dead letters, by the queue's key and by age.
  /// - Parameter after: `DeadLetterView.cursor` of the last one that is known, the id of a device, or nothing.
  public func deadLetters(
    _ filter: DeadLetterFilter = DeadLetterFilter(), after: String = "", limit: Int = 100
  ) async -> [DeadLetterView] {
    let most = max(1, min(limit, dispatcher.limits.listMaximum))
    let cursor = DeadLetterCursor(after)
    var found: [DeadLetterView] = []
    await visit(filter, from: cursor.device) { key, letters in
      let fresh = key == cursor.device ? cursor.rest(of: letters) : letters[...]
      found += fresh.prefix(most - found.count).map { DeadLetterView(device: key, $0) }
      return found.count < most
    }
    // What is not durable yet is nobody's to see. A journal that has failed has ended the process.
    guard (try? await dispatcher.context.untilDurable()) != nil else { return [] }
    return found
  }

  /// Shows each queue's letters that fit, in the order of the keys, until `body` says false.
  private func visit(
    _ filter: DeadLetterFilter, from first: String = "", _ body: (_ key: String, _ letters: [DeadLetter]) -> Bool
  ) async {
    var next = first
    while true {
      let keys = filter.device.map { $0 >= next ? [$0] : [] } ?? dispatcher.deadLetters.keys(from: next, limit: 100)
      for key in keys {
        let letters = await dispatcher.queues[key]?.peek { queue in queue.deadLetters.filter { filter.fits($0) } }
        if let letters, !letters.isEmpty, !body(key, letters) { return }
      }
      guard filter.device == nil, let last = keys.last else { return }
      // The key behind it, whatever it is.
      next = last + "\u{0}"
    }
  }

  // MARK: Many dead letters

  /// How many dead letters fit, up to what one order puts back; `hasMore` if there are more than that.
  public func countDeadLetters(_ filter: DeadLetterFilter) async -> (count: Int, hasMore: Bool) {
    let (letters, hasMore) = await replayable(filter)
    return (letters.count, hasMore)
  }

  /// Puts back what fits, so many in a second, in the order of the devices and of age. What is not back yet when the
  /// server stops stays a dead letter.
  /// - Returns: what has begun, and whether more letters fit than one order puts back; nil if such an order is being
  ///   carried out already.
  public func replayDeadLetters(
    _ filter: DeadLetterFilter, perSecond: Int
  ) async -> (replay: DeadLetterReplay, hasMore: Bool)? {
    let (letters, hasMore) = await replayable(filter)
    let bounds = EngineLimits.replaysPerSecond
    let replay = DeadLetterReplay(
      startedAt: dispatcher.context.time.now,
      perSecond: min(max(perSecond, bounds.lowerBound), bounds.upperBound), count: letters.count)
    guard replays.begin(replay) else { return nil }
    let hasBegun = dispatcher.tasks.spawn { await carryOut(letters, perSecond: replay.perSecond) }
    if !hasBegun { replays.end() }
    return hasBegun ? (replay, hasMore) : nil
  }

  /// The last order of many; nil if there was none since the start.
  public var deadLetterReplay: DeadLetterReplay? { replays.current }

  /// What has not gone out yet stays.
  public func stopDeadLetterReplay() { replays.end() }

  private func replayable(_ filter: DeadLetterFilter) async -> (letters: [(device: String, id: PushID)], more: Bool) {
    let most = dispatcher.limits.deadLettersReplayedMaximum
    var found: [(device: String, id: PushID)] = []
    var hasMore = false
    await visit(filter) { key, letters in
      hasMore = letters.count > most - found.count
      found += letters.prefix(most - found.count).map { (key, $0.message.id) }
      return !hasMore
    }
    return (found, hasMore)
  }

  private func carryOut(_ letters: [(device: String, id: PushID)], perSecond: Int) async {
    defer { replays.end() }
    // A whole server's letters at once would be the outage that they come from. Timers are no finer than some ticks.
    let step = max(1, perSecond / 20)
    for (number, (device, id)) in letters.enumerated() {
      if number % step == 0 { await dispatcher.context.timers.sleep(milliseconds: Int64(1_000 * step / perSecond)) }
      guard replays.note(retried: 0, skipped: 0) else { return }
      do throws(EngineError) {
        try await retryDeadLetter(id, of: device)
        _ = replays.note(retried: 1, skipped: 0)
      } catch { _ = replays.note(retried: 0, skipped: 1) }
    }
  }

  // MARK: One dead letter

  /// The dead letter of this name for the world.
  /// - Throws: `.unknownDeadLetter`.
  public func deadLetter(_ uuid: String, of device: String) async throws(EngineError) -> PushID {
    let id = await dispatcher.queues[device]?.peek { queue in
      queue.deadLetters.first { PushUUID.text(of: $0.message.id) == uuid }?.message.id
    }
    guard let id = id ?? nil else { throw .unknownDeadLetter }
    return id
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
  /// Messages that wait: for the lane, or for their next attempt.
  public let waiting: Int
  public let running: Int
  public let open: Int
  public let off: Int
  public let oldestAge: Duration
  /// Those by priority.
  public let urgent: Int
  public let normal: Int
  /// When the first queue tries again that waits for it; nil if none does.
  public let nextAttempt: Timestamp?
  /// Why, if some are open or off: of one of them.
  public let reason: String?
  /// When the first of those sends a probe, at the earliest.
  public let nextProbe: Timestamp?

  init(label: String, _ summary: CourierLanes.Summary, _ backlog: DeadLetterIndex.Backlog?, now: Timestamp) {
    self.label = label
    lanes = summary.lanes
    urgent = backlog?.urgent ?? 0
    normal = backlog?.normal ?? 0
    waiting = max(summary.waiting, urgent + normal)
    running = summary.running
    open = summary.open
    off = summary.off
    let age = backlog.map { Duration.milliseconds(max(0, now.milliseconds - $0.since.milliseconds)) }
    oldestAge = max(summary.oldestAge, age ?? .zero)
    nextAttempt = backlog?.nextAttempt
    reason = summary.reason
    nextProbe = summary.untilProbe.map { now.advanced(by: $0) }
  }
}

/// A dead letter as lists show it: without the device's token.
public struct DeadLetterView: Sendable, Equatable {
  public let device: String
  public let id: PushID
  /// Its name for the world.
  public let uuid: String
  public let type: String
  public let tag: String
  public let outcome: FinalPushOutcome
  /// Why, in a few words.
  public let reason: String
  /// Those that counted.
  public let attempts: Int
  /// The last of them, oldest first.
  public let history: [PushAttempt]
  /// The last answer, the beginning of it; nil if nobody has answered.
  public let lastAnswer: String?
  public let service: String
  public let bytes: Int
  /// What was to be shown, and said to the app.
  public let alert: String
  public let body: [UInt8]
  public let acceptedAt: Timestamp
  public let endedAt: Timestamp

  init(device: String, _ letter: DeadLetter) {
    self.device = device
    id = letter.message.id
    uuid = PushUUID.text(of: letter.message.id)
    type = letter.message.target.type
    tag = letter.message.tag
    service = letter.message.service
    outcome = letter.outcome
    reason = letter.reason
    attempts = letter.attempts
    history = letter.history
    lastAnswer = letter.history.last { $0.answer != nil }?.answer
    bytes = letter.message.contentBytes
    alert = letter.message.alert.isEmpty ? letter.message.display?.body ?? "" : letter.message.alert
    body = letter.message.content
    acceptedAt = letter.acceptedAt
    endedAt = letter.endedAt
  }

  /// Its place in the list.
  public var cursor: String { "\(device).\(endedAt.milliseconds).\(uuid)" }
}

/// A place in the list of dead letters: behind a letter, or behind all of a device.
struct DeadLetterCursor {
  let device: String
  private let endedAt: Timestamp?
  private let uuid: Substring

  init(_ text: String) {
    let parts = text.split(separator: ".", maxSplits: 2, omittingEmptySubsequences: false)
    device = parts.first.map(String.init) ?? ""
    endedAt = parts.count == 3 ? Int64(parts[1]).map { Timestamp(milliseconds: $0) } : nil
    uuid = parts.count == 3 ? parts[2] : ""
  }

  /// What of this device's letters, oldest first, lies behind it. The letter itself may be gone.
  func rest(of letters: [DeadLetter]) -> ArraySlice<DeadLetter> {
    guard let endedAt else { return [] }
    let later = letters.drop { $0.endedAt < endedAt }
    guard let place = later.firstIndex(where: { PushUUID.text(of: $0.message.id) == uuid }) else { return later }
    return later[(place + 1)...]
  }
}
