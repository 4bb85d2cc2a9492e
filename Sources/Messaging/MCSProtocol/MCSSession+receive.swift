/// What the client says.
extension MCSSession {
  mutating func received(_ stanza: MCSStanza, _ actions: inout [MCSAction]) {
    switch phase {
    case .opened:
      guard case .loginRequest(let request) = stanza else { return violated(.unexpected, &actions) }
      receivedCount = 1
      logIn(request, &actions)
    case .loggingIn:
      guard early.count < limits.earlyStanzasMaximum else { return violated(.impatient, &actions) }
      early.append(stanza)
    case .open: take(stanza, &actions)
    case .closed: break
    }
  }

  /// A stanza of a client that is logged in.
  mutating func take(_ stanza: MCSStanza, _ actions: inout [MCSAction]) {
    receivedCount += 1
    heartbeat.heard(stanza)
    if let number = stanza.lastStreamIDReceived { acknowledge(upTo: number, &actions) }
    if let saysIdle = stanza.saysIdle { setIdle(saysIdle, &actions) }
    switch stanza {
    case .heartbeatPing: write(.heartbeatAck(MCSHeartbeatAck()), &actions)
    case .heartbeatAck: break
    case .iq(let iq): take(iq, &actions)
    case .dataMessage(let message):
      // What the device says to the service itself has been read above.
      guard !message.isForService else { return }
      ask(.send(message), &actions)
    case .close, .streamError: close(.client, saysSo: false, &actions)
    case .loginRequest, .loginResponse: violated(.unexpected, &actions)
    }
  }

  /// Extensions that mean nothing to the server are passed over: newer clients may have some.
  private mutating func take(_ iq: MCSIqStanza, _ actions: inout [MCSAction]) {
    do throws(MCSViolation) {
      guard let ids = try iq.selectivelyAcknowledged() else { return }
      let acknowledged = Set(ids)
      unacknowledged.removeAll { acknowledged.contains($0.persistentID) }
      settle(ids, &actions)
    } catch {
      violated(error, &actions)
    }
  }

  private mutating func acknowledge(upTo number: Int, _ actions: inout [MCSAction]) {
    let count = unacknowledged.prefix { $0.number <= number }.count
    settle(unacknowledged.prefix(count).map(\.persistentID), &actions)
    unacknowledged.removeFirst(count)
  }

  mutating func setIdle(_ saysIdle: Bool, _ actions: inout [MCSAction]) {
    guard saysIdle != isIdle else { return }
    isIdle = saysIdle
    actions.append(.setIdle(saysIdle))
  }
}
