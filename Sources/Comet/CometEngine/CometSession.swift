package import Bayeux
import EngineKit
package import EntityRuntime
import EventSourcing
import Synchronization

/// One live Comet session: the Bayeux machine, its one timer, its exchanges, and its record in the journal.
///
/// The machine decides; this actor performs what it says. Delivery progress is journalled lazily: nobody waits for it.
package actor CometSession {
  package nonisolated let clientID: String
  package nonisolated let userKey: String?
  /// The reserved key of the user who came by an access token; nil for all others.
  nonisolated var bearer: String? { isBearer ? userKey : nil }
  package nonisolated let serviceID: String?
  nonisolated let browserID: String?
  private nonisolated let context: RuntimeContext
  private unowned let gateway: CometGateway

  private var machine: BayeuxSession
  private var record: CometRecord
  private var sequence: UInt64
  private var timer: TimerWheel.Handle?
  // Flags stand together: there is a session for each client, and a flag alone between words takes a word.
  private nonisolated let isBearer: Bool
  private var isConnecting = false
  /// A chat was told that nobody is there any more; the next connect tells it otherwise.
  package private(set) var isSetAside = false
  /// The chats are being told of a connect that the machine has not got yet.
  private var isArriving = false
  /// It has one of its browser's places for held polls.
  private var hasPlace = false
  /// Subscriptions that are confirmed while the chats still prepare what was missed: a connect waits for it.
  private var catchUpCount = 0
  private var waitingForCatchUp: [CheckedContinuation<Void, Never>] = []
  /// Tells the timer that runs from those that had fired already when it was started.
  private var timerGeneration: UInt32 = 0
  /// The exchanges that a response may yet go to: seldom more than two.
  private var exchanges: [CometExchange] = []
  /// The connection that a response was written to just now.
  private var carrier: (any CometSink)?
  /// What the session knows of its client's positions.
  private var progress = DeliveryProgress()
  /// When something other than a connect happened last, monotonic milliseconds; looked at only where that counts.
  private var lastActive: Int64

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
    isBearer = record.userKey.flatMap { ReservedUserKey.number(in: $0) } != nil
    serviceID = record.serviceID
    browserID = record.browserID
    self.record = record
    self.sequence = sequence
    self.context = context
    self.gateway = gateway
    lastActive = context.time.monotonicMilliseconds
    // After a restart the next connect counts as the first: it is answered at once, with advice and what was missed.
    machine =
      isRestored
      ? BayeuxSession(
        restoring: clientID, settings: settings, acknowledges: record.acknowledges, isConnected: false,
        delivered: record.delivered, isInDoubt: !record.confirmed.isEmpty)
      : BayeuxSession(clientID: clientID, settings: settings, acknowledges: record.acknowledges)
  }

  package nonisolated var lane: Lane { context.lanes[ObjectIdentifier(self).hashValue >> 4] }

  // MARK: What the gateway asks

  /// It has connected, or is about to: the chats are being told.
  package var isConnected: Bool { (machine.isConnected || isConnecting) && !isSetAside }
  func beginConnecting() {
    isConnecting = true
    isArriving = true
    isSetAside = false
  }
  package var isSubscribed: Bool { gateway.policy.receivesEvents(record.channels) }
  var isOver: Bool { record.isClosed }
  /// A connect waits.
  var isHolding: Bool { machine.isHolding }
  var channels: [String] { record.channels }
  func follows(_ channel: String) -> Bool {
    record.channels.contains { ChannelName.matches(pattern: $0, channel: channel) }
  }
  /// What was written to the client of a chat's transcript, or with the acknowledgment extension acknowledged.
  package func delivered(of chat: String) -> Int { record.delivered[chat] ?? 0 }
  /// The same for all its chats.
  var delivered: [String: Int] { record.delivered }
  /// What the client is known to have of it: its next request has shown, or it has said so. Spec: GMS 6.1.
  package func confirmed(of chat: String) -> Int {
    #if CARILLON_CANARIES
      if Canary.sings(.positionGuessed) { return delivered(of: chat) }
    #endif
    return record.confirmed[chat] ?? record.delivered[chat] ?? 0
  }
  /// What the app said it has of a chat before the session was the chat's.
  package func stated(of chat: String) -> Int? { progress.stated[chat] }

  /// The app has said what it has of the chat.
  package func state(_ position: Int, of chat: String) { progress.stated[chat] = position }

  /// A chat is about to be told that nobody is there. - Returns: false if somebody is.
  package func setAside() -> Bool {
    guard !machine.isLive, !isArriving else { return false }
    isSetAside = true
    return true
  }

  func beginCatchUp() { catchUpCount += 1 }

  package func endCatchUp() {
    catchUpCount -= 1
    guard catchUpCount == 0 else { return }
    for continuation in waitingForCatchUp { continuation.resume() }
    waitingForCatchUp = []
  }

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
  /// - Returns: `later` if this is its first connect, one that has to wait, or one that may show that something has not
  ///   arrived: the gateway has more to do first.
  func connect(_ request: ConnectRequest, stating position: Int?, on exchange: CometExchange) -> LoneConnect {
    let later = LoneConnect.later(delivered: position == nil ? nil : record.delivered)
    guard machine.isConnected, catchUpCount == 0, !record.isClosed, !isSetAside, !isInactive else { return later }
    if !progress.carriers.isEmpty {
      let recipient = exchange.recipient
      guard progress.carriers.allSatisfy({ $0 === recipient }) else { return later }
    }
    if let position, record.delivered.contains(where: { $1 > position }) { return later }
    confirm()
    self.request([.connect(request)], on: exchange)
    return .taken
  }

  enum LoneConnect: Sendable {
    case taken
    /// With what was written to the client so far, if it states a position.
    case later(delivered: [String: Int]?)
  }

  /// As `request`, once all that was missed is in the queue: a connect that overtook it would come back empty, and one of
  /// a client that polls without being held would do so with nothing to wake it.
  /// - Parameter catchingUp: what the chats send from now on comes first for others, until `endCatchUp`.
  func request(_ replies: [SessionReply], on exchange: CometExchange, catchingUp: Bool) async {
    // No await between the look and the answer.
    while catchUpCount > 0 { await withCheckedContinuation { waitingForCatchUp.append($0) } }
    if catchingUp { beginCatchUp() }
    request(replies, on: exchange)
  }

  func request(_ replies: [SessionReply], on exchange: CometExchange) {
    isArriving = false
    guard !exchange.isClosed.load(ordering: .sequentiallyConsistent) else { return }
    remember(exchange)
    machine.isInDoubt = isInDoubt(on: exchange)
    if replies.count == 1, case .connect = replies[0] { machine.isSurplus = !takesPlace(for: exchange) }
    tell(.request(exchange: exchange.id, transport: exchange.transport, replies: replies))
  }

  /// Whether what was written last may not have come, although the client speaks. Requests of long polling may cross an
  /// answer on whatever connection; what comes over a socket comes behind what was written to it.
  private func isInDoubt(on exchange: CometExchange) -> Bool {
    guard exchange.transport == .webSocket else { return !progress.carriers.isEmpty }
    let recipient = exchange.recipient
    return progress.carriers.contains { $0 !== recipient }
  }

  /// Takes one of its browser's places, for a connect that may be held; as soon as it is not, the place is free again.
  /// WebSockets and HTTP/2 need none: browsers bound neither by the few connections that they have to a server.
  /// - Returns: false if all are taken.
  private func takesPlace(for exchange: CometExchange) -> Bool {
    guard let browserID, exchange.browserID != nil, exchange.transport.isPolling, !exchange.isMultiplexed else {
      leavePlace()
      return true
    }
    if !hasPlace { hasPlace = gateway.polls.withLock { $0.enter(browserID) } }
    return hasPlace
  }

  private func leavePlace() {
    guard hasPlace, let browserID else { return }
    hasPlace = false
    gateway.polls.withLock { $0.leave(browserID) }
  }

  /// It has been silent for longer than it may.
  var isInactive: Bool {
    guard gateway.extensions.activityWatch != .none else { return false }
    let silence = context.time.monotonicMilliseconds - lastActive
    return silence > gateway.extensions.inactivityMillisecondsMaximum
  }

  /// Its client does something other than to connect.
  func stir() { lastActive = context.time.monotonicMilliseconds }

  /// Ends it because of that, at a connect.
  func retire(_ replies: [SessionReply], on exchange: CometExchange) {
    if !exchange.isClosed.load(ordering: .sequentiallyConsistent) { remember(exchange) }
    tell(.inactive(exchange: exchange.id, transport: exchange.transport, replies: replies))
  }

  func disconnect(_ replies: [SessionReply], on exchange: CometExchange) {
    // Whoever has said so and left is not waited for.
    if !exchange.isClosed.load(ordering: .sequentiallyConsistent) { remember(exchange) }
    tell(.disconnect(exchange: exchange.id, transport: exchange.transport, replies: replies))
  }

  // MARK: Application channels

  /// A request publishes: what comes of it is to leave with the answer.
  func begin(_ exchange: CometExchange) {
    guard !exchange.isClosed.load(ordering: .sequentiallyConsistent) else { return }
    machine.requestBegan(exchange.id)
  }

  /// It is answered past the session.
  func forgo(_ exchange: CometExchange) { perform(machine.requestForgone(exchange.id)) }

  /// Lazy messages have waited as long as they may.
  func lazyElapsed() { tell(.lazyElapsed) }

  /// Enters its subscriptions to application channels, in one turn with what its record says.
  func rejoin() {
    if !record.isClosed { gateway.channels.rejoin(self, record.channels) }
  }

  nonisolated var standing: ChannelStanding { isBearer ? .token : userKey == nil ? .unnamed : .user }

  nonisolated func party(_ member: ChannelMember) -> ChannelParty {
    ChannelParty(member: member, userKey: userKey, standing: standing)
  }

  // MARK: What the client has

  /// The connections that brought what is not confirmed, but for the one that the client speaks over now: what comes
  /// over the same one confirms. From now on nothing goes out over a socket that it has left.
  package func carriers(left exchange: CometExchange) -> [any CometSink] {
    perform(machine.moves(to: exchange.id, exchange.transport))
    let recipient = exchange.recipient
    return progress.carriers.filter { $0 !== recipient }
  }

  /// What is to be sent again, now that the client makes its next request.
  ///
  /// If there is anything, nobody else is answered until `endCatchUp`: it would overtake what is sent again.
  /// - Parameters:
  ///   - position: what the client says it has of `chats`; nil if it says nothing.
  ///   - seen: what had been written when it said so; nil if nothing was since.
  ///   - lost: connections that broke before their client's machine had all that was written to it.
  /// - Returns: for each chat what the client has, if that is less than it was written.
  package func gaps(
    stating position: Int?, of chats: [String], seen: [String: Int]?, lost: [any CometSink]
  ) -> [(chat: String, has: Int, written: Int)] {
    // Another request may have seen to it meanwhile.
    let isLost = progress.carriers.contains { carrier in lost.contains { $0 === carrier } }
    progress.carriers = []
    var gaps: [(chat: String, has: Int, written: Int)] = []
    for (chat, written) in record.delivered.sorted(by: { $0.key < $1.key }) {
      var (has, received) = (isLost ? confirmed(of: chat) : written, isLost ? confirmed(of: chat) : written)
      if let position, chats.contains(chat) {
        // One for several chats says less than it seems to.
        if chats.count == 1 { received = max(position, received) }
        // Without an end, an app that always names the same position would be sent the same for ever.
        let known = seen.map { $0[chat] ?? 0 } ?? written
        has = progress.repeats(chat, after: position, written: known) ? position : received
      }
      if has < written { gaps.append((chat, has, written)) }
      // A restart before it goes out again must not take it for received. What only the app says, it says then as well.
      if received < written { miss(chat, after: received) }
      record.confirmed[chat] = has < delivered(of: chat) ? has : nil
    }
    if !gaps.isEmpty { beginCatchUp() }
    return gaps
  }

  /// If the log refuses, it is sent again all the same, and only a crash before that would lose it.
  private func miss(_ chat: String, after position: Int) {
    let event = CometRecord.Event.missed(source: chat, after: position)
    guard (try? append(event, lazy: false, release: nil)) != nil else { return }
    record.evolve(event, at: context.time.now)
  }

  /// Returns once everything so far is durable, of others too, or cannot be any more.
  package func untilDurable() async { try? await gateway.context.untilDurable() }

  /// Before everything that waits; the request that showed the gap takes them along.
  package func redeliver(_ messages: [QueuedMessage]) { perform(machine.received(.redeliver(messages))) }

  /// The client's next request has come over a connection that is as good as its word.
  private func confirm() {
    if !record.confirmed.isEmpty { record.confirmed.removeAll(keepingCapacity: true) }
    if !progress.carriers.isEmpty { progress.carriers.removeAll(keepingCapacity: true) }
  }

  /// Takes a message for the client. One of a chat that it has or has delivered is dropped: it is known by its position.
  /// - Parameter isCatchUp: it holds what the client has not got by the chat's word, whatever it was written before: only
  ///   the same message, still on its way, is a repetition.
  package func deliver(_ message: QueuedMessage, isCatchUp: Bool = false) {
    guard !hasTaken(message, isCatchUp: isCatchUp) else { return }
    if gateway.extensions.activityWatch == .both { stir() }
    tell(.deliver([message]))
  }

  private func hasTaken(_ message: QueuedMessage, isCatchUp: Bool) -> Bool {
    guard let mark = message.mark, mark.isOfTranscript else { return false }
    if isCatchUp { return machine.isPending(message) }
    return mark.position <= max(delivered(of: mark.source), machine.pendingPosition(of: mark.source) ?? 0)
  }

  func written(_ exchange: CometExchange, over sink: (any CometSink)?, success: Bool) {
    carrier = success && !machine.acknowledges ? sink : nil
    defer { carrier = nil }
    tell(.written(exchange.id, success: success))
    if exchange.transport.isPolling { forget(exchange) }
  }

  func closed(_ exchange: CometExchange) {
    tell(.closed(exchange.id))
    #if CARILLON_CANARIES
      if Canary.sings(.exchangeLeaked) { return }
    #endif
    forget(exchange)
  }

  func stop() { tell(.serverStops) }

  /// Ends for good, with all that is queued; returns once that is durable.
  func dismiss() async throws(EventLogError) {
    // The machine first: between the record and its end, a request that is under way would still be served.
    tell(.dismissed)
    try await close(.dismissed)
  }

  private func timerElapsed(_ generation: UInt32) {
    guard generation == timerGeneration else { return }
    #if CARILLON_CANARIES
      if Canary.sings(.expiredSessionDelivered), !machine.isHolding { return }
    #endif
    timer = nil
    tell(.timerElapsed)
  }

  private func tell(_ input: SessionInput) {
    if machine.tellsTime { machine.note(time: Int(context.time.now.milliseconds)) }
    perform(machine.received(input))
  }

  // MARK: The machine's actions

  private func perform(_ actions: [SessionAction]) {
    // Before anybody is told: another session of the browser may come because of it.
    if !machine.isHoldingPoll { leavePlace() }
    for action in actions {
      switch action {
      case .respond(let id, let messages):
        guard let exchange = exchanges.first(where: { $0.id == id }) else { continue }
        gateway.send(CometReply(messages: messages), to: exchange)
      case .sendOff(let id):
        exchanges.first { $0.id == id }?.sendOff()
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
        progress.carriers = []
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
    if !highest.isEmpty, let sink = carrier { progress.carry(over: sink) }
    for (source, position) in highest where position > delivered(of: source) {
      // Written is not received: the next request shows. With the extension the client has said so itself.
      let confirmed = machine.acknowledges ? nil : confirmed(of: source)
      let event = CometRecord.Event.delivered(source: source, position: position, confirmed: confirmed)
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
        try append(event, lazy: false) {
          continuation.resume(returning: $0 == .durable ? .success(()) : .failure(.failed))
        }
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

  /// Requests and sockets that it has not let go of.
  package var exchangeCount: Int { exchanges.count }

  private func remember(_ exchange: CometExchange) {
    if !exchanges.contains(where: { $0 === exchange }) { exchanges.append(exchange) }
  }

  private func forget(_ exchange: CometExchange) { exchanges.removeAll { $0 === exchange } }
}
