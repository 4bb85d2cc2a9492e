import SwiftProtobuf

/// What the client is told.
extension MCSSession {
  /// Everything up to this stanza of the client is taken care of.
  private var handledCount: Int { works.first.map { $0.number - 1 } ?? receivedCount }

  /// Writes a stanza; each acknowledges what it can. Spec: GCM D8.2, D8.7.
  mutating func write(_ stanza: MCSStanza, _ actions: inout [MCSAction]) {
    sentCount += 1
    untoldCount = 0
    actions.append(.write(stanza.acknowledging(handledCount)))
  }

  // MARK: Messages to the device

  /// However many are unacknowledged: some clients never acknowledge while they are connected. Spec: GCM D8.6.
  mutating func deliver(_ message: MCSDataMessageStanza, _ actions: inout [MCSAction]) {
    // Before the client asked for what is stored there is nothing; and of what is on its way no second copy.
    guard phase == .open, !message.hasPersistentID || !isKnown(message.persistentID) else { return }
    write(.dataMessage(message), &actions)
    guard message.hasPersistentID else { return }
    if unacknowledged.count >= limits.unacknowledgedMaximum { unacknowledged.removeFirst() }
    unacknowledged.append(Sent(number: sentCount, persistentID: message.persistentID))
  }

  private func isKnown(_ id: String) -> Bool {
    unacknowledged.contains { $0.persistentID == id } || settled.contains(id)
  }

  /// The client has these messages.
  mutating func settle(_ ids: [String], _ actions: inout [MCSAction]) {
    guard !ids.isEmpty else { return }
    settled.append(contentsOf: ids.suffix(limits.settledMaximum))
    if settled.count > limits.settledMaximum { settled.removeFirst(settled.count - limits.settledMaximum) }
    ask(.acknowledge(ids), &actions)
  }
}
