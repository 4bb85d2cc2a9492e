import Glibc
import ProcessControl

/// A program that runs to its end and prints what it found.
enum LoadTool {
  /// - Returns: what it wrote to its standard output.
  /// - Throws: `BenchError` with the end of what it said if it fails or takes longer than `limit`.
  static func run(
    _ executable: String, _ arguments: [String], in directory: WorkDirectory, atMost limit: Duration
  ) async throws -> String {
    let name = "\(directory.path)/\(UInt64.random(in: 0 ... .max))"
    let (output, errors) = (name + ".out", name + ".err")
    let child = try ChildProcess(
      executable, arguments, output: .file(output), errors: .file(errors), isBound: true)
    let status = try await child.wait(atMost: limit)
    let text = Files.text(output) ?? ""
    guard status == 0 else {
      let said = (text + (Files.text(errors) ?? "")).suffix(Limits.logTailBytes)
      throw BenchError("\(executable) \(status.map { "ended with \($0)" } ?? "took longer than \(limit)"):\n\(said)")
    }
    return text
  }

  /// Of an installed package of Debian; a dash if it is not.
  static func version(_ package: String, in directory: WorkDirectory) async -> String {
    guard let query = Programs.find("dpkg-query"),
      let text = try? await run(query, ["-W", "-f", "${Version}", package], in: directory, atMost: .seconds(10)),
      !text.isEmpty
    else { return "–" }
    return text
  }
}
