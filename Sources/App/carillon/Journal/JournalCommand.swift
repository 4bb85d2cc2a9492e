import ArgumentParser

/// `carillon journal`: looks at a journal without changing it, beside a running server too.
struct JournalCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "journal",
    abstract: "Verify, print, replay and redact the journal; all but redact only read, beside a running server too.",
    discussion: ExitStatus.journalHelp,
    subcommands: [
      VerifyCommand.self, CheckpointCommand.self, KeyCommand.self, TimelineCommand.self, DiffCommand.self,
      StatsCommand.self, DumpCommand.self, ReplayCommand.self, RedactCommand.self,
    ])
}
