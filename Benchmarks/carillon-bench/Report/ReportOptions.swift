import ArgumentParser
import BenchReport
import SystemPackage

/// Where the figures go.
struct ReportOptions: ParsableArguments {
  @Option(name: .customLong("json"), help: "Also write the results to this file, as JSON.")
  var jsonFile: String?

  @Option(
    name: .customLong("baseline"), help: "Also write their ratios to this file, for later runs to be compared with.")
  var baselineFile: String?

  /// Measures, with the yardstick before and after; prints the table and writes the files.
  func publish(_ measure: () async throws -> [Measurement]) async throws {
    let before = ProcessorYardstick.stepsPerSecond()
    let results = try await measure()
    let rate = (before + ProcessorYardstick.stepsPerSecond()) / 2
    var report = Report(machine: Machine.description, commit: Machine.commit)
    report.add(results)
    report.add([
      Measurement(Yardstick.processor, rate, "steps/s", settings: "fixed work on one processor, before and after")
    ])
    Terminal.print(report.table)
    if let jsonFile { try Self.write(report.json + [UInt8(ascii: "\n")], to: jsonFile) }
    if let baselineFile { try Self.write(Baseline(report, date: Machine.date).json, to: baselineFile) }
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
