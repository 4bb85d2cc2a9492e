import JSONEnvelope
import Journal
import SystemPackage

/// One of the journals that a command looks at.
struct JournalPlace {
  /// Nil: there is no other.
  let partition: PartitionID?
  /// Its own directory.
  let path: FilePath
  /// Where its archived segments are; nil: in `archive` in its own directory.
  let archive: FilePath?

  var reader: JournalReader { JournalReader(directory: path, archive: archive) }

  /// The same, if it is there.
  ///
  /// - Throws: `CommandFailure`, `JournalError`.
  func existing() throws -> JournalPlace {
    // A mistyped directory is not an empty journal.
    guard try reader.segmentCount() > 0 else {
      throw CommandFailure(.missingInput, "\(path) holds no segment of a journal")
    }
    return self
  }

  /// Above what is told of one of several.
  func printHeading() {
    if let partition { Console.print("partition \(partition)") }
  }

  /// The first member of what is told of one of several.
  func write(into object: inout JSONObjectWriter) {
    if let partition { object.member("partition", Int(partition.rawValue)) }
  }
}
