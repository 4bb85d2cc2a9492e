extension BayeuxSession {
  mutating func request(on lane: Lane, _ replies: [SessionReply], _ actions: inout [SessionAction]) {
    open.removeAll { $0 == lane.exchange }
    if lane.transport == .webSocket {
      // A client that speaks over another socket has given the old one up: what is on its way there goes out first here.
      if let socket, socket != lane.exchange { closed(socket, &actions) }
      socket = lane.exchange
    }
    let hasConnect = replies.contains { if case .connect = $0 { true } else { false } }
    if hasConnect {
      connect(on: lane, replies, &actions)
    } else {
      if lane.transport == .webSocket { abandonHeldConnect(unlessOn: lane.exchange, &actions) }
      answer(on: lane, replies, &actions)
      // A client that is heard of gets more time, but is still expected to connect.
      if isArmed, held == nil { arm(graceMilliseconds, &actions) }
    }
    flush(&actions)
    // It would only ask again, as fast as it is answered.
    if isStopping, lane.transport == .webSocket { actions.append(.sendOff(lane.exchange)) }
  }

  /// A request without a connect: over long polling it takes the queue with it, unless what went before is in doubt.
  /// Over callback-polling events come with connects alone. Spec: Bayeux reference, 14.2.
  private mutating func answer(on lane: Lane, _ replies: [SessionReply], _ actions: inout [SessionAction]) {
    if lane.transport == .webSocket { sendQueueToSocket(&actions) }
    var flight = Flight(lane: lane)
    var messages: [[UInt8]] = []
    if lane.transport == .longPolling, !acknowledges, !isInDoubt, !awaitsConnect { take(into: &messages, &flight) }
    for case .ready(let bytes) in replies { messages.append(bytes) }
    if lane.transport == .webSocket, messages.isEmpty { return }
    send(messages, flight, &actions)
  }

  private mutating func connect(on lane: Lane, _ replies: [SessionReply], _ actions: inout [SessionAction]) {
    if lane.transport.isPolling { socket = nil }
    releaseOlder(than: lane, &actions)
    for case .connect(let request) in replies { acknowledge(request.acknowledged, &actions) }
    let isFirst = !isConnected
    isConnected = true
    isInDoubt = false
    awaitsConnect = false
    if lane.transport == .webSocket { sendQueueToSocket(&actions) }

    if replies.count == 1, case .connect(let request) = replies[0], !isFirst, !isStopping, !hasUrgent {
      let hold = min(settings.holdMilliseconds, nonNegative(request.timeout) ?? settings.holdMilliseconds)
      if hold > 0, isSurplus, lane.transport.isPolling { return answerSurplus(request, on: lane, &actions) }
      if hold > 0 {
        held = HeldConnect(lane: lane, request: request)
        arm(hold, &actions)
        return
      }
    }

    var flight = Flight(lane: lane)
    var messages: [[UInt8]] = []
    messages.reserveCapacity(queue.count + replies.count)
    for reply in replies {
      switch reply {
      case .ready(let bytes): messages.append(bytes)
      case .connect(let request):
        // Directly before the connect reply, so that a subscribe reply in the same response comes first: a client in
        // the field drops events of channels whose subscription it has not seen confirmed. Spec: GMS 4.3, 4.4, 6.5.
        if carriesQueue(lane) { take(into: &messages, &flight) }
        messages.append(connectReply(to: request, &flight))
      }
    }
    send(messages, flight, &actions)
    disarm(&actions)
  }

  /// Not held, for the sake of another session of the same browser: its client is to come again after a pause, or not
  /// at all. Nothing waits for it but lazy messages, which go along.
  private mutating func answerSurplus(
    _ request: ConnectRequest, on lane: Lane, _ actions: inout [SessionAction]
  ) {
    var flight = Flight(lane: lane)
    var messages: [[UInt8]] = []
    if settings.multiSessionIntervalMilliseconds > 0 {
      take(into: &messages, &flight)
      messages.append(connectReply(to: request, &flight, isSurplus: true))
    } else {
      flight.carriesConnect = true
      flight.graceMilliseconds = settings.maxIntervalMilliseconds
      messages.append(
        BayeuxReply.connectRefused(id: request.id, error: .multipleClients, advice: .noMultipleClients))
    }
    // The next connect is told that all is well again, or the same once more.
    owesAdvice = true
    send(messages, flight, &actions)
    disarm(&actions)
  }

  /// Only one connect is held. An older one of long polling gets an empty successful reply; one on a socket is never
  /// answered: the client has gone on. Spec: GMS 4.3; Bayeux reference, 14.3.
  private mutating func releaseOlder(than lane: Lane, _ actions: inout [SessionAction]) {
    guard let older = held else { return }
    held = nil
    if older.lane.transport == .webSocket { return }
    var flight = Flight(lane: older.lane)
    let reply = connectReply(to: older.request, &flight)
    send([reply], flight, &actions)
  }

  /// A new socket has taken the session over: what is held on the old one gets no answer any more.
  private mutating func abandonHeldConnect(unlessOn socket: ExchangeID, _ actions: inout [SessionAction]) {
    guard let older = held, older.lane.transport == .webSocket, older.lane.exchange != socket else { return }
    held = nil
    graceMilliseconds = settings.maxIntervalMilliseconds + intervalAsked(by: older.request)
    startGraceIfIdle(&actions)
  }

  mutating func giveUp(
    _ end: SessionEnd, on lane: Lane, _ replies: [SessionReply], _ actions: inout [SessionAction]
  ) {
    if let held {
      let reply = BayeuxReply.connected(id: held.request.id, advice: .giveUp, batch: emptyBatch())
      actions.append(.respond(held.lane.exchange, messages: [reply]))
    }
    let messages = replies.map { reply in
      switch reply {
      case .ready(let bytes): bytes
      case .connect(let request):
        BayeuxReply.connected(id: request.id, advice: .giveUp, batch: emptyBatch())
      }
    }
    actions.append(.respond(lane.exchange, messages: messages))
    self.end(end, &actions)
  }

  /// After the end nothing happens any more, but a request that crossed it must not wait for ever.
  func refuse(_ input: SessionInput, _ actions: inout [SessionAction]) {
    switch input {
    case .request(let exchange, _, let replies), .disconnect(let exchange, _, let replies),
      .inactive(let exchange, _, let replies):
      let messages = replies.map { reply in
        switch reply {
        case .ready(let bytes): bytes
        case .connect(let request): refusal(of: request)
        }
      }
      actions.append(.respond(exchange, messages: messages))
    case .deliver, .redeliver, .lazyElapsed, .timerElapsed, .written, .closed, .serverStops, .dismissed: break
    }
  }

  func refusal(of request: ConnectRequest) -> [UInt8] {
    BayeuxReply.connectRefused(id: request.id, error: .unknownClient, advice: .handshake)
  }

  /// The successful reply to a connect, entered in the flight that carries it.
  /// - Parameter isSurplus: it is not held, for the sake of another session; its client is given the pause beside its time.
  mutating func connectReply(
    to request: ConnectRequest, _ flight: inout Flight, isSurplus: Bool = false
  ) -> [UInt8] {
    let pause = isSurplus ? settings.multiSessionIntervalMilliseconds : 0
    flight.carriesConnect = true
    flight.graceMilliseconds = settings.maxIntervalMilliseconds + max(intervalAsked(by: request), pause)
    var advice: BayeuxAdvice?
    if isSurplus {
      advice = .multipleClients(intervalMilliseconds: pause, timeoutMilliseconds: settings.timeoutMilliseconds)
    } else if owesAdvice || isStopping || request.timeout != nil || request.interval != nil {
      advice = .retry(timeoutMilliseconds: settings.timeoutMilliseconds)
      flight.carriesAdvice = true
      owesAdvice = false
    }
    let batch = acknowledges ? flight.batch ?? numbers.ofEmptyReply() : nil
    return BayeuxReply.connected(
      id: request.id, advice: advice, batch: batch, timesync: request.timesync?.answer)
  }

  /// The number in a reply that carries nothing; nil without the extension.
  private mutating func emptyBatch() -> Int? { acknowledges ? numbers.ofEmptyReply() : nil }

  /// Whether a connect reply on this lane takes the queue with it.
  func carriesQueue(_ lane: Lane) -> Bool { lane.transport.isPolling || acknowledges }

  private func nonNegative(_ milliseconds: Int?) -> Int? {
    guard let milliseconds, milliseconds >= 0 else { return nil }
    return milliseconds
  }
}
