import ArgumentParser
import Engine
import Journal

/// `carillon journal dump`: records as JSON lines.
struct DumpCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "dump", abstract: "Print records as JSON lines, oldest first.")

  @OptionGroup var journal: JournalArguments
  @OptionGroup var filter: RecordFilter
  @OptionGroup var reveal: RevealArguments
  @Option(help: "At most this many records.") var limit: Int?

  func run() throws {
    try reporting {
      try journal.read { reader, _ in try dump(reader) }
    }
  }

  private func dump(_ reader: JournalReader) throws {
    let line = RecordLine(.carillon, mask: reveal.mask)
    var count = 0
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
