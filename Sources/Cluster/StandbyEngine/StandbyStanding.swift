package import StandbyWire

/// A standby, as operators see it.
package struct StandbyStanding: Sendable, Equatable {
  package var name: StandbyName
  /// Its stream is open.
  package var isConnected: Bool
  /// When that began or ended, in monotonic milliseconds.
  package var since: Int64
  /// The last position that is on its disk; nil as long as it has said nothing.
  package var acknowledged: UInt64?
  /// Records on the primary's disk that it has not acknowledged; nil as long as it has said nothing.
  package var recordsBehind: UInt64?
  /// For how long the oldest of them has been there.
  package var millisecondsBehind: Int64
}
