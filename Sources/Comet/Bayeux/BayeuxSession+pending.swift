// What the session has taken and its client is not known to have: queued, on its way, unacknowledged, or written before
// something that is not.
extension BayeuxSession {
  /// How far this source has come with that; nil if nothing is of it.
  public func pendingPosition(of source: String) -> Int? {
    guard hasUndelivered else { return nil }
    var highest = writtenEarly.last { $0.mark.source == source }?.mark.position
    // Of one source later ones stand behind earlier ones.
    func note(_ events: [QueuedEvent]) {
      guard let mark = events.last(where: { $0.message.mark?.source == source })?.message.mark else { return }
      highest = max(highest ?? mark.position, mark.position)
    }
    note(queue)
    note(unacknowledged)
    for flight in flights { note(flight.events) }
    return highest
  }

  /// Whether this very message is among it.
  public func isPending(_ message: QueuedMessage) -> Bool {
    guard hasUndelivered else { return false }
    func has(_ events: [QueuedEvent]) -> Bool { events.contains { $0.message == message } }
    return has(queue) || has(unacknowledged) || flights.contains { has($0.events) }
  }
}
