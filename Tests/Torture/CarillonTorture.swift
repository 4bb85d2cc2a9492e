import ArgumentParser

/// `carillon-torture`: what a disk, a power supply and an operator can do to the journal and the server, done to them.
@main
struct CarillonTorture: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "carillon-torture", abstract: "Hurt the journal and the server, and see that nothing is lost.",
    discussion: "Build with -c release. Exit code 1 if a promise was broken.",
    subcommands: [RunCommand.self, VictimCommand.self], defaultSubcommand: RunCommand.self)
}
