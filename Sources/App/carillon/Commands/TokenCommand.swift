public import ArgumentParser
import CarillonConfiguration
public import HTTPEdge
import Journal
import SystemPackage

/// `carillon token`: who may act as agent, supervisor, bot, app server, or admin for the operator. A running server takes
/// every change over at once.
struct TokenCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "token", abstract: "Make, list and revoke access tokens.",
    subcommands: [Create.self, List.self, Revoke.self])

  struct Create: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Make a token and print its secret on standard output.",
      discussion: """
        The secret is printed this once: only its hash is stored. A sender's token is the API key of its app server: \
        `Authorization: key=<token>`, and the password of its XMPP connections.
        """)

    @Argument(help: "Whose token it is; the agent's id.") var holder: String?
    @Option(help: "The same.") var name: String?
    @Option(help: "agent, supervisor, bot, admin, sender or publisher.") var role: TokenRole = .agent
    @OptionGroup var sender: SenderArguments
    @OptionGroup var arguments: ConfigurationArguments

    func validate() throws {
      guard (holder == nil) != (name == nil) else { throw ValidationError("Say once whose token it is.") }
    }

    func run() throws {
      let name = holder ?? name ?? ""
      let directory = try TokenCommand.directory(arguments, isMade: true)
      let grant = try TokenCommand.reporting {
        try sender.grant(name: name, role: role, ownURL: ServerSettings(try arguments.loadOrExit()).ownURL)
      }
      let secret: String
      do {
        secret = try TokenCommand.attempt { () throws(TokenStoreError) in
          try TokenStore(directory: directory).create(name: name, role: role, sender: grant)
        }
      } catch {
        sender.discard()
        throw error
      }
      Console.remark("Token for \(role.rawValue) \(name). Keep it: it cannot be shown again.")
      let scheme = role == .sender ? "key=" : "Bearer "
      Console.remark("Use it as the header `Authorization: \(scheme)<token>`.")
      Console.print(secret)
    }
  }

  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Print all tokens, without their secrets.")

    @OptionGroup var arguments: ConfigurationArguments

    func run() throws {
      let directory = try TokenCommand.directory(arguments, isMade: false)
      let tokens = try TokenCommand.attempt { () throws(TokenStoreError) in
        try TokenStore(directory: directory).list()
      }
      for token in tokens {
        let state = token.revokedAt.map { "revoked \($0)" } ?? "usable"
        let sender = token.sender.map { "  sender \($0.sender)\($0.isTest ? " (test)" : "")" } ?? ""
        Console.print("\(token.id)  \(token.role.rawValue)  \(token.name)\(sender)  made \(token.createdAt)  \(state)")
      }
      if tokens.isEmpty { Console.remark("No tokens in \(directory).") }
    }
  }

  struct Revoke: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Make a token useless at once.")

    @Argument(help: "The id or the name of a usable token.") var token: String
    @OptionGroup var arguments: ConfigurationArguments

    func run() throws {
      let directory = try TokenCommand.directory(arguments, isMade: false)
      let revoked = try TokenCommand.attempt { () throws(TokenStoreError) in
        try TokenStore(directory: directory).revoke(token)
      }
      Console.remark("Revoked \(revoked.id), \(revoked.role.rawValue) \(revoked.name).")
    }
  }

  /// The data directory; one that is not there is made if `isMade` says so.
  private static func directory(_ arguments: ConfigurationArguments, isMade: Bool) throws -> String {
    let directory = ServerSettings(try arguments.loadOrExit()).dataDirectory
    guard isMade else { return directory }
    do throws(StorageError) {
      try DiskStorage().createDirectory(FilePath(directory))
    } catch {
      Console.remark("error: \(error)")
      throw ExitStatus.dataDirectory.exitCode
    }
    return directory
  }

  private static func attempt<Result>(_ body: () throws(TokenStoreError) -> Result) throws -> Result {
    do throws(TokenStoreError) {
      return try body()
    } catch {
      Console.remark("error: \(error)")
      switch error.code {
      case .storage, .malformed: throw ExitStatus.dataDirectory.exitCode
      case .invalidName, .invalidSender, .nameTaken, .limitReached: throw ExitStatus.usage.exitCode
      case .unknownToken: throw ExitStatus.failure.exitCode
      }
    }
  }
}

extension TokenRole: ExpressibleByArgument {}
