import ArgumentParser
import Journal
import JournalFormat

/// `carillon journal verify`: every checksum, the order of everything, every leaf and every link of the chain.
struct VerifyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify", abstract: "Check every frame, every record and the whole hash chain.",
    discussion: "Exits with 65 and names file and offset at the first damage.")

  @OptionGroup var journal: JournalArguments
  @Option(help: "A chain hash kept from an earlier run: fails unless it is the head now or was one on the way.")
  var contains: String?

  func run() throws {
    var isContained = contains == nil
    let report = try journal.read { reader in
      try reader.walk(
        checkingHashes: true,
        frame: { frame in
          if let contains, frame.header.chainHash.description == contains.lowercased() { isContained = true }
        })
    }
    Console.print("records     \(report.records) (\(report.redactedRecords) redacted)")
    Console.print("positions   \(report.firstPosition) to \(report.lastPosition)")
    Console.print("frames      \(report.frames)")
    Console.print("segments    \(report.segments)")
    Console.print("head hash   \(report.headHash)")
    if report.tailByteCount > 0 {
      Console.print(
        "tail        \(report.tailByteCount) bytes of an unfinished write: a running server finishes it, "
          + "a start cuts it off")
    }
    guard isContained else {
      Console.remark("error: no frame of this journal has the chain hash \(contains ?? "")")
      throw ExitStatus.damagedData.exitCode
    }
    Console.print("intact")
  }
}
