import Foundation
import NIOPosix
import ProcessControl
import Testing

/// The commands of evidence, as their users start them. One at a time: each has processes and servers of its own.
@Suite("The commands of evidence", .serialized)
enum EvidenceCommands {}

/// The built program and a folder of its own, for which a `$` at the beginning of an argument stands.
final class EvidenceTool: Sendable {
  let folder: URL
  private static let executable = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
    .appendingPathComponent("carillon").path
  private static let script = URL(filePath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "Journal/Evidence/check-proof.py").path

  init() throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "carillon-evidence-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  struct Outcome {
    let status: Int32
    let output: String
    let errors: String
  }

  func path(_ name: String) -> String { folder.appending(path: name).path }

  func write(_ bytes: [UInt8], to name: String) throws { try Data(bytes).write(to: folder.appending(path: name)) }
  func write(_ text: String, to name: String) throws { try write(Array(text.utf8), to: name) }
  func read(_ name: String) -> String { (try? String(contentsOf: folder.appending(path: name), encoding: .utf8)) ?? "" }

  func run(_ arguments: String...) async throws -> Outcome { try await run(arguments) }
  func run(_ arguments: [String]) async throws -> Outcome { try await run(Self.executable, expand(arguments)) }

  /// What strangers check with.
  func runScript(_ arguments: String...) async throws -> Outcome {
    try await run("/usr/bin/env", ["python3", Self.script] + expand(arguments))
  }

  /// Waits on a thread that no server of the same test needs.
  private func run(_ executable: String, _ arguments: [String]) async throws -> Outcome {
    let outcome = try await NIOThreadPool.singleton.runIfActive { try ChildProcess.run(executable, arguments) }
    return Outcome(
      status: outcome.status, output: String(decoding: outcome.output, as: UTF8.self),
      errors: String(decoding: outcome.errors, as: UTF8.self))
  }

  /// Starts a command that goes on; what it says goes into two files.
  func start(_ arguments: String..., output: String, errors: String) throws -> ChildProcess {
    try ChildProcess(
      Self.executable, expand(arguments), output: .file(path(output)), errors: .file(path(errors)), isBound: true)
  }

  /// Waits until a file has a line that begins so, and gives what stands behind it.
  func line(_ prefix: String, in name: String) async throws -> String {
    while true {
      let lines = read(name).split(separator: "\n", omittingEmptySubsequences: false).dropLast()
      if let line = lines.last(where: { $0.hasPrefix(prefix) }) { return String(line.dropFirst(prefix.count)) }
      try await Task.sleep(for: .milliseconds(20))
    }
  }

  private func expand(_ arguments: [String]) -> [String] {
    arguments.map { $0.hasPrefix("$") ? path(String($0.dropFirst())) : $0 }
  }
}
