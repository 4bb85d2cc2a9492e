import BenchReport
import Glibc

/// What the kernel counts that could hold a server up: its threads, its memory, the processors, the disks.
enum KernelCounters {
  /// - Parameter processes: by the names that their counters begin with.
  static func snapshot(of processes: [(name: String, pid: pid_t)]) -> CounterSnapshot {
    var snapshot = CounterSnapshot()
    for (name, pid) in processes { add(name, pid, to: &snapshot) }
    addPressure(to: &snapshot)
    addStolenTime(to: &snapshot)
    addDisks(to: &snapshot)
    return snapshot
  }

  private static func add(_ name: String, _ pid: pid_t, to snapshot: inout CounterSnapshot) {
    if let stat = ProcessStat("/proc/\(pid)") {
      snapshot.add("\(name) processor ms", stat.seconds * 1_000)
      snapshot.add("\(name) page faults, minor", Double(stat.minorFaults))
      snapshot.add("\(name) page faults, major", Double(stat.majorFaults))
    }
    var (voluntary, involuntary, waited) = (0.0, 0.0, 0.0)
    for thread in ProcessThreads.numbers(of: pid) {
      let path = "/proc/\(pid)/task/\(thread)"
      for line in Files.text(path + "/status")?.split(separator: "\n") ?? [] {
        if let count = number(in: line, after: "voluntary_ctxt_switches:") { voluntary += count }
        if let count = number(in: line, after: "nonvoluntary_ctxt_switches:") { involuntary += count }
      }
      // On the processor, waiting for it, and how often. Spec: sched-stats.rst.
      let times = Files.text(path + "/schedstat")?.split(separator: " ") ?? []
      if times.count == 3 { waited += (Double(times[1]) ?? 0) / 1e6 }
    }
    snapshot.add("\(name) switches, voluntary", voluntary)
    snapshot.add("\(name) switches, involuntary", involuntary)
    snapshot.add("\(name) waited for a processor ms", waited)
  }

  private static func number(in line: Substring, after name: String) -> Double? {
    guard line.hasPrefix(name) else { return nil }
    return line.dropFirst(name.count).split(whereSeparator: \.isWhitespace).first.flatMap { Double($0) }
  }

  /// How long somebody waited for a processor, for memory or for a disk. Spec: psi.rst.
  private static func addPressure(to snapshot: inout CounterSnapshot) {
    for resource in ["cpu", "memory", "io"] {
      let line = Files.text("/proc/pressure/\(resource)")?.split(separator: "\n").first ?? ""
      guard let total = line.split(separator: "=").last.flatMap({ Double($0) }) else { continue }
      snapshot.add("pressure on \(resource) ms", total / 1_000)
    }
  }

  /// What the host of a virtual machine took away.
  private static func addStolenTime(to snapshot: inout CounterSnapshot) {
    let fields = Files.text("/proc/stat")?.split(separator: "\n").first?.split(separator: " ") ?? []
    guard fields.count > 8, let stolen = Double(fields[8]) else { return }
    snapshot.add("stolen by the host ms", stolen * 1_000 / Double(sysconf(Int32(_SC_CLK_TCK))))
  }

  /// Writes and flushes of all disks together. Spec: iostats.rst, fields 5, 8, 16 and 17.
  private static func addDisks(to snapshot: inout CounterSnapshot) {
    // Whole ones only: what a partition has written its disk has written, too.
    let disks = Set(
      Files.names(in: "/sys/block").filter { name in !["loop", "ram", "zram"].contains { name.hasPrefix($0) } })
    var (writes, writing, flushes, flushing) = (0.0, 0.0, 0.0, 0.0)
    for line in Files.text("/proc/diskstats")?.split(separator: "\n") ?? [] {
      let fields = line.split(separator: " ")
      guard fields.count >= 20, disks.contains(String(fields[2])) else { continue }
      writes += Double(fields[7]) ?? 0
      writing += Double(fields[10]) ?? 0
      flushes += Double(fields[18]) ?? 0
      flushing += Double(fields[19]) ?? 0
    }
    snapshot.add("disk writes", writes)
    snapshot.add("disk write ms, mean", writing, .sum(of: "disk writes"))
    snapshot.add("disk flushes", flushes)
    snapshot.add("disk flush ms, mean", flushing, .sum(of: "disk flushes"))
  }
}
