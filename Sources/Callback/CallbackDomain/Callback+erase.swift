import EventSourcing

// Lawful erasure: who the customer is and what they brought goes, the course of the callback stays.
extension Callback {
  /// The last event carries the whole state, so that replay can begin with it once the records before it are erased. It
  /// comes every time, for the same reason: an earlier one may be among the records that go.
  func erase(_ policy: CallbackPolicy, _ now: Timestamp) -> [CallbackEvent] {
    guard request != nil, !isForgotten else { return [] }
    // Nobody can be called back any more.
    let ending = status == .completed ? [] : complete(.cancelled, policy, now)
    var callback = self
    for event in ending { callback.evolve(event, at: now) }
    callback.request = request?.scrubbed
    callback.note = ""
    callback.alarmHasMoved = true
    return ending + [.erased(state: callback.stateBytes)]
  }
}

extension CallbackRequest {
  /// Service, terms, times, slot and priority stay: the service's figures still add up.
  fileprivate var scrubbed: CallbackRequest {
    var request = CallbackRequest(serviceName: serviceName, userKey: "")
    request.terms = terms
    request.desiredTime = desiredTime
    request.slot = slot
    request.priority = priority
    return request
  }
}
