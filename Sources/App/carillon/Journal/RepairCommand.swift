import ArgumentParser
import Journal

/// `carillon journal repair`: says where the good part of a damaged journal ends, and with `--truncate` ends it there.
struct RepairCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "repair",
    abstract: "Say where the good part of a damaged journal ends; with --truncate, end it there.",
    discussion: """
      Put the journal back from a copy if there is one: what stands behind the good part is given up, also what was \
      acknowledged. It is kept aside, in files whose names end in .cut, and so are snapshots that were taken behind the \
      new end. Without --truncate nothing is changed, and the exit code says what is wrong. The server must be stopped.
      """)

  @OptionGroup var journal: JournalArguments
  @Flag(help: "End the journal where its good part ends, and keep the rest aside.") var truncate = false

  func run() throws {
    try reporting {
      try journal.each(try journal.places()) { place in
        do {
          place.printHeading()
          try repair(try place.existing())
        } catch let error as JournalError {
          throw CommandFailure(error)
        }
      }
    }
  }

  private func repair(_ place: JournalPlace) throws {
    let repair = JournalRepair(directory: place.path, archive: place.archive)
    guard truncate else { return try examine(repair) }
    guard let (finding, kept) = try repair.truncate() else { return Console.print("intact: nothing was changed") }
    Console.print("was wrong   \(finding.error)")
    Console.print(
      "now ends    at position \(finding.lastPosition); a checkpoint made behind it does not verify any more")
    for file in kept { Console.print("kept aside  \(file)") }
  }

  private func examine(_ repair: JournalRepair) throws {
    guard let finding = try repair.examine() else { return Console.print("intact") }
    Console.print("would end   at position \(finding.lastPosition)")
    if let cut = finding.cut {
      Console.print("would cut   \(cut.byteCount) bytes off \(cut.file), from offset \(cut.offset) on")
    }
    for file in finding.setAside { Console.print("would move  \(file) aside") }
    throw CommandFailure(finding.error)
  }
}
