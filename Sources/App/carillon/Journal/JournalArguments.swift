import ArgumentParser
import CarillonConfiguration
import EventSourcing
import Journal
import SystemPackage

/// Which journal a command is about.
struct JournalArguments: ParsableArguments {
  @Argument(
    help: "A data directory, the journal's own directory, or an archive by itself; the configured one if absent.")
  var directory: String?
  @Option(help: "Where the archived segments are; `archive` in the journal's own directory if absent.")
  var archive: String?
  @OptionGroup var configuration: ConfigurationArguments
  @OptionGroup var progress: ProgressArguments

  /// What was named, or is configured.
  func dataDirectory() throws -> DataDirectory {
    DataDirectory(
      path: FilePath(try directory ?? ServerSettings(try configuration.loadOrExit()).dataDirectory),
      archive: archivePath)
  }

  /// The journal's own directory.
  func path() throws -> FilePath {
    guard let directory else { return try dataDirectory().onlyJournal() }
    return try Self.journal(in: directory)
  }

  /// The journal's own directory, of a data directory with one or by itself.
  ///
  /// - Throws: `CommandFailure` if there are several.
  static func journal(in directory: String) throws(CommandFailure) -> FilePath {
    let inside = try DataDirectory(path: FilePath(directory)).onlyJournal()
    let isDataDirectory = (try? DiskStorage().list(inside)) != nil
    return isDataDirectory ? inside : FilePath(directory)
  }

  /// The same, of a journal that is there.
  ///
  /// - Throws: `CommandFailure`, `JournalError`.
  func existingPath() throws -> FilePath {
    let path = try path()
    // A mistyped directory is not an empty journal.
    guard try JournalReader(directory: path, archive: archivePath).segmentCount() > 0 else {
      throw CommandFailure(.missingInput, "\(path) holds no segment of a journal")
    }
    return path
  }

  var archivePath: FilePath? { archive.map { FilePath($0) } }

  /// The index of its records, which need not be there.
  func index() throws -> RecordIndex {
    RecordIndex(directory: try path(), archive: archivePath)
  }

  /// Runs `body` on the journal; a journal that cannot be read ends the process with one line and its exit code.
  func read<Result>(_ body: (JournalReader, inout ProgressLine) throws -> Result) throws -> Result {
    do {
      let reader = JournalReader(directory: try existingPath(), archive: archivePath)
      var line = progress.line(segmentCount: try reader.segmentCount())
      defer { line.end() }
      return try body(reader, &line)
    } catch let error as JournalError {
      throw CommandFailure(error)
    } catch let error as SnapshotError {
      throw CommandFailure(error)
    } catch let error as TreeError {
      throw CommandFailure(error)
    }
  }
}

/// Thrown inside a walk to end it early.
struct EnoughRead: Error {}
