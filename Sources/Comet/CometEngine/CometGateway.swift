public import Bayeux
import DequeModule
package import EngineKit
import EntityRuntime
import EventSourcing
import JSONEnvelope
import Synchronization

/// The Comet endpoint below the transports: shakes hands, finds sessions, tells those who ride on them.
///
/// ```
/// received ─┬─ lone connect of a connected session ──> lane ──> session        (the hot path)
///           └─ anything else ──> a task: message by message, waiting for the journal ──> session
/// ```
public final class CometGateway: Sendable {
  package let policy: ChannelPolicy
  package let settings: SessionSettings
  let extensions: CometExtensions
  let limits: EngineLimits
  package let directory = CometDirectory()
  package let receipts = WriteReceipts()
  /// Publish and subscribe between applications.
  public let channels: ApplicationChannels
  private let partitions: Partitions
  /// Of all partitions.
  var context: RuntimeContext { partitions.context }
  let tasks: TaskPool
  private let identifiers: Identifiers
  let requiresCookie: Bool
  /// The polls that are held, by browser.
  let polls: Mutex<BrowserPolls>
  /// Whoever is shown as a user has been proven to be that one: what a message says of itself counts for nothing.
  let requiresProof: Bool
  let security: SecurityLog
  private let nextExchange = Atomic<UInt64>(1)
  private let isStopping = Atomic<Bool>(false)
  private let followers = Mutex<[any CometFollower]>([])
  private let tokens = Mutex<(any CometBearers)?>(nil)

  /// In the order of our preference.
  let connectionTypes: [ConnectionType]
  private static let batchMaximum = BayeuxLimits().messagesMaximum

  package init(
    _ partitions: Partitions, settings: SessionSettings, requiresCookie: Bool, requiresProof: Bool,
    policy: ChannelPolicy = ChannelPolicy(), extensions: CometExtensions = CometExtensions(),
    browsers: BrowserSettings = BrowserSettings(), channelLimits: ChannelLimits = ChannelLimits()
  ) {
    self.partitions = partitions
    tasks = partitions.node.tasks
    identifiers = partitions.node.identifiers
    limits = partitions.node.limits
    security = partitions.node.security
    self.settings = settings
    self.extensions = extensions
    self.requiresCookie = requiresCookie
    polls = Mutex(BrowserPolls(maximum: browsers.sessionsPerBrowserMaximum))
    connectionTypes = ConnectionType.allCases.filter { $0 != .callbackPolling || browsers.takesCallbackPolling }
    self.requiresProof = requiresProof
    self.policy = policy
    let options = partitions.node.options
    channels = ApplicationChannels(
      ChannelRules(options.current, eventChannel: policy.eventChannel), limits: channelLimits,
      context: partitions.context)
    partitions.add(CometHost(self, partitions))
    options.onReplace { [unowned self] in
      if channels.replace(ChannelRules(options.current, eventChannel: policy.eventChannel)) { rejoinAll() }
    }
  }

  /// Before the first exchange.
  package func add(_ follower: any CometFollower) { followers.withLock { $0.append(follower) } }

  /// Before the first exchange. Without it no access token opens anything.
  package func serve(_ bearers: any CometBearers) { tokens.withLock { $0 = bearers } }

  /// Nil if nobody comes by access tokens.
  var bearers: (any CometBearers)? { tokens.withLock { $0 } }

  func tell(_ body: (any CometFollower) async -> Void) async {
    for follower in followers.withLock({ $0 }) { await body(follower) }
  }

  // MARK: What the edge calls

  /// One for each HTTP request on the Comet endpoint, or one for each WebSocket.
  /// - Parameters:
  ///   - isMultiplexed: its connection carries any number of requests beside it, as HTTP/2 does.
  ///   - userKey: whose it is, as the edge has found out.
  ///   - accessToken: the bearer of `Authorization`, if it may be one of support's.
  ///   - address: where it comes from, for the log.
  public func open(
    _ sink: any CometSink, transport: ConnectionType, isMultiplexed: Bool = false, userKey: String?, browserID: String?,
    accessToken: String? = nil, address: (any CustomStringConvertible & Sendable)? = nil
  ) -> CometExchange {
    CometExchange(
      id: ExchangeID(rawValue: nextExchange.add(1, ordering: .relaxed).newValue), transport: transport,
      isMultiplexed: isMultiplexed, userKey: userKey, browserID: browserID, accessToken: accessToken,
      address: address, sink: sink)
  }

  /// Whether clients may be connected so.
  package func takes(_ type: ConnectionType) -> Bool { connectionTypes.contains(type) }

