import Glibc

/// How much of the machine others took while something was measured: a figure of a busy machine means less.
struct MachineShare: Sendable {
  private let began = ContinuousClock.now
  private let busySeconds: Double
  private let ownSeconds: Double
  private let children: [Int32]

  /// - Parameter children: processes that belong to the measurement, this one besides.
  init(with children: [Int32] = []) {
    self.children = children
    busySeconds = Self.busySeconds()
    ownSeconds = Self.seconds(of: children)
  }

  /// Such as `load 4.1, others took 38 % of 2 processors`.
  var text: String {
    let elapsed = (ContinuousClock.now - began).inSeconds
    let processors = Double(sysconf(Int32(_SC_NPROCESSORS_ONLN)))
    let others = (Self.busySeconds() - busySeconds) - (Self.seconds(of: children) - ownSeconds)
    let percent = max(0, min(100, others / max(elapsed * processors, 0.01) * 100))
    return "load \(Self.loadAverage), others took \(Int(percent.rounded())) % of \(Int(processors)) processors"
  }

  private static var loadAverage: String {
    Files.text("/proc/loadavg")?.split(separator: " ").first.map(String.init) ?? "?"
  }

  private static func busySeconds() -> Double {
    let line = Files.text("/proc/stat")?.split(separator: "\n").first?.split(separator: " ") ?? []
    // user, nice, system, then idle and waiting, then interrupts and what the host took.
    let busy = [1, 2, 3, 6, 7, 8].reduce(0.0) { $0 + (line.count > $1 ? Double(line[$1]) ?? 0 : 0) }
    return busy / Double(sysconf(Int32(_SC_CLK_TCK)))
  }

  private static func seconds(of children: [Int32]) -> Double {
    (children + [ownPID()]).reduce(0) { $0 + ((try? ProcessSample(of: $1).cpuSeconds) ?? 0) }
  }
}
