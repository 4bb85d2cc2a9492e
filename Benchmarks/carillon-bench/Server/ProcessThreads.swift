import BenchReport
import Glibc

/// The threads of a process, as the kernel shows them.
enum ProcessThreads {
  /// Their numbers; those that come or go meanwhile may be among them or not.
  static func numbers(of pid: pid_t) -> [pid_t] { Files.names(in: "/proc/\(pid)/task").compactMap { pid_t($0) } }

  static func times(of pid: pid_t) -> [Int32: ThreadTime] {
    var times: [Int32: ThreadTime] = [:]
    for number in numbers(of: pid) {
      if let stat = ProcessStat("/proc/\(pid)/task/\(number)") { times[number] = ThreadTime(stat.name, stat.seconds) }
    }
    return times
  }
}
