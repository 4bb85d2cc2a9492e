import ArgumentParser
import Engine
import Journal

/// `carillon journal dump`: records as JSON lines.
struct DumpCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "dump", abstract: "Print records as JSON lines, oldest first.",
    discussion: "Of a data directory with several journals one after the other; each line has a member partition then.")

  @OptionGroup var journal: JournalArguments
  @OptionGroup var filter: RecordFilter
  @OptionGroup var reveal: RevealArguments
  @Option(help: "At most this many records.") var limit: Int?

  func run() throws {
    try reporting {
      var count = 0
      try journal.each(try journal.places()) { place in
        try journal.read(place) { reader, _ in try dump(reader, of: place, &count) }
      }
    }
  }

  /// - Parameter count: records that were printed so far.
  private func dump(_ reader: JournalReader, of place: JournalPlace, _ count: inout Int) throws {
    let line = RecordLine(.carillon, mask: reveal.mask, partition: place.partition.map { Int($0.rawValue) })
    do {
      try reader.forEachRecord(from: firstPosition) { record in
        guard filter.accepts(record) else { return }
        if let limit, count >= limit { throw EnoughRead() }
        count += 1
        // Whoever reads has had enough.
        guard Console.write(line.bytes(of: record)) else { throw EnoughRead() }
      }
    } catch is EnoughRead {}
  }

  private var firstPosition: UInt64 {
    if case .position(let position) = filter.from { position } else { 1 }
  }
}
