/// Something that a service manager is told: a line of `sd_notify(3)`.
package enum ServiceNotice: Equatable, Sendable, CustomStringConvertible {
  /// The start is over, or a reload is.
  case ready
  /// The configuration is being read again, since this moment of the monotonic clock.
  case reloading(monotonicMicroseconds: UInt64)
  case stopping
  /// The process still works.
  case watchdog
  /// For people: `systemctl status` shows it.
  case status(String)
  /// The start, or the stop, may take so long from now on, whatever the unit says.
  case extendTimeout(Duration)

  /// As it goes to the socket; one line for each assignment.
  package var description: String {
    switch self {
    case .ready: "READY=1"
    case .reloading(let microseconds): "RELOADING=1\nMONOTONIC_USEC=\(microseconds)"
    case .stopping: "STOPPING=1"
    case .watchdog: "WATCHDOG=1"
    case .status(let text): "STATUS=\(String(text.map { $0.isNewline ? " " : $0 }))"
    case .extendTimeout(let duration): "EXTEND_TIMEOUT_USEC=\(duration.microseconds)"
    }
  }
}

extension Duration {
  /// Cut off to whole ones.
  var microseconds: Int64 {
    let (seconds, attoseconds) = components
    return seconds * 1_000_000 + attoseconds / 1_000_000_000_000
  }
}
