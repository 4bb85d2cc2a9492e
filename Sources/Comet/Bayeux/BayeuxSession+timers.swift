extension BayeuxSession {
  mutating func timerElapsed(_ actions: inout [SessionAction]) {
    guard isArmed else { return }
    isArmed = false
    if held != nil {
      answerHeld(&actions)
    } else {
      end(.expired, &actions)
    }
  }

  /// The clock of the 10-second rule. Spec: GMS 4.9.
  mutating func startGrace(_ actions: inout [SessionAction]) { arm(graceMilliseconds, &actions) }

  /// Starts it unless a newer connect is held or being answered: then that one will.
  mutating func startGraceIfIdle(_ actions: inout [SessionAction]) {
    if held == nil, !isStopping, !flights.contains(where: \.carriesConnect) { startGrace(&actions) }
  }

  mutating func arm(_ milliseconds: Int, _ actions: inout [SessionAction]) {
    isArmed = true
    actions.append(.arm(milliseconds: milliseconds))
  }

  mutating func disarm(_ actions: inout [SessionAction]) {
    if !isArmed { return }
    isArmed = false
    actions.append(.disarm)
  }

  func intervalAsked(by request: ConnectRequest) -> Int {
    min(max(request.interval ?? 0, 0), settings.intervalMaximumMilliseconds)
  }

  /// The process ends, the session does not: its clients are sent off to ask again, and no clock runs out on them.
  mutating func stop(_ actions: inout [SessionAction]) {
    isStopping = true
    answerHeld(&actions)
    disarm(&actions)
    if let socket { actions.append(.sendOff(socket)) }
  }

  mutating func end(_ end: SessionEnd, _ actions: inout [SessionAction]) {
    disarm(&actions)
    isEnded = true
    held = nil
    socket = nil
    open = []
    queue = []
    flights = []
    unacknowledged = []
    writtenEarly = []
    pendingMessages = 0
    pendingBytes = 0
    actions.append(.ended(end))
  }
}
