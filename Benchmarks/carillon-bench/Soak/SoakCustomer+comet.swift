import CarillonClient
import Conservation
import JSONEnvelope

/// The customer's Comet session: everything is asked again until it is answered, whatever happens to the server.
extension SoakCustomer {
  /// Shakes hands and subscribes, and is there.
  func comeOnline(_ chat: SoakChat) async throws {
    mayRepeat = true
    let deadline = ContinuousClock.now + Limits.setUpTimeout
    while ContinuousClock.now < deadline {
      batch = 0
      let ext = acknowledges ? #","ext":{"ack":true}"# : ""
      let types = #""supportedConnectionTypes":["long-polling","websocket"]"#
      let shaken = try await ask(#"{"channel":"/meta/handshake","version":"1.0",\#(types)\#(ext)}"#, chat)
      guard let id = shaken["clientId"]?.string else {
        // A server that is about to go takes nobody in.
        try await Task.sleep(for: SoakWorld.pause)
        continue
      }
      let subscribed = try await ask(
        #"{"channel":"/meta/subscribe","clientId":"\#(id)","subscription":"/_genesys"}"#, chat)
      clientID = id
      if subscribed["successful"] == true { return chat.customer(isThere: true) }
      // Killed in between.
      world.tally.count { $0.newSessions += 1 }
    }
    throw BenchError("no session within \(Limits.setUpTimeout)")
  }

  /// One connect; a session that the server does not know any more is made anew.
  func connect(_ chat: SoakChat) async throws {
    guard let clientID else { return try await comeOnline(chat) }
    let type = comet is SocketComet ? "websocket" : "long-polling"
    let ext = acknowledges ? #","ext":{"ack":\#(batch)}"# : ""
    let reply = try await ask(
      #"{"channel":"/meta/connect","clientId":"\#(clientID)","connectionType":"\#(type)"\#(ext)}"#, chat)
    guard reply["channel"] == "/meta/connect", reply["successful"] == true else {
      world.tally.count { $0.newSessions += 1 }
      return try await comeOnline(chat)
    }
    batch = reply["ext"]?["ack"]?.integer ?? batch
    mayRepeat = false
  }

  /// The radio goes while a connect is held.
  func loseRadio(_ chat: SoakChat, after moment: Duration) async throws {
    let held = Task { try await connect(chat) }
    await world.sleep(moment)
    held.cancel()
    mayRepeat = true
    do { try await held.value } catch is CancellationError {}
    mayRepeat = true
  }

  /// Says goodbye.
  /// - Parameter position: what the customer has; nil leaves it to the server.
  func leave(stating position: Int?) async {
    guard let clientID, let comet else { return }
    self.clientID = nil
    mayRepeat = true
    let ext = position.map { #","ext":{"transcriptPosition":"\#($0)"}"# } ?? ""
    // A server that is away, or a session that is gone: then it takes the customer for away by itself.
    _ = try? await comet.exchange(#"{"channel":"/meta/disconnect","clientId":"\#(clientID)"\#(ext)}"#) { _ in }
  }

  /// One Comet message, again and again until it is answered.
  private func ask(_ message: String, _ chat: SoakChat) async throws -> JSONValue {
    guard let comet else { throw BenchError("nobody to ask") }
    let deadline = ContinuousClock.now + Limits.setUpTimeout
    while ContinuousClock.now < deadline {
      try Task.checkCancellation()
      // What the server sends is of the life that it was asked in: it cannot answer before it is counted.
      let life = world.server.life
      if life != answeredLife { mayRepeat = true }
      do {
        let (mayRepeat, tally) = (mayRepeat, world.tally)
        let reply = try await comet.exchange(message) { chat.receive($0, mayRepeat: mayRepeat, tally) }
        answeredLife = life
        return reply
      } catch is ClientError {
        mayRepeat = true
      } catch is NotReady {
        mayRepeat = true
      }
      try await world.server.untilServing()
      try await Task.sleep(for: SoakWorld.pause)
    }
    throw BenchError("not answered within \(Limits.setUpTimeout): \(message)")
  }
}
