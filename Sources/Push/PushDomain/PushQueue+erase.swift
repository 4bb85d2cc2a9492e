import EventSourcing

// Lawful erasure: the messages of some producers go, what the queue needs to go on stays.
extension PushQueue {
  /// An empty lane is reason enough: records of its producer are about to be erased, and replay has to begin with the
  /// event then.
  func erase(_ producers: Set<String>) -> [PushEvent] {
    // A producer that was forgotten may have left dead letters.
    guard
      lanes.keys.contains(where: producers.contains)
        || deadLetters.contains(where: { producers.contains($0.message.producer) })
        || mail.pending.contains(where: { producers.contains($0.scope) })
    else { return [] }
    let pushes = entries.filter { producers.contains($0.message.producer) }
      .map { ErasedPush($0.message.id, attempts: $0.message.id == inFlight ? $0.attempt : $0.failures) }
    return [.erased(pushes, state: erased(producers).stateBytes)]
  }

  /// This queue without the messages of these producers. Numbers and pauses stay: a repetition is still known, and a
  /// provider that asked for patience gets it.
  func erased(_ producers: Set<String>) -> PushQueue {
    var queue = self
    for producer in producers { queue.lanes[producer]?.entries = [] }
    queue.deadLetters.removeAll { producers.contains($0.message.producer) }
    queue.submissions.forget(producers)
    queue.mail.erase(producers)
    if let id = queue.inFlight, producers.contains(id.producer) { queue.inFlight = nil }
    queue.moveExpiryTimer()
    queue.expiryTimer.hasMoved = true
    queue.offer = Offer()
    queue.moveOffer()
    return queue
  }
}
