import Bayeux
import EntityRuntime
import EventSourcing
import Synchronization

/// One live Comet session: the Bayeux machine, its one timer, its exchanges, and its record in the journal.
///
/// The machine decides; this actor performs what it says. Delivery progress is journalled lazily: it rides on the next
/// frame and nobody waits for it.
actor CometSession {
  nonisolated let clientID: String
  nonisolated let userKey: String?
  /// The number of the end user of support requests whom it is bound to.
  nonisolated let supportUser: Int64?
  nonisolated let serviceID: String?
  nonisolated let browserID: String?
  private nonisolated let context: RuntimeContext
  private unowned let gateway: CometGateway

  private var machine: BayeuxSession
  private var record: CometRecord
  private var sequence: UInt64
  private var timer: TimerWheel.Handle?
  private var isConnecting = false
  /// Tells the timer that runs from those that had fired already when it was started.
  private var timerGeneration: UInt32 = 0
  /// The exchanges that a response may yet go to: seldom more than two.
  private var exchanges: [CometExchange] = []

  /// A session that has just shaken hands.
  init(
    clientID: String, opened: CometRecord.Event, settings: SessionSettings, context: RuntimeContext,
    gateway: CometGateway
  ) {
    var record = CometRecord()
    record.evolve(opened, at: context.time.now)
    self.init(
      clientID: clientID, record: record, sequence: 0, settings: settings, context: context, gateway: gateway,
      isRestored: false)
  }

  /// A session that the journal remembers.
  init(
    clientID: String, record: CometRecord, sequence: UInt64, settings: SessionSettings, context: RuntimeContext,
    gateway: CometGateway, isRestored: Bool = true
  ) {
    self.clientID = clientID
    userKey = record.userKey
    supportUser = record.userKey.flatMap { SupportUserKey.number(in: $0) }
    serviceID = record.serviceID
    browserID = record.browserID
    self.record = record
    self.sequence = sequence
    self.context = context
    self.gateway = gateway
    // After a restart the next connect counts as the first: it is answered at once, with advice and what was missed.
    machine =
      isRestored
      ? BayeuxSession(
        restoring: clientID, settings: settings, acknowledges: record.acknowledges, isConnected: false)
      : BayeuxSession(clientID: clientID, settings: settings, acknowledges: record.acknowledges)
  }

  nonisolated var lane: Lane { context.lanes[ObjectIdentifier(self).hashValue >> 4] }

  // MARK: What the gateway asks

  /// It has connected, or is about to: the chats are being told.
  var isConnected: Bool { machine.isConnected || isConnecting }
  func beginConnecting() { isConnecting = true }
  var isSubscribed: Bool { gateway.policy.receivesEvents(record.channels) }
  var isOver: Bool { record.isClosed }
  var channels: [String] { record.channels }
  func follows(_ channel: String) -> Bool {
    record.channels.contains { ChannelName.matches(pattern: $0, channel: channel) }
  }
  var delivered: [String: Int] { record.delivered }
  func delivered(of chat: String) -> Int { record.delivered[chat] ?? 0 }

  /// Journals the handshake; returns once it is durable.
  func open(_ event: CometRecord.Event) async throws(EventLogError) { try await journal(event, evolves: false) }

  /// Starts the grace timer: after the handshake reply, or after a restart.
  func startGrace(restored: Bool) { perform(restored ? machine.restored() : machine.handshaken()) }

  func subscribe(_ channels: [String]) async throws(EventLogError) {
    let new = channels.filter { !record.channels.contains($0) }
    if !new.isEmpty { try await journal(.subscribed(channels: new)) }
  }

  func unsubscribe(_ channels: [String]) async throws(EventLogError) {
    let known = channels.filter { record.channels.contains($0) }
    if !known.isEmpty { try await journal(.unsubscribed(channels: known)) }
  }

  /// Journals the end of the session, which nothing later is to overtake.
  func close(_ end: SessionEnd) async throws(EventLogError) {
    // Whoever comes second waits for the record of the first: until it is durable the directory must know the session.
    guard !record.isClosed else { return try await context.untilDurable() }
    try await journal(.closed(reason: end.rawValue))
  }

  /// What the journal knows of the session, for a snapshot; nil before its first event.
  func capture() -> CapturedEntity? {
    guard sequence > 0 else { return nil }
    if record.isClosed { return CapturedEntity(content: .finished, sequence: sequence) }
    let brief = Brief(rest: record.rest, note: [])
    return CapturedEntity(
      content: .image(EntityImage(brief: brief, state: record.stateBytes)), sequence: sequence)
  }

  // MARK: The machine's inputs

  /// The hot path: a lone connect of a session that has connected before.
  /// - Returns: false if this is its first connect: the gateway has more to do first.
  func connect(_ request: ConnectRequest, on exchange: CometExchange) -> Bool {
    guard machine.isConnected, !record.isClosed else { return false }
    self.request([.connect(request)], on: exchange)
    return true
  }

  func request(_ replies: [SessionReply], on exchange: CometExchange) {
    guard !exchange.isClosed.load(ordering: .sequentiallyConsistent) else { return }
    remember(exchange)
    perform(machine.received(.request(exchange: exchange.id, transport: exchange.transport, replies: replies)))
  }

  func disconnect(_ replies: [SessionReply], on exchange: CometExchange) {
    remember(exchange)
    perform(machine.received(.disconnect(exchange: exchange.id, transport: exchange.transport, replies: replies)))
  }

  func deliver(_ message: QueuedMessage) { perform(machine.received(.deliver([message]))) }

  func written(_ exchange: CometExchange, success: Bool) {
    perform(machine.received(.written(exchange.id, success: success)))
    if exchange.transport == .longPolling { forget(exchange) }
  }

  func closed(_ exchange: CometExchange) {
    perform(machine.received(.closed(exchange.id)))
    forget(exchange)
  }

  func stop() { perform(machine.received(.serverStops)) }

  /// Ends for good, with all that is queued; returns once that is durable.
  func dismiss() async throws(EventLogError) {
    // The machine first: between the record and its end, a request that is under way would still be served.
    perform(machine.received(.dismissed))
    try await close(.dismissed)
  }

  private func timerElapsed(_ generation: UInt32) {
    guard generation == timerGeneration else { return }
    #if CARILLON_CANARIES
      if Canary.sings(.expiredSessionDelivered), !machine.isHolding { return }
    #endif
    timer = nil
    perform(machine.received(.timerElapsed))
  }

  // MARK: The machine's actions

  private func perform(_ actions: [SessionAction]) {
    for action in actions {
      switch action {
      case .respond(let id, let messages):
        guard let exchange = exchanges.first(where: { $0.id == id }) else { continue }
        exchange.sink.send(CometReply(messages: messages))
      case .arm(let milliseconds):
        stopTimer()
        let (lane, generation) = (lane, timerGeneration)
        timer = context.timers.schedule(afterMilliseconds: Int64(milliseconds)) { [weak self] in
          guard let self else { return }
          lane.enqueue { await self.timerElapsed(generation) }
        }
      case .disarm:
        stopTimer()
      case .delivered(let marks):
        noteDelivered(marks)
      case .ended(let end):
        gateway.ended(self, end)
      }
    }
  }

  private func stopTimer() {
    if let timer { context.timers.cancel(timer) }
    timer = nil
    timerGeneration &+= 1
  }

  private func noteDelivered(_ marks: [DeliveryMark]) {
    var highest: [(source: String, position: Int)] = []
    for mark in marks where !gateway.receipts.confirm(mark) {
      if let index = highest.firstIndex(where: { $0.source == mark.source }) {
        highest[index].position = max(highest[index].position, mark.position)
      } else {
        highest.append((mark.source, mark.position))
      }
    }
    guard !record.isClosed else { return }
    for (source, position) in highest where position > delivered(of: source) {
      let event = CometRecord.Event.delivered(source: source, position: position)
      // If the log refuses, the client sees these events again after a crash; nothing is lost.
      guard (try? append(event, lazy: true, release: nil)) != nil else { return }
      record.evolve(event, at: context.time.now)
    }
  }

  // MARK: The journal

  private func journal(_ event: CometRecord.Event, evolves: Bool = true) async throws(EventLogError) {
    let result = await withCheckedContinuation {
      (continuation: CheckedContinuation<Result<Void, EventLogError>, Never>) in
      do throws(EventLogError) {
        try append(event, lazy: false) { continuation.resume(returning: .success(())) }
        if evolves { record.evolve(event, at: context.time.now) }
      } catch {
        continuation.resume(returning: .failure(error))
      }
    }
    try result.get()
  }

  private func append(_ event: CometRecord.Event, lazy: Bool, release: Release?) throws(EventLogError) {
    // Nothing is written behind the end: a request that was under way when the session ended comes too late.
    guard !record.isClosed else { throw .failed }
    try context.log.append(
      Turn(
        id: EntityID(.cometSession, clientID), firstSequence: sequence + 1, time: context.time.now,
        events: [StoredEvent(event)]), lazy: lazy, release: release)
    sequence += 1
  }

  private func remember(_ exchange: CometExchange) {
    if !exchanges.contains(where: { $0 === exchange }) { exchanges.append(exchange) }
  }

  private func forget(_ exchange: CometExchange) { exchanges.removeAll { $0 === exchange } }
}
