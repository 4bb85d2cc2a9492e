import Backup
import Foundation
import Journal
import ProcessControl
import SystemPackage
import Testing

@testable import carillon

/// Scripts and pages depend on both.
@Suite("What operators read of backups", .timeLimit(.minutes(1)))
struct BackupCommandTests {
  struct Row: Sendable, CustomTestStringConvertible {
    let error: BackupError
    let status: Int32
    let text: String
    var testDescription: String { text }

    init(_ error: BackupError, _ status: Int32, _ text: String) {
      (self.error, self.status, self.text) = (error, status, text)
    }
  }

  @Test("each reason has its text and its exit code", arguments: Self.rows)
  func errors(row: Row) {
    let failure = CommandFailure(row.error)
    #expect(failure.text == row.text)
    #expect(failure.status.rawValue == row.status)
    #expect(ExitStatus.backupHelp.contains("\(row.status) "), "the help has it")
  }

  private static let rows = [
    Row(.cut("tokens.json is missing"), 120, "the backup is cut: tokens.json is missing; take another one"),
    Row(
      .newerFormat(2), 81,
      "the backup has format 2, which this program does not know: restore it with the newer one"),
    Row(.foreign("/b/x"), 80, "/b/x belongs to no backup: name another directory, or move it away"),
    Row(
      .otherInstance("/b"), 121, "/b holds a backup of another instance: name a directory of this one's own"),
    Row(
      .ahead(backup: 9, journal: 5), 88,
      "the backup goes up to position 9, the journal ends at 5: its newest part is gone; keep the backup, and name "
        + "another directory"),
    Row(
      .parted(position: 9), 87,
      "the journal has another history than the backup, which goes up to position 9: keep the backup, and name another "
        + "directory"),
    Row(.notEmpty("/d"), 122, "/d is not empty: name a directory that is not there, or empty that one"),
    Row(.inUse("/b"), 75, "/b is in use by another process: wait for that one"),
    Row(.noJournal("/d/journal"), 66, "/d/journal holds no segment of a journal"),
    Row(
      .restless, 69, "the directory changes faster than it is copied: nothing was finished; try again"),
    Row(
      .beyondEnd(position: 9), 124, "the backup ends at position 9: it knows nothing of what came later"),
    Row(
      .beforeBeginning, 89,
      "the backup has no beginning from which a server could start there: retention had deleted it, or no snapshot is "
        + "old enough"),
  ]

  private static let executable = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
    .appendingPathComponent("carillon")

  /// The exit code, and what was said.
  private func run(_ tool: JournalTool, _ command: String) throws -> (status: Int32, said: String) {
    let words = command.split(separator: " ").map(String.init)
    let outcome = try JournalTool.run(Self.executable, tool.expand(words))
    return (outcome.status, outcome.output + outcome.errors)
  }

  private func expect(
    _ tool: JournalTool, _ command: String, status: Int32, _ words: String,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let (found, said) = try run(tool, command)
    #expect(found == status && said.contains(words), "\(found): \(said)", sourceLocation: sourceLocation)
  }

  @Test("a backup is made, checked and restored; whatever is refused changes nothing")
  func commands() throws {
    let tool = try JournalTool()
    try tool.write(300, to: "data/journal")
    try expect(tool, "backup $data --to $kept", status: 0, "up to       position 300")
    try expect(tool, "backup --verify $kept", status: 0, "intact")
    try expect(tool, "restore --from $kept $restored --position 301", status: 124, "ends at position 300")
    #expect(try tool.contents(of: "restored").isEmpty)
    try expect(tool, "restore --from $kept $restored --position 123", status: 0, "left out    positions")
    try expect(tool, "journal verify $restored", status: 0, "intact")
    let restored = try tool.contents(of: "restored")
    try expect(tool, "restore --from $kept $restored", status: 122, "is not empty")
    #expect(try tool.contents(of: "restored") == restored)
    try expect(tool, "backup $restored --to $kept", status: 88, "its newest part is gone")
    try tool.write(40, to: "other/journal", ids: 9)
    try expect(tool, "backup $other --to $kept", status: 121, "another instance")
    try expect(tool, "backup $nothing --to $fresh", status: 66, "nothing")
    #expect(!FileManager.default.fileExists(atPath: tool.path("fresh")))
    try FileManager.default.removeItem(atPath: tool.path("kept/MANIFEST"))
    try expect(tool, "backup --verify $kept", status: 120, "has no manifest")
    try expect(tool, "restore --from $kept $again", status: 120, "has no manifest")
    #expect(try tool.contents(of: "again").isEmpty)
  }

  @Test(
    "what the commands cannot mean: 64",
    arguments: [
      "backup $data", "backup $data --to $kept --verify $kept", "backup $data --verify $kept", "restore $data",
      "restore --from $kept $data --position 1 --time 2026-02-11T08:30:05Z", "restore --from $kept $data --time noon",
    ])
  func usage(command: String) throws {
    let tool = try JournalTool()
    #expect(try run(tool, command).status == 64)
  }
}
