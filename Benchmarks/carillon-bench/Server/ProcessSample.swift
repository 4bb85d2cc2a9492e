import Glibc

/// What the kernel counts for a process.
struct ProcessSample: Sendable {
  /// User and system time, seconds.
  let cpuSeconds: Double
  let residentBytes: Int

  /// - Throws: `BenchError` if there is no such process.
  init(of pid: pid_t) throws(BenchError) {
    guard let stat = Files.text("/proc/\(pid)/stat"), let statm = Files.text("/proc/\(pid)/statm"),
      // The name in parentheses may hold blanks; fields are counted behind it.
      let end = stat.lastIndex(of: ")")
    else { throw BenchError("no process \(pid)") }
    let fields = stat[stat.index(after: end)...].split(separator: " ")
    guard fields.count > 13, let user = Double(fields[11]), let system = Double(fields[12]) else {
      throw BenchError("/proc/\(pid)/stat is not understood")
    }
    cpuSeconds = (user + system) / Double(sysconf(Int32(_SC_CLK_TCK)))
    let pages = statm.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
    residentBytes = pages * sysconf(Int32(_SC_PAGESIZE))
  }
}

/// This process.
func ownPID() -> pid_t { getpid() }
