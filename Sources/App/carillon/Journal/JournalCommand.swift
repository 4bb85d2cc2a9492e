import ArgumentParser

/// `carillon journal`: looks at a journal, beside a running server too; redacts it, ends one that is damaged, and parts
/// with what another has not.
struct JournalCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "journal",
    abstract: "Verify, print, replay, redact, repair and rejoin the journal; all but the last three only read.",
    discussion: ExitStatus.journalHelp,
    subcommands: [
      VerifyCommand.self, CheckpointCommand.self, KeyCommand.self, TimelineCommand.self, DiffCommand.self,
      StatsCommand.self, DumpCommand.self, ReplayCommand.self, ProveCommand.self, ExportCommand.self,
      CheckCommand.self, MonitorCommand.self, RedactCommand.self, RepairCommand.self, RejoinCommand.self,
    ])
}
