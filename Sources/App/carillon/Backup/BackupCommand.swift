import ArgumentParser
import Backup
import CarillonConfiguration
import EntityRuntime
import EventSourcing
import Journal
import JournalFormat
import SystemPackage

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// `carillon backup`: a copy of a data directory, beside its running server.
struct BackupCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "backup", abstract: "Copy a data directory, beside its running server or without one.",
    discussion: """
      All that was acknowledged before the command ends is in the backup, up to the position that it names. Into a \
      directory that holds an earlier backup only what is new is copied; the earlier one is whole until the new one is. \
      `--to -` writes one stream that tar reads. A backup holds tokens: keep it as you keep the data directory.

      \(ExitStatus.backupHelp)
      """)

  @Argument(help: "The data directory; the configured one if absent.") var directory: String?
  @Option(help: "The directory of the backup, or - for standard output.") var to: String?
  @Option(help: "Check the backup in this directory: every file, the whole chain.") var verify: String?
  @Option(
    parsing: .upToNextOption,
    help: "Say which of the backups in these directories still hold what was erased from the data directory since.")
  var holds: [String] = []
  @Option(help: "Where the archived segments are; `archive` in the journal's own directory if absent.")
  var archive: String?
  @OptionGroup var arguments: ConfigurationArguments

  func validate() throws {
    guard [to != nil, verify != nil, !holds.isEmpty].filter({ $0 }).count == 1 else {
      throw ValidationError("Give one of --to DIR, --to -, --verify DIR and --holds DIR ….")
    }
    if verify != nil, directory != nil { throw ValidationError("--verify needs no data directory.") }
  }

  func run() throws {
    // What is copied holds secrets, whatever it is called.
    umask(0o077)
    try reporting {
      try reportingBackup {
        if let verify {
          try check(FilePath(verify))
        } else if let to {
          try copy(to)
        } else {
          try search()
        }
      }
    }
  }

  private func data() throws -> FilePath {
    let data = FilePath(try directory ?? ServerSettings(try arguments.loadOrExit()).dataDirectory)
    // Before anything is made: a name that is wrong leaves no directory behind.
    _ = try DiskStorage().list(try DataDirectory(path: data, archive: archivePath).onlyJournal())
    return data
  }

  private var archivePath: FilePath? { archive.map { FilePath($0) } }

  private func copy(_ place: String) throws {
    let (data, clock) = (try data(), { SystemTime().now.milliseconds })
    if place == "-" {
      let stream = try BackupStream { bytes in
        guard Console.write(bytes) else { throw CommandFailure(.dataDirectory, "nobody reads the stream to its end") }
      }
      var maker = BackupMaker(data, archive: archivePath, into: stream, version: Version.current, now: clock)
      // Standard output is taken.
      for line in lines(of: try maker.run()) { Console.remark(line) }
    } else {
      let folder = try BackupFolder(FilePath(place))
      var maker = BackupMaker(data, archive: archivePath, into: folder, version: Version.current, now: clock)
      for line in lines(of: try maker.run()) { Console.print(line) }
    }
  }

  private func lines(of report: BackupMaker.Report) -> [String] {
    let manifest = report.manifest
    return [
      "up to       position \(manifest.end.position), chain hash \(manifest.end.chainHash)",
      "files       \(manifest.files.count), \(manifest.byteCount) bytes",
      "copied      \(report.copiedCount), \(report.copiedByteCount) bytes",
      "made        \(Timestamp(milliseconds: manifest.madeAt).iso8601)",
    ]
  }

  private func check(_ path: FilePath) throws {
    let backup = try KeptBackup(path)
    let report = try backup.verify()
    Console.print("up to       position \(report.lastPosition), chain hash \(report.headHash)")
    Console.print("files       \(backup.manifest.files.count), \(backup.manifest.byteCount) bytes")
    Console.print("made        \(Timestamp(milliseconds: backup.manifest.madeAt).iso8601) by \(backup.manifest.madeBy)")
    Console.print("intact")
  }

  private func search() throws {
    let reader = JournalReader(directory: try data().appending("journal"), archive: archivePath)
    var isHeld = false
    for path in holds {
      let backup = try KeptBackup(FilePath(path))
      let count = try backup.recordsErased(in: reader)
      guard count > 0 else {
        Console.print("\(path): nothing that was erased since")
        continue
      }
      isHeld = true
      Console.print("\(path): \(count) records that were erased since")
      try reader.forEachRecord(from: backup.manifest.end.position + 1) { record in
        guard record.kind == EntityKind.redactionLog.rawValue, !record.isRedacted else { return }
        let time = Timestamp(milliseconds: record.timeMilliseconds).iso8601
        Console.print("  erased    \(time), position \(record.position)")
      }
    }
    guard isHeld else { return }
    throw CommandFailure(.holdsErased, "these backups hold what was erased: delete them, or take them anew")
  }
}
