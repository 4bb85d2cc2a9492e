package import StandbyWire

/// How far a journal's writer has come: all before the place is on the disk, and is what it will be for ever.
package struct StandbyExtent: Sendable, Equatable {
  /// The end of a whole frame, or of a segment's header.
  package var place: StandbyPlace
  /// Of the last record before it; 0 if there is none.
  package var position: UInt64
  package var epoch: UInt32

  package init(place: StandbyPlace, position: UInt64, epoch: UInt32) {
    self.place = place
    self.position = position
    self.epoch = epoch
  }
}

/// A journal's writer, as far as standbys have to do with it.
package protocol DurableSource: Sendable {
  /// Nil while the journal is not open.
  var extent: StandbyExtent? { get }
  /// Calls `hook` with the last position whenever the extent has grown, on a thread that must not wait. To be called
  /// once, when the journal is open.
  func onDurable(_ hook: @escaping @Sendable (_ position: UInt64) -> Void)
  /// Keeps durably that somebody knows of a higher epoch than the writer's: it must not write any more. Blocks.
  func heard(of epoch: UInt32) throws
  /// Something waits for what standbys acknowledge.
  var isAwaited: Bool { get }
  /// A standby has synced all up to this position.
  func acknowledged(_ position: UInt64)
}
