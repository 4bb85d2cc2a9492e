import BenchReport
import Glibc
import ProcessControl

/// Processes on processors of their own, where `taskset` puts them.
enum Pinning {
  /// Set while something is measured with `--cores`: servers that are started meanwhile keep to it.
  @TaskLocal static var plan: CorePlan?

  /// Runs `work` with this process on the generator's processors, and the servers that it starts on the server's.
  static func during<Result>(_ plan: CorePlan?, _ work: () async throws -> Result) async throws -> Result {
    guard let plan else { return try await work() }
    try pin(ownPID(), to: plan.generator)
    return try await $plan.withValue(plan) { try await work() }
  }

  /// Puts all threads of a process on these processors; threads that it begins later stay with those that begin them.
  static func pin(_ pid: pid_t, to processors: [Int]) throws {
    let outcome = try ChildProcess.run(
      try taskset(), ["--all-tasks", "--cpu-list", "--pid", list(processors), "\(pid)"])
    guard outcome.status == 0 else {
      throw BenchError("process \(pid) was not pinned: \(String(decoding: outcome.errors, as: UTF8.self))")
    }
  }

  /// A server's command line, such that all threads that it will ever have are where they belong.
  static func ofServer(_ command: [String]) throws -> [String] {
    guard let plan else { return command }
    // It becomes the server: the process is the same.
    return [try taskset(), "--cpu-list", list(plan.server)] + command
  }

  private static func taskset() throws -> String { try Programs.require("taskset", package: "util-linux") }

  private static func list(_ processors: [Int]) -> String { processors.map(String.init).joined(separator: ",") }
}
