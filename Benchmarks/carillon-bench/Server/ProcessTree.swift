import Glibc
import PeerFormats

/// Programs with all the processes that they have made.
enum ProcessTree {
  /// User and system time of these and of all below them, seconds.
  static func cpuSeconds(of roots: [pid_t]) -> Double {
    Double(ProcessKin.ticks(of: roots, among: all())) / Double(sysconf(Int32(_SC_CLK_TCK)))
  }

  private static func all() -> [pid_t: ProcessKin] {
    var found: [pid_t: ProcessKin] = [:]
    for pid in Files.names(in: "/proc").compactMap({ pid_t($0) }) {
      // It may have ended since.
      if let text = Files.text("/proc/\(pid)/stat") { found[pid] = ProcessKin(text) }
    }
    return found
  }
}