  /// A decoded request body or frame. Any thread; never blocks.
  public func received(_ messages: [BayeuxMessage], on exchange: CometExchange) {
    guard messages.count <= Self.batchMaximum else {
      return refuse(messages, on: exchange, .batchTooLarge(limit: Self.batchMaximum))
    }
    let messages = timed(messages)
    if messages.count == 1, let message = messages.first, message.channel == ChannelName.connect,
      let clientID = message.clientID, let session = directory[clientID],
      breach(of: session, by: messages, on: exchange) == nil,
      exchange.queue.withLock({ !$0.isRunning })
    {
      bind(exchange, to: session)
      session.lane.enqueue { [self] in
        switch await session.connect(message.connectRequest, stating: message.transcriptPosition, on: exchange) {
        case .taken: return
        case .later(let delivered): enqueue(ArrivedRequest(messages, seen: delivered), on: exchange)
        }
      }
    } else {
      let request = ArrivedRequest(messages)
      if let clientID = messages.first(where: { $0.transcriptPosition != nil })?.clientID,
        let session = directory[clientID]
      {
        session.lane.enqueue { request.saw(await session.delivered) }
      }
      enqueue(request, on: exchange)
    }
  }

  /// The end of one `CometSink.send`, in order; success means that the bytes are in the socket.
  public func written(_ exchange: CometExchange, success: Bool) {
    guard let session = exchange.session.withLock({ $0 }) else { return }
    // Now: until the session hears of it the client may have left, and whether it had got this is still to be asked.
    let sink = exchange.recipient
    session.lane.enqueue { await session.written(exchange, over: sink, success: success) }
  }

  /// The client of an unanswered request left, or the WebSocket is closed. Idempotent.
  public func closed(_ exchange: CometExchange) {
    // Before the look at the session: a request under way binds the exchange first and looks here then.
    exchange.close()
    guard let session = exchange.session.withLock({ $0 }) else { return }
    session.lane.enqueue { await session.closed(exchange) }
  }

