extension BayeuxSession {
  /// Takes the number of the last batch that the client has: what was sent up to it is delivered, what was sent later
  /// is to be sent again, under a new number. Spec: Bayeux reference, 16, ack.
  ///
  /// A connect without a number says nothing: sending again on its account would go on for ever with a client that
  /// asked for the extension and does not use it.
  mutating func acknowledge(_ number: Int?, _ actions: inout [SessionAction]) {
    guard acknowledges, let number else { return }
    if learnsBatch { learn(number, &actions) }
    let delivered = unacknowledged.filter { $0.firstBatch <= number }
    unacknowledged.removeAll { $0.firstBatch <= number }
    let requeued = queue.filter { $0.firstBatch > 0 && $0.firstBatch <= number }
    if !requeued.isEmpty { queue.removeAll { $0.firstBatch > 0 && $0.firstBatch <= number } }
    let again = unacknowledged
    unacknowledged.removeAll()
    requeue(again)
    confirm(delivered + requeued, &actions)
  }

  /// After a restart numbers go on where the client saw them, or an old number would cover a new batch; and what the
  /// number says that the client has is not sent again.
  private mutating func learn(_ number: Int, _ actions: inout [SessionAction]) {
    learnsBatch = false
    let waiting = Set(queue.compactMap { event in event.message.mark.flatMap { $0.isOfTranscript ? $0.source : nil } })
    guard let has = numbers.learn(number, waiting: waiting) else { return }
    func isKnown(_ event: QueuedEvent) -> Bool {
      guard let mark = event.message.mark else { return false }
      return mark.source == has.source && mark.position <= has.position
    }
    let known = queue.filter(isKnown)
    queue.removeAll(where: isKnown)
    confirm(known, &actions)
  }
}
