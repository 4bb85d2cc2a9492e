import ArgumentParser
import CarillonConfiguration

/// `carillon check-config`: the configuration judged, and every push type that is enabled with what it lacks.
struct CheckConfigCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check-config", abstract: "Read the configuration as the server would, and say what is missing.",
    discussion: """
      Exits with 78 if the configuration would be refused, or if pushes of an enabled type cannot be sent because a \
      credential is missing or cannot be read. The server itself starts in the second case, and the other types work.
      """)

  @OptionGroup var arguments: ConfigurationArguments

  func run() async throws {
    let loaded = try arguments.loadOrExit()
    let providers = Providers(PushSettings(loaded))
    for one in providers.readiness(loaded) { Console.print("push \(one)") }
    let unusable = providers.unusable(loaded)
    await providers.shutdown()
    let count = loaded.sections.values.reduce(0) { $0 + $1.count }
    Console.print("\(loaded.file ?? "no file"): \(count) options set, \(loaded.warnings.count) warnings, no problems")
    guard unusable.isEmpty else {
      Console.remark("error: cannot be sent: " + Set(unusable.map(\.type)).sorted().joined(separator: ", "))
      throw ExitStatus.configuration.exitCode
    }
  }
}
