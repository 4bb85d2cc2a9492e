extension BayeuxSession {
  /// Takes the number of the last batch that the client has: what was sent up to it is delivered, what was sent later
  /// is to be sent again, under a new number. Spec: Bayeux reference, 16, ack.
  ///
  /// A connect without a number says nothing: sending again on its account would go on for ever with a client that
  /// asked for the extension and does not use it.
  mutating func acknowledge(_ number: Int?, _ actions: inout [SessionAction]) {
    guard acknowledges, let number else { return }
    if learnsBatch {
      // Numbers go on where the client saw them before the restart; else an old number would cover a new batch.
      learnsBatch = false
      batch = min(max(batch, number), Self.learnedBatchMaximum)
    }
    let delivered = unacknowledged.filter { $0.firstBatch <= number }
    unacknowledged.removeAll { $0.firstBatch <= number }
    let requeued = queue.filter { $0.firstBatch > 0 && $0.firstBatch <= number }
    if !requeued.isEmpty { queue.removeAll { $0.firstBatch > 0 && $0.firstBatch <= number } }
    let again = unacknowledged
    unacknowledged.removeAll()
    requeue(again)
    confirm(delivered + requeued, &actions)
  }

  /// A client may name any number; counting on from it must not overflow, nor leave what JavaScript can count.
  private static let learnedBatchMaximum = 1 << 40
}
