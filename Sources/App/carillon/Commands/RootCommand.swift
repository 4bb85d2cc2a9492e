import ArgumentParser

/// `carillon`: serves, unless a subcommand says otherwise.
struct RootCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "carillon",
    abstract: "A self-hosted server for chats and pushes that survive the app's background, and its own kill.",
    version: "carillon \(Version.current)",
    subcommands: [
      ServeCommand.self, JournalCommand.self, TokenCommand.self, ConfigCommand.self, HealthCommand.self,
      PushCommand.self, MessagesCommand.self, DeviceCommand.self, WitnessCommand.self, StandbyCommand.self,
      PromoteCommand.self, BackupCommand.self, RestoreCommand.self, DemoCommand.self,
    ],
    defaultSubcommand: ServeCommand.self)
}
