import Glibc

/// What the kernel counts for a process.
struct ProcessSample: Sendable {
  /// User and system time, seconds.
  let cpuSeconds: Double
  let residentBytes: Int

  /// - Throws: `BenchError` if there is no such process.
  init(of pid: pid_t) throws(BenchError) {
    guard let stat = ProcessStat("/proc/\(pid)"), let statm = Files.text("/proc/\(pid)/statm") else {
      throw BenchError("no process \(pid)")
    }
    cpuSeconds = stat.seconds
    let pages = statm.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
    residentBytes = pages * sysconf(Int32(_SC_PAGESIZE))
  }
}

/// This process.
func ownPID() -> pid_t { getpid() }