  /// Every answer goes this way. Who has left gets none, and the session is told so.
  func send(_ reply: CometReply, to exchange: CometExchange) {
    var reply = reply
    if extensions.addsTimestamp { reply.stamp = Array(#""timestamp":"\#(context.time.now.bayeux)","#.utf8) }
    if !exchange.write(reply) { written(exchange, success: false) }
  }

  /// Those that ask for the time learn when they came.
  private func timed(_ messages: [BayeuxMessage]) -> [BayeuxMessage] {
    guard messages.contains(where: { $0.timesync != nil }) else { return messages }
    let now = Int(context.time.now.milliseconds)
    return messages.map { message in
      var message = message
      message.timesync = message.timesync?.arrived(at: now)
      return message
    }
  }

  /// What a reply other than a connect's says of the time.
  private func time(for message: BayeuxMessage) -> TimeSync? {
    message.timesync?.answered(at: Int(context.time.now.milliseconds))
  }

  // MARK: Requests, one after the other within an exchange

  private func enqueue(_ request: ArrivedRequest, on exchange: CometExchange) {
    enum Verdict { case start, wait, refuse }
    let verdict = exchange.queue.withLock { queue -> Verdict in
      guard queue.waiting.count < limits.pipelinedRequestsMaximum else { return .refuse }
      queue.waiting.append(request)
      guard !queue.isRunning else { return .wait }
      queue.isRunning = true
      return .start
    }
    switch verdict {
    case .wait: return
    case .refuse: refuse(request.messages, on: exchange)
    case .start:
      let started = tasks.spawn { [self] in
        while let next = exchange.queue.withLock({ queue -> ArrivedRequest? in
          let next = queue.waiting.popFirst()
          if next == nil { queue.isRunning = false }
          return next
        }) {
          await process(next, on: exchange)
        }
      }
      guard !started else { return }
      let refused = exchange.queue.withLock { queue in
        queue.isRunning = false
        defer { queue.waiting.removeAll() }
        return queue.waiting
      }
      for request in refused { refuse(request.messages, on: exchange) }
    }
  }

  /// Every message gets its own answer. By default the server is too busy for them, and the client tries again.
  private func refuse(
    _ messages: [BayeuxMessage], on exchange: CometExchange, _ error: BayeuxError = BayeuxError(503, [], "server_busy")
  ) {
    send(CometReply(messages: messages.map { BayeuxReply.failure(to: $0, error: error) }), to: exchange)
  }

  /// A socket that speaks for another session from now on is closed for the one before.
  private func bind(_ exchange: CometExchange, to session: CometSession) {
    let previous = exchange.session.withLock { current in
      defer { current = session }
      return current
    }
    guard let previous, previous !== session else { return }
    previous.lane.enqueue { await previous.closed(exchange) }
  }

  // MARK: One request

  private func process(_ arrived: ArrivedRequest, on exchange: CometExchange) async {
    let messages = arrived.messages
    // Company of a handshake is ignored, as Bayeux 1.0 has it.
    if let handshake = messages.first(where: { $0.channel == ChannelName.handshake }) {
      return await shakeHands(handshake, on: exchange)
    }
    let clientID = messages.lazy.compactMap(\.clientID).first
    var session: CometSession?
    if let clientID, let found = self.session(clientID, for: messages, on: exchange), await !found.isOver {
      session = found
    }
    var request = CometRequest(arrived)
    do throws(EventLogError) {
      if let session {
        bind(exchange, to: session)
        do throws(EventLogError) { try await process(&request, of: session, on: exchange) } catch {
          // Over meanwhile, as if it had never been found.
          guard await session.isOver else {
            await session.forgo(exchange)
            throw error
          }
          send(CometReply(messages: messages.map { BayeuxReply.unknownClient(to: $0) }), to: exchange)
        }
      } else {
        for (index, message) in messages.enumerated() {
          if message.channel == ChannelName.disconnect { await tell { await $0.strayed(message, on: exchange) } }
          request.replies[index] = .ready(
            refusal(of: message, isKnown: false) ?? BayeuxReply.unknownClient(to: message))
        }
        send(CometReply(messages: request.finished), to: exchange)
      }
    } catch {
      refuse(messages, on: exchange)
    }
  }

  /// Subscriptions first, whatever their place: a catch-up is to ride on the connect of the same request.
  /// Spec: GMS 6.5, item 6.
  private func process(
    _ request: inout CometRequest, of session: CometSession, on exchange: CometExchange
  ) async throws(EventLogError) {
    var subscribes = false
    for index in request.subscriptionsFirst where request.messages[index].clientID == session.clientID {
      if try await subscribe(&request, index, session) { subscribes = true }
    }
    let arrived = request.arrived
    await tell { await $0.settle(arrived, of: session, on: exchange) }
    var connects = false
    var disconnect: BayeuxMessage?
    for (index, message) in request.messages.enumerated() where request.replies[index] == nil {
      if let refusal = refusal(of: message, isKnown: message.clientID == session.clientID) {
        request.replies[index] = .ready(refusal)
        continue
      }
      switch message.channel {
      case ChannelName.connect where !connects:
        connects = true
        request.replies[index] = .connect(message.connectRequest)
      case ChannelName.subscribe:
        if try await subscribe(&request, index, session) { subscribes = true }
      case ChannelName.unsubscribe:
        let known = Set(await session.channels).union(channels.known(message.subscription))
        let outcome = policy.unsubscribe(message, alsoFrom: known)
        try await unsubscribe(session, outcome.channels)
        request.replies[index] = .ready(
          BayeuxReply.subscription(
            to: message, clientID: session.clientID, error: outcome.error, timesync: time(for: message)))
      case ChannelName.disconnect:
        disconnect = message
        request.replies[index] = .ready(BayeuxReply.disconnected(id: message.id, clientID: session.clientID))
      default:
        request.replies[index] = .ready(await published(message, by: session, on: exchange))
      }
    }
    if let disconnect {
      await tell { await $0.left(session, disconnect) }
      try await session.close(.disconnected)
      return await session.disconnect(request.inOrder, on: exchange)
    }
    if connects, request.messages.allSatisfy({ $0.channel == ChannelName.connect }) {
      if await session.isInactive { return await session.retire(request.inOrder, on: exchange) }
    } else if extensions.activityWatch != .none {
      await session.stir()
    }
    if connects, await !session.isConnected {
      await session.beginConnecting()
      // They learn of the return first, so that what was missed is in the queue when the connect is answered.
      await tell { await $0.connected(session) }
    }
    // A socket gets the catch-up in a frame of its own, behind the one that confirms the subscription.
    let rides = connects && exchange.transport.isPolling
    if subscribes, rides {
      await tell { await $0.subscribed(session) }
    }
    await session.request(request.inOrder, on: exchange, catchingUp: subscribes && !rides)
    if subscribes, !rides {
      // Nothing is sent before the subscription is confirmed: clients in the field drop it. Spec: GMS 4.4.
      await tell { await $0.subscribed(session) }
      await session.endCatchUp()
    }
    guard subscribes || connects, directory[session.clientID] !== session else { return }
    // It ended while they were being told that it is there: they are told again that it is not.
    await tell { await $0.lost(session) }
  }

  /// - Returns: whether the session gets the events from now on.
  private func subscribe(
    _ request: inout CometRequest, _ index: Int, _ session: CometSession
  ) async throws(EventLogError) -> Bool {
    let message = request.messages[index]
    let allowed = policy.subscribe(message, alsoTo: await followable(message, by: session))
    let outcome = channels.join(session, allowed)
    forgetIfOver(session)
    let wasSubscribed = await session.isSubscribed
    if !outcome.channels.isEmpty { try await session.subscribe(outcome.channels) }
    request.replies[index] = .ready(
      BayeuxReply.subscription(
        to: message, clientID: session.clientID, error: outcome.error, timesync: time(for: message)))
    let isSubscribed = await session.isSubscribed
    return isSubscribed && !wasSubscribed
  }

  private func refusal(of message: BayeuxMessage, isKnown: Bool) -> [UInt8]? {
    guard let channel = message.channel else { return BayeuxReply.failure(to: message, error: .channelMissing) }
    guard ChannelName.isValid(channel) else { return BayeuxReply.failure(to: message, error: .channelInvalid) }
    return isKnown ? nil : BayeuxReply.unknownClient(to: message)
  }

  // MARK: Handshake

  private func shakeHands(_ message: BayeuxMessage, on exchange: CometExchange) async {
    let offered = message.supportedConnectionTypes ?? []
    func refuse(_ error: BayeuxError, _ advice: BayeuxAdvice) {
      send(
        CometReply(messages: [
          BayeuxReply.handshakeRefused(
            id: message.id, error: error, connectionTypes: connectionTypes, advice: advice)
        ]), to: exchange)
    }
    guard connectionTypes.contains(where: { offered.contains($0.rawValue) }) else {
      return send(
        CometReply(messages: [
          BayeuxReply.handshakeRefused(id: message.id, offered: offered, connectionTypes: connectionTypes)
        ]), to: exchange)
    }
    let again = BayeuxAdvice(reconnect: .handshake, interval: limits.busyIntervalMilliseconds)
    guard !isStopping.load(ordering: .relaxed) else { return refuse(BayeuxError(503, [], "server_stopping"), again) }
    let userKey: String?
    do throws(BayeuxError) { userKey = try self.userKey(of: message, on: exchange) } catch {
      return refuse(error, .giveUp)
    }
    var newBrowserID: String?
    if exchange.transport.isPolling, exchange.browserID == nil { newBrowserID = identifiers.browserID() }
    let opened = CometRecord.Event.opened(
      userKey: userKey, serviceID: message.serviceID, acknowledges: message.wantsAcknowledgment,
      browserID: exchange.browserID ?? newBrowserID)
    let clientID = identifiers.clientID()
    let session = CometSession(
      clientID: clientID, opened: opened, settings: settings,
      context: partitions[EntityID(.cometSession, clientID)].context, gateway: self)
    guard
      directory.insert(session, limit: limits.cometSessionsMaximum, limitByUser: limits.cometSessionsByUserMaximum)
    else { return refuse(BayeuxError(503, [], "session_limit"), again) }
    do throws(EventLogError) { try await session.open(opened) } catch {
      directory.remove(session)
      return refuse(BayeuxError(503, [], "server_busy"), again)
    }
    if let position = message.transcriptPosition { await tell { await $0.handshaken(session, stating: position) } }
    await session.startGrace(restored: false)
    send(
      CometReply(
        messages: [
          BayeuxReply.handshakeSucceeded(
            id: message.id, clientID: session.clientID, connectionTypes: connectionTypes,
            timeoutMilliseconds: settings.timeoutMilliseconds, acknowledges: message.wantsAcknowledgment,
            timesync: time(for: message))
        ], newBrowserID: newBrowserID), to: exchange)
  }

  // MARK: Leaving

  private func unsubscribe(_ session: CometSession, _ channels: [String]) async throws(EventLogError) {
    let wasSubscribed = await session.isSubscribed
    try await session.unsubscribe(channels)
    self.channels.part(session, channels)
    guard wasSubscribed, await !session.isSubscribed else { return }
    await tell { await $0.unsubscribed(session) }
  }

  /// Answers what is held and takes no new sessions. The sessions live on in the journal.
  package func drain() async {
    isStopping.store(true, ordering: .relaxed)
    for session in directory.all { await session.stop() }
    receipts.stop()
    channels.finish()
  }
}

extension BayeuxMessage {
  var connectRequest: ConnectRequest { ConnectRequest(self) }
}

extension Timestamp {
  /// As the specification profiles it: `2026-03-01T09:15:00.25`, GMT.
  fileprivate var bayeux: Substring { iso8601Milliseconds.dropLast(2) }
}
