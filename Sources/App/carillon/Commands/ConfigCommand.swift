import ArgumentParser
import CarillonConfiguration
import HTTPEdge
import OptionKit

/// `carillon config`: the configuration judged, the schema printed.
struct ConfigCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "config", abstract: "Check the configuration, or list every option there is.",
    subcommands: [Check.self, Options.self])

  struct Check: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Read all sources as the server would, and report every problem.",
      discussion: """
        Says of every push type that is enabled whether it can be sent, or what it lacks. Exits with 78 if the \
        configuration would be refused, if users could not be proven as it says, or if pushes of an enabled type \
        cannot be sent because a credential is missing or cannot be read. The server itself starts in the second case, and the other types work.
        """)

    @OptionGroup var arguments: ConfigurationArguments
    @Flag(help: "Print what is set and where it comes from; secrets are left out.") var show = false

    func run() async throws {
      let loaded = try arguments.loadOrExit()
      if show {
        for (section, options) in loaded.sections.sorted(by: { $0.key < $1.key }) {
          Console.print("\(section):")
          for (option, value) in options.sorted(by: { $0.key < $1.key }) {
            let isSecret = SectionKind(section: section).flatMap { Schema.option(option, in: $0)?.isSecret } ?? true
            let origin = loaded.origins[section]?[option].map { "  # \($0)" } ?? ""
            Console.print("  \(option): \(isSecret ? "(secret)" : value)\(origin)")
          }
        }
      }
      let identity = await IdentityCheck(loaded.edge.identity, proxies: loaded.edge.proxies)
      Console.print(identity.summary)
      for obstacle in identity.obstacles { Console.remark("error: \(obstacle)") }
      let providers = Providers(PushSettings(loaded))
      for one in providers.readiness(loaded) { Console.print("push \(one)") }
      let unusable = providers.unusable(loaded)
      await providers.shutdown()
      let count = loaded.sections.values.reduce(0) { $0 + $1.count }
      Console.print("\(loaded.file ?? "no file"): \(count) options set, \(loaded.warnings.count) warnings, no problems")
      guard identity.obstacles.isEmpty else { throw ExitStatus.configuration.exitCode }
      guard unusable.isEmpty else {
        Console.remark("error: cannot be sent: " + Set(unusable.map(\.type)).sorted().joined(separator: ", "))
        throw ExitStatus.configuration.exitCode
      }
    }
  }

  struct Options: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Print every option by section, from the schema.")

    @Option(help: "Only the sections of this form, such as server or 'service.<name>'.") var section: String?

    func run() throws {
      let kinds = SectionKind.allCases.filter { section == nil || $0.form == section }
      guard !kinds.isEmpty else {
        Console.remark("error: no such section; there are " + SectionKind.allCases.map(\.form).joined(separator: ", "))
        throw ExitStatus.usage.exitCode
      }
      for kind in kinds {
        Console.print("\(kind.form):")
        for option in Schema.options(in: kind) {
          let value = option.defaultValue.map { $0.isEmpty ? "empty" : $0 } ?? "none"
          Console.print("  \(option.name)\(option.isFamily ? "*" : "")")
          Console.print("      \(option.summary)")
          Console.print("      \(option.type.summary); default: \(value); \(option.effect.rawValue)")
          if kind.form == kind.rawValue {
            Console.print("      \(EnvironmentSpelling.variable(section: kind.rawValue, option: option.name))")
          }
        }
      }
    }
  }
}
