package import Bayeux
import Synchronization

/// The messages of one request or frame, with what their session's client had been written when they arrived: what was
/// written later crossed them, and a position that they state says nothing of it.
package final class ArrivedRequest: Sendable {
  package let messages: [BayeuxMessage]
  private let delivered: Mutex<[String: Int]?>

  init(_ messages: [BayeuxMessage], seen delivered: [String: Int]? = nil) {
    self.messages = messages
    self.delivered = Mutex(delivered)
  }

  /// To be called from the session's lane, in the order in which it learns of writes.
  func saw(_ delivered: [String: Int]) { self.delivered.withLock { $0 = delivered } }

  /// For each chat the last position written before; nil as long as nothing was written since, or if no position is stated.
  package var seen: [String: Int]? { delivered.withLock { $0 } }
}
