import ArgumentParser
import CarillonConfiguration
import Logging
import OptionKit
import Supervision
import SystemPackage

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// `carillon serve`: the server.
struct ServeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve", abstract: "Run the server (what carillon does without a subcommand).",
    discussion: """
      SIGTERM and SIGINT stop it gracefully: it stops accepting, answers what is held, finishes effects, syncs the \
      journal. SIGHUP reads the configuration again.
      """)

  @OptionGroup var arguments: ConfigurationArguments
  @Option(name: .shortAndLong, help: "TCP port to listen on; 0 takes a free one.") var port: String?
  @Option(help: "Address to listen on; loopback only until a token exists.") var host: String?
  /// For `carillon demo --serve` alone: nothing that an operator should come upon.
  @Flag(help: .hidden) var demoApp = false

  func run() async throws {
    var flags: [ConfigurationOverride] = []
    let keys = ServerOptions.keys
    if let port { flags.append(ConfigurationOverride(keys.port, in: .server, value: port, flag: "--port")) }
    if let host { flags.append(ConfigurationOverride(keys.host, in: .server, value: host, flag: "--host")) }
    let loaded = try arguments.loadOrExit(flags)
    let settings = ServerSettings(loaded)
    let level = LogLevelSwitch(Logger.Level(rawValue: settings.logLevel) ?? .info)
    let environment = ProcessInfo.processInfo.environment
    let errors = FileDescriptor.standardError.rawValue
    JSONLogHandler.bootstrap(
      level, tellsPriority: JournalStream.isConnected(to: errors, environment: environment))
    let logger = Logger(label: "carillon")
    for warning in loaded.warnings { logger.log(warning, at: .warning) }
    // A reader of the log that goes away must not end the server.
    signal(SIGPIPE, SIG_IGN)
    do {
      let server = try Server(
        loaded: loaded, level: level, supervisor: Supervisor(environment: environment), logger: logger,
        hasDemoApp: demoApp)
      try await server.run(reloadingFrom: try arguments.sources(flags))
      logger.notice("stopped")
    } catch {
      let failure = ServeFailure(error)
      logger.critical("\(failure)", metadata: ["exitCode": "\(failure.status.rawValue)"])
      throw failure.status.exitCode
    }
  }
}
