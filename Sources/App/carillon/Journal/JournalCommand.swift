import ArgumentParser

/// `carillon journal`: looks at a journal without changing it, beside a running server too.
struct JournalCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "journal", abstract: "Verify, print and replay the journal; reads only, beside a running server too.",
    subcommands: [VerifyCommand.self, DumpCommand.self, StatsCommand.self, ReplayCommand.self])
}
