import Glibc

/// The `stat` file of a process, or of one of its threads. Spec: proc_pid_stat(5).
struct ProcessStat {
  let name: String
  /// User and system time.
  let seconds: Double
  let minorFaults: Int
  let majorFaults: Int

  /// - Parameter path: `/proc/PID`, or `/proc/PID/task/TID`; nil if there is nothing that is understood.
  init?(_ path: String) {
    // The name in parentheses may hold blanks; fields are counted behind it.
    guard let stat = Files.text(path + "/stat"), let begin = stat.firstIndex(of: "("), let end = stat.lastIndex(of: ")")
    else { return nil }
    let fields = stat[stat.index(after: end)...].split(separator: " ")
    guard fields.count > 13, let minor = Int(fields[7]), let major = Int(fields[9]), let user = Double(fields[11]),
      let system = Double(fields[12])
    else { return nil }
    name = String(stat[stat.index(after: begin)..<end])
    seconds = (user + system) / Double(sysconf(Int32(_SC_CLK_TCK)))
    (minorFaults, majorFaults) = (minor, major)
  }
}
