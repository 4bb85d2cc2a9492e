internal import NIOCore
internal import NIOPosix

extension OriginCore {
  /// One more connection if somebody waits and every open one is full. Spec: providers 2.1, several connections.
  func considerConnecting() {
    guard waitingCount > 0, !isShutDown, mayConnect(at: .now()) else { return }
    let connection = OriginConnection(HTTP2ConnectionID(nextConnection), of: self)
    nextConnection += 1
    connections.append(connection)
    startTicking()
    let limit = TimeAmount(settings.connectTimeout)
    let overdue = loop.assumeIsolated().scheduleTask(in: limit) { [weak connection] in
      connection?.fail(ConnectFailure("connect timed out"))
      self.pump()
    }
    connection.whenConnectingEnds = { overdue.cancel() }
    ClientBootstrap(group: loop)
      .connectTimeout(limit)
      .channelOption(.socketOption(.so_keepalive), value: 1)
      .channelOption(.tcpOption(.tcp_nodelay), value: 1)
      // The pipeline is made when it is known which of several addresses won; until then nothing is read.
      .channelOption(.autoRead, value: false)
      .connect(host: settings.host, port: settings.port)
      .assumeIsolated()
      .whenComplete { result in
        switch result {
        case .success(let channel): connection.begin(on: channel)
        case .failure(let error): connection.fail(ConnectFailure(error))
        }
        self.pump()
      }
  }

  private func mayConnect(at now: NIODeadline) -> Bool {
    guard now >= connectNotBefore, connections.count < settings.connectionsMaximum + Limits.drainingMaximum else {
      return false
    }
    let taking = connections.filter { $0.phase != .draining }
    guard !taking.isEmpty else { return true }
    // One at a time, and not before the one at hand has shown what it can carry.
    guard taking.allSatisfy({ $0.phase == .open && $0.budget.isProven }) else { return false }
    // A ceiling on all streams is not a lack of connections.
    guard calm.ceiling(at: now) == nil, now >= expandNotBefore else { return false }
    return taking.count < settings.connectionsMaximum
  }

  /// Or failed: it is not connecting any more.
  func opened(_ connection: OriginConnection) {
    connection.whenConnectingEnds?()
    connection.whenConnectingEnds = nil
  }

  /// A connection could not be made. With no other to wait for, everybody who waits is told at once.
  func failed(_ connection: OriginConnection, _ failure: ConnectFailure) {
    opened(connection)
    connections.removeAll { $0 === connection }
    if connections.contains(where: { $0.phase == .open }) {
      expandNotBefore = .now() + Limits.expansionPause
    } else {
      dismissAll(failure.outcome)
    }
    finishShutdownIfDone()
  }

  /// A connection takes nothing more, and everything on it is settled.
  func closing(_ connection: OriginConnection) {
    opened(connection)
    connections.removeAll { $0 === connection }
    guard !connection.hasAnswered, !connection.isRetired else { return }
    if let failure = connection.failure, failure.isUnusable {
      // Refused by TLS after the handshake seemed done, as TLS 1.3 does with client certificates.
      dismissAll(failure.outcome)
    } else if connection.hasOpenedStreams || connection.goAway != nil {
      pauseAfterBarren()
    } else if !connections.contains(where: { $0.phase == .open }) {
      // It closed before it was of any use: the same as none at all.
      dismissAll(.unprocessed(reason: "connection closed at once", isTransport: true))
    }
  }

  /// A server that takes connections and lets them die must not be flooded with more.
  private func pauseAfterBarren() {
    let pause = min(
      Limits.barrenPauseFirst.nanoseconds << Int64(min(barrenInARow, 16)), Limits.barrenPauseLongest.nanoseconds)
    barrenInARow += 1
    connectNotBefore = .now() + .nanoseconds(pause)
    loop.assumeIsolated().scheduleTask(in: .nanoseconds(pause)) { self.pump() }
  }

  func channelEnded() {
    channels -= 1
    finishShutdownIfDone()
  }

  // MARK: Retiring and shutting down

  /// - Parameter id: nil for all of them.
  func retire(_ id: HTTP2ConnectionID?) {
    for connection in connections where id == nil || connection.id == id {
      // One that still connects has carried nothing yet.
      guard connection.phase != .connecting else { continue }
      connection.isRetired = true
      connection.drain(because: "retired")
    }
  }

  func shutdown(grace: TimeAmount, _ done: EventLoopPromise<Void>?) {
    if let done { shutdownWaiters.append(done) }
    if !isShutDown {
      isShutDown = true
      dismissAll(.unprocessed(reason: "shut down", isTransport: false))
      for connection in connections where connection.phase == .connecting {
        connection.fail(ConnectFailure("shut down"))
      }
      retire(nil)
      if !connections.isEmpty, grace > .zero {
        loop.assumeIsolated().scheduleTask(in: grace) { self.closeAll() }
      }
    }
    if grace <= .zero { closeAll() }
    finishShutdownIfDone()
  }

  private func closeAll() {
    for connection in connections { connection.close(because: "shut down") }
    pump()
  }

  private func finishShutdownIfDone() {
    guard isShutDown, connections.isEmpty, channels == 0 else { return }
    ticking?.cancel()
    ticking = nil
    let waiters = shutdownWaiters
    shutdownWaiters = []
    for waiter in waiters { waiter.succeed(()) }
  }

  // MARK: Time

  /// Deadlines are looked up a few times in their length instead of a timer for each request.
  private func startTicking() {
    guard ticking == nil, !isShutDown else { return }
    let shortest =
      [
        settings.requestTimeout, settings.pingWhenSilentFor, settings.pingAnswerWithin, settings.calm,
        settings.surplusIdleTimeout,
      ].map { TimeAmount($0).nanoseconds }.min() ?? 0
    let pace = TimeAmount.nanoseconds(min(max(shortest / 20, 5_000_000), 500_000_000))
    ticking = loop.scheduleRepeatedTask(initialDelay: pace, delay: pace) { [weak self] task in
      guard let self else { return task.cancel() }
      self.tick()
    }
  }

  private func tick() {
    let now = NIODeadline.now()
    while let first = waiting.first, first.isSettled || first.deadline <= now {
      waiting.removeFirst()
      if !first.isSettled {
        dismiss(first, .unprocessed(reason: "no stream was free in time", isTransport: false))
      }
    }
    var hasOpen = false
    for connection in connections where connection.phase != .connecting {
      let isSurplus = hasOpen && connection.phase == .open
      if connection.phase == .open { hasOpen = true }
      connection.tick(at: now, isSurplus: isSurplus)
    }
    pump()
    if connections.isEmpty, waitingCount == 0 {
      ticking?.cancel()
      ticking = nil
    }
  }
}

extension OriginConnection {
  fileprivate func tick(at now: NIODeadline, isSurplus: Bool) {
    for exchange in streams.values where !exchange.isSettled && exchange.deadline <= now {
      abandon(exchange, reason: "timed out")
    }
    flush()
    switch health.check(at: now, hasStreams: !streams.isEmpty) {
    case .isDead: return close(because: "connection silent")
    case .mustPing: ping()
    case .fine: break
    }
    if phase == .draining, streams.isEmpty { return close(because: "drained") }
    if isSurplus, streams.isEmpty, now - idleSince >= TimeAmount(core.settings.surplusIdleTimeout) {
      drain(because: "surplus")
    }
  }
}
