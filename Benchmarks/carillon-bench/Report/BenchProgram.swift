import BenchReport
import ProcessControl

/// `carillon-bench` as a program that this one runs: of another commit, or of this one in a process of its own.
struct BenchProgram {
  private let path: String

  init(_ path: String) { self.path = path }

  /// Runs it to its end.
  /// - Parameter file: where the arguments tell it to leave its figures.
  func measure(
    _ arguments: [String], file: String, output: ChildStream, errors: ChildStream
  ) async throws -> [Measurement] {
    let status = try await ChildProcess(path, arguments, output: output, errors: errors, isBound: true).ended()
    guard status == 0, let bytes = Files.bytes(file, maximum: Limits.figuresBytesMaximum) else {
      throw BenchError("\(path) \(arguments.first ?? "") ended with \(status)")
    }
    do { return try Report(json: bytes).results } catch { throw BenchError("\(file) \(error)") }
  }
}
