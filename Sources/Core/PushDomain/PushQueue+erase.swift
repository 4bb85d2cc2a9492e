import EventSourcing

// Lawful erasure: the messages of some producers go, what the queue needs to go on stays.
extension PushQueue {
  /// An empty lane is reason enough: records of its producer are about to be erased, and replay has to begin with the
  /// event then.
  func erase(_ producers: Set<String>) -> [PushEvent] {
    let lanes = lanes.filter { producers.contains($0.key) }
    guard !lanes.isEmpty else { return [] }
    let pushes = lanes.values.flatMap { lane in lane.entries.map { (lane: lane, entry: $0) } }
      .sorted { $0.entry.arrival < $1.entry.arrival }
      .map { lane, entry in
        let isInFlight = lane.inFlight?.arrival == entry.arrival && !isUnregistered
        return ErasedPush(entry.message.id, attempts: isInFlight ? entry.attempt : entry.failures)
      }
    return [.erased(pushes, state: erased(producers).stateBytes)]
  }

  /// This queue without the messages of these producers. Numbers and pauses stay: a repetition is still known, and a
  /// provider that asked for patience gets it.
  func erased(_ producers: Set<String>) -> PushQueue {
    var queue = self
    for producer in producers { queue.lanes[producer]?.entries = [] }
    queue.moveExpiryTimer()
    queue.expiryTimer.hasMoved = true
    return queue
  }
}
