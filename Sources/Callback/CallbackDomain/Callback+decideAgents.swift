import EventSourcing

// What agents, the router that chooses them, and integrations that place the calls report.
extension Callback {
  /// C4, C5.
  func agentAvailable(
    _ agentID: String, _ policy: CallbackPolicy, _ now: Timestamp
  ) throws(CallbackRejection) -> [CallbackEvent] {
    let request = try requireOpen()
    guard status == .routing || (status == .queued && snoozedUntil == nil) else { throw .wrongState(status) }
    if let held = self.agentID {
      guard held == agentID else { throw .notYours }
      return []
    }
    let offered = CallbackEvent.agentReserved(agentID: agentID, until: now.deadline(after: policy.acceptTimeout))
    let heldBack = CallbackEvent.agentReserved(agentID: agentID, until: nil)
    if status == .routing { return [offered] }
    // The agent before this one has left while the customer was thinking: the question stands.
    if confirmation != nil { return [heldBack] }
    if request.isAskedFirst { return [heldBack, ask(attempt: 1, request, policy, now)] }
    return [offered, .routed(.agentReady, push: connectionPush(now))]
  }

  /// While the customer is asked, the agent waits without a deadline.
  func agentAccepted(
    _ agentID: String, _ policy: CallbackPolicy, _ now: Timestamp
  ) throws(CallbackRejection) -> [CallbackEvent] {
    try requireHeld(agentID)
    if agentHasAccepted { return [] }
    let until = status == .queued ? nil : now.deadline(after: policy.connectTimeout)
    return [.agentAccepted(agentID: agentID, until: until)]
  }

  /// A question to the customer goes on: whoever is free when the answer comes takes it.
  func agentReleased(_ agentID: String) throws(CallbackRejection) -> [CallbackEvent] {
    try requireHeld(agentID)
    guard status != .processing else { throw .wrongState(status) }
    return [.agentReleased(agentID: agentID, .agent)]
  }

  /// C9. An integration may tell of nothing but this: then any agent will do.
  func agentConnected(_ agentID: String) throws(CallbackRejection) -> [CallbackEvent] {
    try requireOpen()
    switch status {
    case .scheduled, .completed: throw .wrongState(status)
    case .processing:
      guard self.agentID == agentID else { throw .notYours }
      return []
    case .queued, .routing:
      let connected = CallbackEvent.connected(agentID: agentID)
      guard let held = self.agentID, held != agentID else { return [connected] }
      return [.agentReleased(agentID: held, .replaced), connected]
    }
  }

  /// C11.
  func agentEnded(
    _ agentID: String, _ policy: CallbackPolicy, _ now: Timestamp
  ) throws(CallbackRejection) -> [CallbackEvent] {
    try requireHeld(agentID)
    guard status == .processing else { throw .wrongState(status) }
    return complete(.agentConnected, policy, now)
  }

  func agentFailed(
    _ agentID: String, _ reason: CallbackReason, _ policy: CallbackPolicy, _ now: Timestamp
  ) throws(CallbackRejection) -> [CallbackEvent] {
    try requireHeld(agentID)
    guard reason.isReportable else {
      throw .invalid(field: "reason", reason: "\(reason.name) is not the agent's to report")
    }
    return complete(reason, policy, now)
  }

  private func requireHeld(_ agentID: String) throws(CallbackRejection) {
    try requireOpen()
    guard self.agentID == agentID else { throw .notYours }
  }
}
