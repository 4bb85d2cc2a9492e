import Bayeux
import NIOCore

extension CarillonChat {
  /// Begins a connect loop. Returns after its first attempt to link, whatever came of it.
  func connect() async {
    generation += 1
    let mine = generation
    clientID = nil
    let isLinked = await attempt { try await self.link(mine) }
    guard mine == generation, phase == .foreground else { return }
    connecting = Task { [weak self] in await self?.run(mine, isLinked: isLinked) }
  }

  /// Connects again and again, for as long as loop `mine` is the present one and the chat is in the foreground.
  private func run(_ mine: Int, isLinked: Bool) async {
    var failures = isLinked ? 0 : 1
    var hasJustLinked = isLinked
    while isCurrent(mine) {
      if failures > 0 {
        guard (try? await Task.sleep(for: configuration.backOff.delay(afterFailures: failures))) != nil else { break }
        guard isCurrent(mine) else { break }
      }
      if clientID == nil {
        let success = await attempt { try await self.link(mine) }
        // Between two sessions something may have been lost that no notification repeats.
        if success { recover(upTo: position) }
        failures = success ? 0 : failures + 1
        hasJustLinked = success
      } else {
        let success = await attempt { try await self.hold(mine) }
        // What was in an answer that is lost the server repeats a few times only. An app that leaves has lost none.
        if !success, isCurrent(mine) { recover(upTo: position) }
        failures = success ? 0 : failures + 1
        // A session that the server has forgotten is replaced at once, but not one that it has only just given out.
        if clientID == nil, failures == 1, !hasJustLinked { failures = 0 }
        hasJustLinked = false
      }
    }
    // The other side ended the chat: the Comet session is of no more use.
    if mine == generation, phase == .ended {
      _ = await disconnectComet()
      await shutDown()
    }
  }

  private func isCurrent(_ mine: Int) -> Bool {
    mine == generation && phase == .foreground && !Task.isCancelled && advice?.reconnect != Advice.Reconnect.none
  }

  private func attempt(_ work: () async throws -> Void) async -> Bool {
    do {
      try await work()
      return true
    } catch {
      return false
    }
  }

  /// Handshake; then subscription and first connect in one request, so that the catch-up comes with its response.
  private func link(_ mine: Int) async throws(ClientError) {
    let transport = openTransport()
    advice = nil
    let supported = ConnectionType.ofApps.map(\.rawValue)
    let reply = try await transport.exchange(
      [.handshake(supported: supported, transcriptPosition: position)], timeout: configuration.requestTimeout)
    guard mine == generation else { throw .stopped }
    advice = reply[0].advice
    guard reply[0].successful == true, let id = reply[0].clientID else {
      throw .unsuccessful(channel: "/meta/handshake", error: reply[0].error ?? "")
    }
    clientID = id
    handshakeCount += 1
    do throws(ClientError) {
      let replies = try await transport.exchange(
        [
          .subscribe(clientID: id, channel: "/_genesys"),
          .connect(
            clientID: id, type: transport.type.rawValue, isFirst: true, transcriptPosition: position),
        ], timeout: configuration.requestTimeout)
      guard mine == generation else { throw .stopped }
      try check(replies[0])
      try check(replies[1])
    } catch {
      // A session without its subscription would wait for ever.
      if mine == generation { clientID = nil }
      throw error
    }
  }

  /// One `/meta/connect`, held by the server until there is news or its time is up.
  private func hold(_ mine: Int) async throws {
    guard let id = clientID else { return }
    let transport = openTransport()
    let timeout = Duration.milliseconds(advice?.timeoutMilliseconds ?? 30_000) + configuration.requestTimeout
    let replies = try await transport.exchange(
      [.connect(clientID: id, type: transport.type.rawValue, isFirst: false, transcriptPosition: position)],
      timeout: timeout)
    guard mine == generation else { throw ClientError.stopped }
    try check(replies[0])
    if let interval = advice?.intervalMilliseconds, interval > 0 { try await Task.sleep(for: .milliseconds(interval)) }
  }

  private func check(_ reply: CometMessage) throws(ClientError) {
    try reply.settle(advice: &advice, clientID: &clientID)
  }

  /// Says goodbye for this session with the position received, if there is a session.
  func disconnectComet() async -> Result<Void, ClientError> {
    guard let id = clientID, let transport else { return .success(()) }
    clientID = nil
    var result: Result<Void, ClientError> = .success(())
    do {
      let replies = try await transport.exchange(
        [.disconnect(clientID: id, transcriptPosition: position)], timeout: configuration.requestTimeout)
      if replies[0].successful != true, replies[0].errorCode != 402 {
        result = .failure(.unsuccessful(channel: "/meta/disconnect", error: replies[0].error ?? ""))
      }
    } catch {
      result = .failure(error)
    }
    await transport.close()
    return result
  }

  private func openTransport() -> any CometTransport {
    if let transport { return transport }
    let deliver: CometDelivery = { [weak self] messages in await self?.received(messages) }
    let opened = pool.transport(
      configuration.transport, headers: configuration.headers, trace: configuration.trace, deliver: deliver)
    transport = opened
    return opened
  }
}
