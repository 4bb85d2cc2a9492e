import ArgumentParser
import BenchReport
import ProcessControl
import SystemPackage

/// How often it is measured, and where the figures go.
struct ReportOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "How many rounds, each in a process of its own.",
      discussion: "Of each figure the median is reported, with the least and the greatest."))
  var rounds = 1

  @Option(name: .customLong("json"), help: "Also write the results to this file, as JSON.")
  var jsonFile: String?

  @Option(
    name: .customLong("baseline"), help: "Also write their ratios to this file, for later runs to be compared with.")
  var baselineFile: String?

  /// Given to the processes of rounds: where their figures go, and nowhere else.
  @Option(name: .customLong("round-file"), help: .hidden)
  var roundFile: String?

  func validate() throws {
    guard (1...50).contains(rounds) else { throw ValidationError("from 1 to 50 rounds") }
  }

  private static var arguments: [String] { Array(CommandLine.arguments.dropFirst()) }

  /// Measures, prints the table and writes the files.
  /// - Parameter written: what else becomes of the report, if this is not one round of several.
  func publish(
    _ measure: () async throws -> [Measurement], written: (Report) throws -> Void = { _ in }
  ) async throws {
    try Files.prepare([jsonFile, baselineFile].compactMap(\.self))
    let isOneOfRounds = roundFile != nil
    let results = rounds > 1 && !isOneOfRounds ? try await inRounds() : try await Self.withYardstick(measure)
    var report = Report(
      machine: Machine.description, commit: Machine.commit, kernel: Machine.kernel, date: Machine.date,
      arguments: Self.arguments)
    report.add(results)
    if let roundFile { return try Self.write(report.json, to: roundFile) }
    Terminal.print(report.table)
    if let jsonFile { try Self.write(report.json + [UInt8(ascii: "\n")], to: jsonFile) }
    if let baselineFile { try Self.write(Baseline(report, date: report.date).json, to: baselineFile) }
    try written(report)
  }

  /// With the yardstick before and after.
  private static func withYardstick(_ measure: () async throws -> [Measurement]) async throws -> [Measurement] {
    let before = ProcessorYardstick.stepsPerSecond()
    let results = try await measure()
    let rate = (before + ProcessorYardstick.stepsPerSecond()) / 2
    return results + [
      Measurement(Yardstick.processor, rate, "steps/s", settings: "fixed work on one processor, before and after")
    ]
  }

  /// This program again and again: what it measures of its own memory is that of a fresh process each time.
  private func inRounds() async throws -> [Measurement] {
    let directory = try WorkDirectory()
    var figures: [[Measurement]] = []
    for round in 1...rounds {
      Terminal.note("round \(round) of \(rounds)")
      let file = "\(directory.path)/round-\(round).json"
      figures.append(
        try await BenchProgram("/proc/self/exe").measure(
          Self.arguments + ["--round-file", file], file: file, output: .nothing, errors: .inherited))
    }
    return Rounds.medians(figures)
  }

  private static func write(_ bytes: [UInt8], to path: String) throws {
    let file = try FileDescriptor.open(
      FilePath(path), .writeOnly, options: [.create, .truncate],
      permissions: [.ownerReadWrite, .groupRead, .otherRead])
    try file.closeAfter { _ = try file.writeAll(bytes) }
  }
}

/// Results on standard output, progress on standard error.
enum Terminal {
  static func print(_ text: String) { write(text, to: .standardOutput) }
  static func note(_ text: String) { write(text, to: .standardError) }

  private static func write(_ text: String, to descriptor: FileDescriptor) {
    // A reader that has gone away is no reason to stop measuring.
    _ = try? descriptor.writeAll((text + "\n").utf8)
  }
}
