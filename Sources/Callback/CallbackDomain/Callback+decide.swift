public import EventSourcing

// Which rule answers which command. The rules stand by topic in the files beside this one.
extension Callback {
  /// What comes from the service itself (alarm, end of the chat, push queue, erasure) is never refused because it comes
  /// too late: it changes nothing then.
  public func decide(_ command: CallbackCommand, now: Timestamp) throws(CallbackRejection) -> [CallbackEvent] {
    let policy = command.policy
    switch command.action {
    case .create(let request): return try create(request, policy, now)
    case .alarm: return alarm(policy, now)

    case .connect: return try connect(policy, now)
    case .snooze: return try snooze(policy, now)
    case .cancel(let note): return try cancel(note, policy, now)
    case .update(let fields, let schedule): return try update(fields, schedule, policy, now)
    case .issueKey(let key): return try issue(key)
    case .chatStarted: return try chatStarted(policy, now)
    case .chatEnded: return chatEnded(policy, now)

    case .agentAvailable(let agentID): return try agentAvailable(agentID, policy, now)
    case .agentAccepted(let agentID): return try agentAccepted(agentID, policy, now)
    case .agentReleased(let agentID): return try agentReleased(agentID)
    case .agentConnected(let agentID): return try agentConnected(agentID)
    case .agentEnded(let agentID): return try agentEnded(agentID, policy, now)
    case .agentFailed(let agentID, let reason): return try agentFailed(agentID, reason, policy, now)

    case .pushHandedOver(let number): return owedPush?.number == number ? [.pushHandedOver(number: number)] : []
    case .erase: return erase(policy, now)
    }
  }
}

// What every rule asks first, and what several of them do.
extension Callback {
  /// - Returns: what the callback began with.
  @discardableResult
  func requireOpen() throws(CallbackRejection) -> CallbackRequest {
    guard let request, !isForgotten else { throw .unknown }
    guard status != .completed else { throw .finished }
    return request
  }

  /// To `ROUTING`; an agent who was held for the customer's answer now has to come. Spec: GMS 9.4, C6.
  func route(
    _ routing: CallbackRouting, push: CallbackPush?, _ policy: CallbackPolicy, _ now: Timestamp
  ) -> [CallbackEvent] {
    guard let agentID else { return [.routed(routing, push: push)] }
    let timeout = agentHasAccepted ? policy.connectTimeout : policy.acceptTimeout
    return [.routed(routing, push: push), .agentReserved(agentID: agentID, until: now.deadline(after: timeout))]
  }

  func complete(
    _ reason: CallbackReason, note: String = "", _ policy: CallbackPolicy, _ now: Timestamp
  ) -> [CallbackEvent] {
    [.completed(reason, note: note, keptUntil: now.deadline(after: policy.keepCompleted))]
  }

  /// The next push; nil without a device, and for a callback whose time is over although its alarm has not said so yet.
  func push(_ dialog: CallbackDialog, expiry: Timestamp? = nil, _ now: Timestamp) -> CallbackPush? {
    guard request?.device != nil, expiresAt > now else { return nil }
    return CallbackPush(number: pushCount + 1, dialog: dialog, expiry: expiry)
  }

  /// The push that brings customer and agent together.
  func connectionPush(_ now: Timestamp) -> CallbackPush? {
    request.flatMap { push(.connection($0.terms), now) }
  }
}

extension Timestamp {
  /// Lies ahead even if a service's option is 0: what carries out the deadlines that have passed comes to an end.
  func deadline(after duration: Duration) -> Timestamp { advanced(by: max(duration, .milliseconds(1))) }
}
