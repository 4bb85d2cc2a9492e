/// What a Comet session knows of how far its client has come, beside what its record says.
package struct DeliveryProgress {
  /// How often in a row the same is sent again because the app names the same position.
  static let repeatsMaximum = 3
  /// Connections kept in mind; beyond it the oldest is taken for good.
  static let carriersMaximum = 4
  /// Connections asked for one request.
  package static let askedMaximum = 16

  /// The connections that brought what the client has not confirmed.
  var carriers: [any CometSink] = []
  /// What the app said it has of each chat before the session was the chat's.
  var stated: [String: Int] = [:]
  private var repeated: [String: (position: Int, count: Int)] = [:]

  mutating func carry(over sink: any CometSink) {
    guard !carriers.contains(where: { $0 === sink }) else { return }
    if carriers.count >= Self.carriersMaximum { carriers.removeFirst() }
    carriers.append(sink)
  }

  /// Whether what follows `position` is sent again. It is not once it was sent so often in vain.
  mutating func repeats(_ chat: String, after position: Int, written: Int) -> Bool {
    guard position < written else {
      repeated[chat] = nil
      return false
    }
    let count = repeated[chat].map { $0.position == position ? $0.count : 0 } ?? 0
    guard count < Self.repeatsMaximum else { return false }
    repeated[chat] = (position, count + 1)
    return true
  }
}
