import ArgumentParser
import Journal
import JournalFormat

/// `carillon promote`: has a copy of a journal take the place of what it is a copy of.
struct PromoteCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "promote", abstract: "Take over with a standby's data directory: serve writes it from now on.",
    discussion: """
      The follower of that directory must have stopped. See to it that the former primary runs no more: it refuses to \
      start once it has heard of the new epoch, and not before. What it has not sent yet stays in its own directory.

      Exit codes: 0 taken over; 65 damaged; 66 no journal; 73 cannot be written; 75 in use by another process.
      """)

  @OptionGroup var journal: JournalArguments

  func run() throws {
    try reporting {
      do {
        let (old, new) = try EpochStore(directory: try journal.existingPath(), archive: journal.archivePath).promote()
        Console.print("was         a \(old.role)'s journal, of epoch \(old.own)")
        Console.print("now         a primary's, of epoch \(new.own): start it with `carillon serve`")
      } catch let error as JournalError {
        throw CommandFailure(error)
      }
    }
  }
}
