#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// After how long a silence the service manager takes this process for dead. Spec: `sd_watchdog_enabled(3)`.
package struct WatchdogInterval: Equatable, Sendable {
  package let limit: Duration

  /// Nil if nobody watches: not this process, or none.
  package init?(environment: [String: String], process: Int32 = getpid()) {
    guard let microseconds = environment["WATCHDOG_USEC"].flatMap({ Int64($0) }), microseconds > 0 else { return nil }
    if let watched = environment["WATCHDOG_PID"], Int32(watched) != process { return nil }
    limit = .microseconds(microseconds)
  }

  /// Between two signs of life: half of the limit, so that one may come late.
  package var pulse: Duration { limit / 2 }
}
