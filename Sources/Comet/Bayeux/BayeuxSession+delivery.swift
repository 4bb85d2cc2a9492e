extension BayeuxSession {
  mutating func deliver(_ messages: [QueuedMessage], _ actions: inout [SessionAction]) {
    let bytes = messages.reduce(0) { $0 + $1.bytes.count }
    // What a client missed comes as one message, however much it is: an empty session takes any, or its client would
    // shake hands in vain for ever.
    if pendingMessages > 0,
      pendingMessages + messages.count > settings.queueMessagesMaximum
        || pendingBytes + bytes > settings.queueBytesMaximum
    {
      if let held { actions.append(.respond(held.lane.exchange, messages: [refusal(of: held.request)])) }
      end(.overflowed, &actions)
      return
    }
    pendingMessages += messages.count
    pendingBytes += bytes
    queue.reserveCapacity(queue.count + messages.count)
    for message in messages {
      queue.append(QueuedEvent(message: message, serial: nextSerial))
      nextSerial += 1
    }
    // Ahead of `flush`, which would look through all that waits.
    if !messages.allSatisfy(\.isLazy) { flush(&actions) }
  }

  /// From now on those that wait are like any other.
  mutating func lazyElapsed(_ actions: inout [SessionAction]) {
    for index in queue.indices { queue[index].message.isLazy = false }
    flush(&actions)
  }

  /// Puts messages before everything that waits: the client turned out not to have what was written to it. The request
  /// that showed it takes them along.
  mutating func redeliver(_ messages: [QueuedMessage]) {
    firstSerial -= UInt64(messages.count)
    pendingMessages += messages.count
    pendingBytes += messages.reduce(0) { $0 + $1.bytes.count }
    queue.insert(
      contentsOf: messages.enumerated().map { QueuedEvent(message: $1, serial: firstSerial + UInt64($0)) }, at: 0)
  }

  /// Sends what is queued if something is there to carry it.
  mutating func flush(_ actions: inout [SessionAction]) {
    guard hasUrgent else { return }
    sendQueueToSocket(&actions)
    // While another request of the client is worked through, its response will take the queue: unless it must not.
    if !queue.isEmpty, let held, carriesQueue(held.lane), open.isEmpty || acknowledges {
      answerHeld(&actions)
    }
  }

  /// Events in a frame of their own, without ending the held connect, which is but the heartbeat of a socket.
  mutating func sendQueueToSocket(_ actions: inout [SessionAction]) {
    guard let socket, !acknowledges, !isInDoubt, !awaitsConnect, !queue.isEmpty else { return }
    var flight = Flight(lane: Lane(exchange: socket, transport: .webSocket))
    var messages: [[UInt8]] = []
    take(into: &messages, &flight)
    send(messages, flight, &actions)
  }

  /// Ends the hold with a successful reply and all that is queued.
  mutating func answerHeld(_ actions: inout [SessionAction]) {
    guard let connect = held else { return }
    held = nil
    var flight = Flight(lane: connect.lane)
    var messages: [[UInt8]] = []
    messages.reserveCapacity(queue.count + 1)
    if carriesQueue(connect.lane) { take(into: &messages, &flight) }
    messages.append(connectReply(to: connect.request, &flight))
    send(messages, flight, &actions)
    disarm(&actions)
  }

  /// Moves the whole queue into a response.
  mutating func take(into messages: inout [[UInt8]], _ flight: inout Flight) {
    if queue.isEmpty { return }
    for event in queue { messages.append(event.message.bytes) }
    if acknowledges {
      // The batch that the connect reply after these events will close.
      let batch = numbers.close(over: queue)
      flight.batch = batch
      for index in queue.indices {
        if queue[index].firstBatch == 0 { queue[index].firstBatch = batch }
        queue[index].lastBatch = batch
      }
      unacknowledged.append(contentsOf: queue)
      unacknowledged.sort { $0.serial < $1.serial }
      queue.removeAll(keepingCapacity: true)
    } else {
      swap(&flight.events, &queue)
    }
  }

  mutating func send(_ messages: [[UInt8]], _ flight: Flight, _ actions: inout [SessionAction]) {
    flights.append(flight)
    actions.append(.respond(flight.lane.exchange, messages: messages))
  }

  mutating func written(_ exchange: ExchangeID, success: Bool, _ actions: inout [SessionAction]) {
    guard let index = flights.firstIndex(where: { $0.lane.exchange == exchange }) else { return }
    if !success, flights[index].lane.transport == .webSocket {
      // Nothing more will get through this socket.
      closed(exchange, &actions)
      return
    }
    let flight = flights.remove(at: index)
    if success {
      confirm(flight.events, &actions)
    } else {
      putBack(flight)
    }
    if flight.carriesConnect {
      graceMilliseconds = flight.graceMilliseconds
      startGraceIfIdle(&actions)
    }
    if !success { flush(&actions) }
  }

  mutating func closed(_ exchange: ExchangeID, _ actions: inout [SessionAction]) {
    open.removeAll { $0 == exchange }
    var wasConnect = false
    if let held, held.lane.exchange == exchange {
      self.held = nil
      graceMilliseconds = settings.maxIntervalMilliseconds + intervalAsked(by: held.request)
      wasConnect = true
    }
    if socket == exchange { socket = nil }
    // What was written to a socket and not confirmed is lost with it. A poll's response will be reported by `.written`.
    while let index = flights.firstIndex(where: { $0.lane.exchange == exchange && $0.lane.transport == .webSocket }) {
      let flight = flights.remove(at: index)
      putBack(flight)
      if flight.carriesConnect {
        if !wasConnect { graceMilliseconds = flight.graceMilliseconds }
        wasConnect = true
      }
    }
    if wasConnect { startGraceIfIdle(&actions) }
    flush(&actions)
  }

  /// Each event goes back to its place, so that order holds when several responses fail, in whatever order.
  private mutating func putBack(_ flight: Flight) {
    if flight.carriesAdvice { owesAdvice = true }
    var events = flight.events
    if let batch = flight.batch {
      // Only those that have not been sent again since.
      events = unacknowledged.filter { $0.lastBatch == batch }
      unacknowledged.removeAll { $0.lastBatch == batch }
    }
    requeue(events)
  }

  mutating func requeue(_ events: [QueuedEvent]) {
    guard let last = events.last else { return }
    let isAhead = queue.first.map { last.serial < $0.serial } ?? true
    queue.insert(contentsOf: events, at: 0)
    if !isAhead { queue.sort { $0.serial < $1.serial } }
  }

  /// Reports the marks of delivered events, but none while an earlier event is still to be delivered.
  mutating func confirm(_ events: [QueuedEvent], _ actions: inout [SessionAction]) {
    if events.isEmpty { return }
    for event in events {
      pendingMessages -= 1
      pendingBytes -= event.message.bytes.count
      if let mark = event.message.mark { writtenEarly.append((event.serial, mark)) }
    }
    if writtenEarly.isEmpty { return }
    var first = UInt64.max
    if let event = queue.first { first = min(first, event.serial) }
    if let event = unacknowledged.first { first = min(first, event.serial) }
    for flight in flights {
      if let event = flight.events.first { first = min(first, event.serial) }
    }
    writtenEarly.sort { $0.serial < $1.serial }
    let count = writtenEarly.prefix { $0.serial < first }.count
    if count == 0 { return }
    actions.append(.delivered(writtenEarly[..<count].map(\.mark)))
    writtenEarly.removeFirst(count)
  }
}
