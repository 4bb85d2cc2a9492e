import BenchReport
import Glibc

/// Both processes as a phase begins; `measured()` says what it took of them.
struct SidesSample: Sendable {
  private let began = ContinuousClock.now
  private let server: One?
  private let generator: One

  private struct One: Sendable {
    let pid: pid_t
    let seconds: Double
    let threads: [Int32: ThreadTime]

    init(_ pid: pid_t) throws {
      self.pid = pid
      seconds = try ProcessSample(of: pid).cpuSeconds
      threads = ProcessThreads.times(of: pid)
    }

    func used(elapsed: Double) throws -> ProcessorUse {
      let now = try One(pid)
      return ProcessorUse(
        seconds: now.seconds - seconds, elapsed: elapsed, before: threads, after: now.threads)
    }
  }

  /// - Parameter server: nil if its process is not known.
  init(server: pid_t?) throws {
    self.server = try server.map { try One($0) }
    generator = try One(ownPID())
  }

  func measured() throws -> Sides {
    let elapsed = (ContinuousClock.now - began).inSeconds
    return Sides(
      server: try server?.used(elapsed: elapsed), generator: try generator.used(elapsed: elapsed),
      plan: Pinning.plan)
  }
}
