import ArgumentParser

/// `carillon journal`: looks at a journal, beside a running server too; redacts it, and ends one that is damaged.
struct JournalCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "journal",
    abstract: "Verify, print, replay, redact and repair the journal; all but the last two only read.",
    discussion: ExitStatus.journalHelp,
    subcommands: [
      VerifyCommand.self, CheckpointCommand.self, KeyCommand.self, TimelineCommand.self, DiffCommand.self,
      StatsCommand.self, DumpCommand.self, ReplayCommand.self, ProveCommand.self, ExportCommand.self,
      CheckCommand.self, MonitorCommand.self, RedactCommand.self, RepairCommand.self,
    ])
}
