/// A connection, as its event loop's housekeeping sees it. Called on that event loop only.
package protocol LoopResident: AnyObject {
  /// The server's stop goes past this connection, and ends it last of all: see `OpenPort.stop`.
  var outlivesStop: Bool { get }
  /// The deadline that was set has passed; it is cleared.
  func deadlinePassed()
  /// The server stops: close now if nothing is in progress, else after it.
  func serverStops()
  /// The server has waited long enough.
  func cut()
}

extension LoopResident {
  package var outlivesStop: Bool { false }
}
