import ArgumentParser
import SystemPackage

/// Where the figures go.
struct ReportOptions: ParsableArguments {
  @Option(name: .customLong("json"), help: "Also write the results to this file, as JSON.")
  var jsonFile: String?

  /// Prints the table and writes the file.
  func publish(_ report: Report) throws {
    Terminal.print(report.table)
    guard let jsonFile else { return }
    let file = try FileDescriptor.open(
      FilePath(jsonFile), .writeOnly, options: [.create, .truncate],
      permissions: [.ownerReadWrite, .groupRead, .otherRead])
    try file.closeAfter { _ = try file.writeAll(report.json + [UInt8(ascii: "\n")]) }
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
