import ArgumentParser
import CarillonConfiguration
import Engine
import EntityRuntime
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
  @Option(help: "Of a data directory with several journals, the one with this number, from 0 on; if absent, all.")
  var partition: Int?
  @OptionGroup var configuration: ConfigurationArguments
  @OptionGroup var progress: ProgressArguments

  /// What was named, or is configured.
  func dataDirectory() throws -> DataDirectory {
    DataDirectory(
      path: FilePath(try directory ?? ServerSettings(try configuration.loadOrExit()).dataDirectory),
      archive: archivePath)
  }

  /// The journals: one, or of a data directory with several all in their order, or the one that was named.
  ///
  /// - Throws: `CommandFailure`.
  func places() throws -> [JournalPlace] {
    let data = try dataDirectory()
    let layout = try data.layout()
    guard layout.hasSeveral else {
      guard partition == nil else {
        throw CommandFailure(
          .usage, "--partition is for a data directory with several journals, and \(data.path) has one")
      }
      let path = try directory.map { try Self.journal(in: $0) } ?? layout.journal(of: .first, in: data.path)
      return [JournalPlace(partition: nil, path: path, archive: data.archive)]
    }
    let places = layout.partitions.map { id in
      JournalPlace(
        partition: id, path: layout.journal(of: id, in: data.path),
        archive: layout.archive(of: id, below: data.archive))
    }
    guard let partition else { return places }
    guard places.indices.contains(partition) else {
      throw CommandFailure(
        .missingInput, "\(data.path) has the partitions 0 to \(layout.count - 1), and no \(partition)")
    }
    return [places[partition]]
  }

  /// The journal of a command that is about one.
  ///
  /// - Throws: `CommandFailure` if there are several, and none was named.
  func place() throws -> JournalPlace {
    let places = try places()
    guard places.count == 1 else {
      throw CommandFailure(
        .severalPartitions,
        "\(try dataDirectory().path) has \(places.count) partitions, and this looks at one journal: name it by "
          + "--partition")
    }
    return places[0]
  }

  /// The journal in which an entity lies, of a kind that is known.
  func place(of entity: EntityID) throws -> JournalPlace {
    let places = try places()
    guard places.count > 1 else { return places[0] }
    return places[Placement(try dataDirectory().layout()).partition(of: entity, in: .carillon)]
  }

  /// The journal's own directory.
  func path() throws -> FilePath { try place().path }

  /// The journal's own directory, of a data directory with one or by itself.
  ///
  /// - Throws: `CommandFailure` if there are several.
  static func journal(in directory: String) throws(CommandFailure) -> FilePath {
    let inside = try DataDirectory(path: FilePath(directory)).onlyJournal()
    let isDataDirectory = (try? DiskStorage().list(inside)) != nil
    return isDataDirectory ? inside : FilePath(directory)
  }

  /// The journal's own directory, of a journal that is there, and that is all of its data directory.
  ///
  /// - Throws: `CommandFailure`, `JournalError`.
  func existingPath() throws -> FilePath {
    let data = try dataDirectory()
    try data.requireWhole()
    _ = try data.onlyJournal()
    return try place().existing().path
  }

  var archivePath: FilePath? { archive.map { FilePath($0) } }

  /// The index of its records, which need not be there.
  func index() throws -> RecordIndex {
    let place = try place()
    return RecordIndex(directory: place.path, archive: place.archive)
  }

  /// Runs `body` on the one journal; see `read(_:)` of a place.
  func read<Result>(_ body: (JournalReader, inout ProgressLine) throws -> Result) throws -> Result {
    try read(try place(), body)
  }

  /// Runs `body` on each of several journals, also if something is wrong with one of them.
  ///
  /// - Throws: the first failure, once all were looked at.
  func each(_ places: [JournalPlace], _ body: (JournalPlace) throws -> Void) throws {
    var first: CommandFailure?
    for place in places {
      do {
        try body(place)
      } catch let failure as CommandFailure {
        guard let partition = place.partition else { throw failure }
        let named = CommandFailure(failure.status, "partition \(partition): \(failure.text)")
        if first != nil { Console.remark("error: \(named.text)") }
        first = first ?? named
      }
    }
    if let first { throw first }
  }

  /// Runs `body` on a journal; one that cannot be read ends the process with one line and its exit code.
  func read<Result>(
    _ place: JournalPlace, _ body: (JournalReader, inout ProgressLine) throws -> Result
  ) throws -> Result {
    do {
      let reader = try place.existing().reader
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
