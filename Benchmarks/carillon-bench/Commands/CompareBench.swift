import ArgumentParser
import BenchReport
import ProcessControl

/// Holds two programs, or two files of figures, against each other.
struct CompareBench: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "compare", abstract: "Ratios of two programs or of two files of figures, with their bars.",
    discussion: """
      Two programs are carillon-bench of two commits, each with its server beside it: they are run in turns, so that both \
      meet the same moods of the machine, and the median of the pairs' ratios counts. Two files are what --json or \
      --baseline has written; a baseline is compared by ratios. Exits with 1 if a bar is broken: throughput, time to be \
      ready, and the server's processor time by the generator's, 0.97 of what was; memory and allocations 1.02.
      """)

  @Argument(help: "The program, or the file, of before.") var before: String
  @Argument(help: "The program, or the file, of after.") var after: String
  @Option(parsing: .upToNextOption, help: "Which measurements programs are to make.")
  var only = ["journal", "chat", "idle", "restart"]
  @Option(help: "How many pairs.") var rounds = 4

  func validate() throws {
    guard (1...50).contains(rounds), !only.isEmpty else { throw ValidationError("from 1 to 50 rounds") }
  }

  func run() async throws {
    let comparison: Comparison
    if let first = try figures(of: before), let second = try figures(of: after) {
      Terminal.print("before: \(first.conditions)\nafter:  \(second.conditions)")
      comparison = RecordedFigures.compare(first, second)
    } else {
      comparison = try await measured()
    }
    Terminal.print(comparison.table)
    if comparison.rows.isEmpty { throw BenchError("nothing can be compared") }
    if !comparison.broken.isEmpty { throw ExitCode(1) }
  }

  /// Nil if it is a program.
  private func figures(of path: String) throws -> RecordedFigures? {
    guard let bytes = Files.bytes(path, maximum: Limits.figuresBytesMaximum) else {
      throw BenchError("\(path) cannot be read")
    }
    if bytes.starts(with: [0x7F] + Array("ELF".utf8)) { return nil }
    do { return try RecordedFigures(json: bytes) } catch { throw BenchError("\(path) \(error)") }
  }

  private func measured() async throws -> Comparison {
    let directory = try WorkDirectory()
    var pairs: [(before: [Measurement], after: [Measurement])] = []
    for round in 1...rounds {
      var pair: (before: [Measurement], after: [Measurement]) = ([], [])
      for bench in only {
        Terminal.note("round \(round) of \(rounds): \(bench)")
        // Whoever comes second finds the disk at work for the first: they change places with each round.
        if round.isMultiple(of: 2) {
          pair.after += try await run(after, bench, in: directory)
          pair.before += try await run(before, bench, in: directory)
        } else {
          pair.before += try await run(before, bench, in: directory)
          pair.after += try await run(after, bench, in: directory)
        }
      }
      pairs.append(pair)
    }
    return Comparison(pairs)
  }

  private func run(_ program: String, _ bench: String, in directory: WorkDirectory) async throws -> [Measurement] {
    let (file, log) = (directory.path + "/figures.json", directory.path + "/compare.log")
    do {
      return try await BenchProgram(program).measure(
        [bench, "--json", file], file: file, output: .file(log), errors: .file(log))
    } catch {
      throw BenchError("\(error):\n\((Files.text(log) ?? "").suffix(Limits.logTailBytes))")
    }
  }
}
