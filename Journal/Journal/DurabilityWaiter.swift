/// Something that waits until the journal's durable position has passed it: a reply, an effect, a reader of state.
public protocol DurabilityWaiter: AnyObject, Sendable {
  /// Called once, in journal order, by one of the journal's threads or one that waits; must be short and must not wait.
  ///
  /// - Parameter position: the durable position; it covers the record that this was appended with.
  func becameDurable(position: UInt64)

  /// Called once in the other's place, behind all those that became durable, when the journal has failed: what it waits
  /// for may be on the disk or not, and nobody will ever know before the next start.
  func wasLost()
}
