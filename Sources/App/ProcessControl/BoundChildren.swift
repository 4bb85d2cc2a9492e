import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Programs that end with this one when Ctrl-C or its kind ends it: few, and read by a signal handler, hence fixed slots.
enum BoundChildren {
  private final class Slot: Sendable {
    let pid = Atomic<Int32>(0)
    let signal = Atomic<Int32>(SIGKILL)
  }

  private static let slots = (0..<8).map { _ in Slot() }

  /// - Parameter signal: what ends it; one that has processes of its own ends them only if it is asked.
  static func add(_ pid: pid_t, endedBy signal: Int32) {
    for slot in slots where slot.pid.compareExchange(expected: 0, desired: pid, ordering: .relaxed).exchanged {
      return slot.signal.store(signal, ordering: .relaxed)
    }
  }

  static func remove(_ pid: pid_t) {
    for slot in slots where slot.pid.load(ordering: .relaxed) == pid {
      slot.signal.store(SIGKILL, ordering: .relaxed)
      slot.pid.store(0, ordering: .relaxed)
    }
  }

  /// They exit with 128 and the signal's number, as a shell would say it.
  static let installSignalHandlers: Void = {
    // Made before a handler could need them.
    _ = slots
    for number in [SIGINT, SIGTERM, SIGHUP] {
      signal(number) { number in
        // Only what a signal handler may call.
        for slot in slots {
          let child = slot.pid.load(ordering: .relaxed)
          if child > 0 { _ = kill(child, slot.signal.load(ordering: .relaxed)) }
        }
        _exit(128 + number)
      }
    }
  }()
}
