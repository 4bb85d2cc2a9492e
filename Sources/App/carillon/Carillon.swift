import ArgumentParser
// Imported to be linked: it takes the place of malloc.
import CJemalloc
import CarillonConfiguration

/// The program. Not on the main actor: a call from there to an actor costs two thread switches.
@main
struct Carillon {
  nonisolated static func main() async {
    let arguments = Array(CommandLine.arguments.dropFirst())
    do {
      if let stray = StrayWord(in: arguments, of: RootCommand.self) { throw ValidationError(stray.description) }
      var command = try await RootCommand.asyncParseAsRoot(arguments)
      if var asynchronous = command as? any AsyncParsableCommand {
        try await asynchronous.run()
      } else {
        try command.run()
      }
    } catch {
      end(error)
    }
  }

  /// Help and versions as the library prints them; whatever is wrong as every other part of the program says it.
  private static func end(_ error: any Error) -> Never {
    let code = RootCommand.exitCode(for: error)
    let text = RootCommand.fullMessage(for: error)
    guard code != .success, text.hasPrefix(libraryPrefix) else { RootCommand.exit(withError: error) }
    Console.remark("error: " + text.dropFirst(libraryPrefix.count))
    RootCommand.exit(withError: code)
  }

  private static let libraryPrefix = "Error: "
}

/// A word at the place of a subcommand that names none.
///
/// A command with a default subcommand takes such a word for an argument of that one: `carillon sevre` would be told of
/// an unexpected argument, and nobody of the commands that there are.
struct StrayWord: CustomStringConvertible {
  let word: String
  /// What stands before it, `carillon` first.
  let path: [String]
  /// The commands that might have been meant.
  let commands: [String]

  /// Nil if each word at the place of a command is one.
  init?(in arguments: [String], of root: any ParsableCommand.Type) {
    var path = ["carillon"]
    var commands = root.configuration.subcommands
    for argument in arguments {
      guard !commands.isEmpty, !argument.hasPrefix("-"), argument != "help" else { return nil }
      guard let command = commands.first(where: { Self.name($0) == argument }) else {
        self.word = argument
        self.path = path
        self.commands = commands.map(Self.name)
        return
      }
      path.append(argument)
      commands = command.configuration.subcommands
    }
    return nil
  }

  var description: String {
    let nearest = Schema.nearest(to: word, among: commands).map { "did you mean \($0)? " } ?? ""
    return "\(path.joined(separator: " ")) has no command \(word); \(nearest)There are: "
      + commands.joined(separator: ", ")
  }

  private static func name(_ command: any ParsableCommand.Type) -> String {
    command.configuration.commandName ?? "\(command)".lowercased()
  }
}
