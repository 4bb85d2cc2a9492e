import ArgumentParser
import CarillonConfiguration
import Journal
import SystemPackage

/// Which journal a command is about.
struct JournalArguments: ParsableArguments {
  @Argument(help: "A data directory, or the journal's own directory; the configured one if absent.")
  var directory: String?
  @OptionGroup var configuration: ConfigurationArguments

  /// The journal's own directory.
  func path() throws -> FilePath {
    guard let directory else {
      return DataDirectory(path: FilePath(ServerSettings(try configuration.loadOrExit()).dataDirectory)).journal
    }
    let inside = DataDirectory(path: FilePath(directory)).journal
    let isDataDirectory = (try? DiskStorage().list(inside)) != nil
    return isDataDirectory ? inside : FilePath(directory)
  }

  /// Runs `body` on the journal; a journal that cannot be read ends the process with one line and its exit code.
  func read<Result>(_ body: (JournalReader) throws -> Result) throws -> Result {
    let path = try path()
    do {
      return try body(JournalReader(directory: path))
    } catch let error as JournalError {
      Console.remark("error: \(error)")
      throw ExitStatus(error).exitCode
    }
  }
}

/// Thrown inside a walk to end it early.
struct EnoughRead: Error {}
