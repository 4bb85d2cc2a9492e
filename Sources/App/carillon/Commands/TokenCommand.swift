public import ArgumentParser
import CarillonConfiguration
import Engine
public import HTTPEdge
import Journal
import SystemPackage

/// `carillon token`: who may act as agent, supervisor, bot, app server, or admin for the operator. A running server takes
/// every change over at once.
struct TokenCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "token", abstract: "Make, list, rotate and revoke access tokens.",
    subcommands: [Create.self, Link.self, List.self, Rotate.self, Revoke.self])

  struct Create: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Make a token and write its secret to a file, or to standard output.",
      discussion: """
        The secret is shown this once: only its hash is stored. A sender's token is the API key of its app server: \
        `Authorization: key=<token>`, and the password of its XMPP connections.
        """)

    @Argument(help: "Whose token it is; the agent's id.") var holder: String?
    @Option(help: "The same.") var name: String?
    @Option(help: "agent, supervisor, bot, admin, sender, publisher, channels or standby.") var role: TokenRole = .agent
    @Option(help: "Write the secret there, for its owner only; the file must not exist.") var out: String?
    @Option(
      name: .customLong("service"),
      help:
        "A service, or an app of support requests, that its holder has to do with; may be given again. All if absent.")
    var services: [String] = []
    @Flag(help: "Print a one-time link to the console in place of the secret, which only --out keeps then.")
    var link = false
    @OptionGroup var sender: SenderArguments
    @OptionGroup var place: LinkArguments
    @OptionGroup var arguments: ConfigurationArguments

    func validate() throws {
      guard (holder == nil) != (name == nil) else { throw ValidationError("Say once whose token it is.") }
      guard link || place.baseURL == nil else { throw ValidationError("--base-url goes with --link.") }
      guard !link || role.mayUseConsole else {
        throw ValidationError("A token of the role \(role.rawValue) has no part in the console.")
      }
    }

    func run() throws {
      let name = holder ?? name ?? ""
      let file = out.map { SecretFile(path: $0) }
      try TokenCommand.reporting { try file?.requireAbsent() }
      if link { try place.requireConsole(try arguments.loadOrExit()) }
      let directory = try TokenCommand.directory(arguments, isMade: true)
      let grant = try TokenCommand.reporting {
        try sender.grant(name: name, role: role, ownURL: ServerSettings(try arguments.loadOrExit()).ownURL)
      }
      let store = try TokenCommand.attempt { () throws(TokenStoreError) in try TokenStore(directory: directory) }
      let secret: String
      do {
        secret = try TokenCommand.attempt { () throws(TokenStoreError) in
          try store.create(name: name, role: role, sender: grant, services: services)
        }
      } catch {
        sender.discard()
        throw error
      }
      do {
        try TokenCommand.reporting { try file?.create(secret) }
      } catch {
        // Nobody has seen it, and nobody will.
        _ = try? store.revoke(name)
        sender.discard()
        throw error
      }
      let options = try arguments.loadOrExit().options
      for service in services where !options.hasHome(service) {
        Console.remark("warning: no service and no app of support requests is called \(service) yet")
      }
      guard link else { return TokenCommand.tell(secret, of: name, role, file) }
      let state = file.map { "in \($0.path), which only its owner may read" } ?? "kept by nobody: rotate it to have it"
      Console.remark("Token for \(role.rawValue) \(name): \(state).")
      try place.print(for: name, store, try arguments.loadOrExit())
    }
  }

  struct Link: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Print a link that signs the holder of a token in to the console, once.",
      discussion: """
        It is good for five minutes. Whoever opens it first is signed in: hand it to nobody else. What opens stands \
        behind #, so that no server and no proxy on the way writes it down.
        """)

    @Argument(help: "The id or the name of a usable token of an agent, supervisor, bot or admin.") var token: String
    @OptionGroup var place: LinkArguments
    @OptionGroup var arguments: ConfigurationArguments

    func run() throws {
      let loaded = try arguments.loadOrExit()
      try place.requireConsole(loaded)
      let directory = try TokenCommand.directory(arguments, isMade: false)
      let store = try TokenCommand.attempt { () throws(TokenStoreError) in try TokenStore(directory: directory) }
      try place.print(for: token, store, loaded)
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
        let services = token.services.map { "  services \($0.joined(separator: ","))" } ?? ""
        Console.print(
          "\(token.id)  \(token.role.rawValue)  \(token.name)\(sender)\(services)  made \(token.createdAt)  \(state)")
      }
      if tokens.isEmpty { Console.remark("No tokens in \(directory).") }
    }
  }

  struct Rotate: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Give the holder of a token another secret; the old one is useless at once.",
      discussion: """
        Role, sender and services stay as they are. --out may name the file of the old secret, which is replaced then; \
        any other file that exists is left alone.
        """)

    @Argument(help: "The id or the name of a usable token.") var token: String
    @Option(help: "Write the secret there, for its owner only.") var out: String?
    @OptionGroup var arguments: ConfigurationArguments

    func run() throws {
      let directory = try TokenCommand.directory(arguments, isMade: false)
      let store = try TokenCommand.attempt { () throws(TokenStoreError) in try TokenStore(directory: directory) }
      let file = out.map { SecretFile(path: $0) }
      let holdsOldSecret = try file.map { try TokenCommand.mayReplace($0, token, store) } ?? false
      let fresh = try TokenCommand.attempt { () throws(TokenStoreError) in try store.rotate(token) }
      do {
        try TokenCommand.reporting {
          if holdsOldSecret { try file?.replace(by: fresh.secret) } else { try file?.create(fresh.secret) }
        }
      } catch {
        Console.remark("The old secret is useless already; this is the new one.")
        TokenCommand.tell(fresh.secret, of: fresh.token.name, fresh.token.role, nil)
        throw error
      }
      TokenCommand.tell(fresh.secret, of: fresh.token.name, fresh.token.role, file)
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

  /// Whether the file holds the secret that is about to end.
  /// - Throws: for a file that holds anything else.
  private static func mayReplace(_ file: SecretFile, _ token: String, _ store: TokenStore) throws -> Bool {
    guard file.exists else { return false }
    return try reporting {
      guard store.isSecret(try CallerToken.read(file.path), of: token) else { throw NewFile.exists(file.path) }
      return true
    }
  }

  private static func tell(_ secret: String, of name: String, _ role: TokenRole, _ file: SecretFile?) {
    let scheme = role == .sender ? "key=" : "Bearer "
    if let file {
      Console.remark("Token for \(role.rawValue) \(name), in \(file.path), which only its owner may read.")
    } else {
      Console.remark("Token for \(role.rawValue) \(name). Keep it: it cannot be shown again.")
    }
    Console.remark("Use it as the header `Authorization: \(scheme)<token>`.")
    if file == nil { Console.print(secret) }
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

  static func attempt<Result>(_ body: () throws(TokenStoreError) -> Result) throws -> Result {
    do throws(TokenStoreError) {
      return try body()
    } catch {
      Console.remark("error: \(error)")
      switch error.code {
      case .storage, .malformed: throw ExitStatus.dataDirectory.exitCode
      case .invalidName, .invalidSender, .invalidServices, .invalidRole, .nameTaken, .limitReached:
        throw ExitStatus.usage.exitCode
      case .unknownToken: throw ExitStatus.failure.exitCode
      }
    }
  }
}

extension TokenRole: ExpressibleByArgument {}
