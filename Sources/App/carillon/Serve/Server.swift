import AuditAPI
import CCSEdge
import CarillonConfiguration
import ConsoleAPI
import CoreMetrics
import DeviceEdge
import EdgeSecurity
import Engine
import EntityRuntime
import HTTPEdge
import Journal
import Logging
import NIOCore
import NIOPosix
import OptionKit
import PrometheusMetrics
import PushProviders
import ServerKit
import ServiceLifecycle
import Supervision
import SystemPackage
import UnixSignals

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Everything that a serving process is made of, wired together.
///
/// A stop goes from the outside in: the HTTP server stops accepting and answers what is held, then the engine finishes
/// its effects and closes the journal. Standbys are served until that is done: they get its last record.
struct Server {
  private let loaded: LoadedConfiguration
  private let settings: ServerSettings
  private let level: LogLevelSwitch
  private let supervisor: Supervisor
  private let logger: Logger
  private let replayProgress = ReplayProgress()
  private let tokens: TokenStore
  private let providers: Providers
  private let engine: Engine
  private let http: HTTPServer
  private let inForce: ConfigurationInForce
  private let accessLog: AccessLogFile
  /// Nil if no port is configured.
  private let devices: MCSServer?
  private let appServers: CCSServer?
  /// Nil if `/metrics` has no port of its own.
  private let metricsServer: MetricsServer?

  /// - Parameter hasDemoApp: whether a customer's phone is among the console's pages.
  /// - Throws: `ServeFailure` or `TokenStoreError`.
  init(
    loaded: LoadedConfiguration, level: LogLevelSwitch, supervisor: Supervisor, logger: Logger, hasDemoApp: Bool = false
  ) throws {
    self.loaded = loaded
    self.level = level
    self.supervisor = supervisor
    self.logger = logger
    settings = ServerSettings(loaded)
    // Half of the processors for sockets: entities, outbox and journal need the others.
    let half = max(1, System.coreCount / 2)
    NIOSingletons.groupLoopCountSuggestion = half
    let archive = settings.journalArchiveDirectory.map { FilePath($0) }
    let directory = DataDirectory(path: FilePath(settings.dataDirectory), archive: archive)
    // In this order: a second server on the same directory is to hear about the directory, not about its port; and who
    // cannot listen leaves nothing on the disk.
    try directory.requireFree(partitions: settings.partitions)
    tokens = try TokenStore(directory: settings.dataDirectory)
    for address in ListenAddress.all(loaded, hasTokens: !tokens.isEmpty) { try address.probe() }
    let layout = try directory.claim(partitions: settings.partitions)

    let registry = Self.registry()
    MetricsSystem.bootstrap(registry)
    accessLog = try AccessLogFile(settings)
    let providers = Providers(PushSettings(loaded))
    self.providers = providers
    var configuration = EngineConfiguration(dataDirectory: directory.path)
    configuration.options = loaded.options
    configuration.sessionSettings = loaded.sessionSettings
    configuration.cometExtensions = loaded.cometExtensions
    configuration.browserSettings = loaded.browserSettings
    configuration.channelLimits = loaded.channelLimits
    configuration.limits = loaded.engineLimits
    configuration.messaging = loaded.messagingSettings
    configuration.fileScanner = CommandScanner(directory: directory.path.appending("scan"))
    configuration.witnesses = WitnessClient()
    configuration.isSender = { [tokens] in tokens.isSender($0) }
    configuration.journal.segmentByteCount = settings.journalSegmentBytes
    configuration.journal.replayProgress = replayProgress
    configuration.journal.archiveDirectory = archive
    configuration.placement = Placement(layout)
    configuration.housekeeping = settings.housekeeping
    configuration.standby = settings.standby
    configuration.requiresCookie = settings.isCookieRequired
    configuration.requiresProof = loaded.edge.identity.provesUsers
    configuration.laneCount = half
    configuration.onRelieved = Self.ending(.relieved, "this server is relieved", logger)
    engine = Engine(
      configuration: configuration, providers: { providers.table[$0] }, logger: logger,
      onFatal: Self.ending(.journalFailed, "the journal failed", logger))
    var edge = loaded.edge
    edge.version = Version.current
    edge.accessLog = accessLog.log
    edge.console.hasDemoApp = hasDemoApp
    inForce = ConfigurationInForce(loaded.inForce(startedWith: loaded))
    edge.inForce = inForce
    edge.verifyIdentity = providers.identities.verifying(engine.options, logger)
    let exposition = Self.exposition(of: registry, engine, providers)
    http = HTTPServer(
      engine: engine, tokens: tokens, configuration: edge, metrics: settings.metricsPort == nil ? exposition : nil,
      logger: logger)
    metricsServer = settings.metricsPort.map { [http, tokens, engine, settings] port in
      MetricsServer(
        settings: HTTPSettings(host: settings.metricsHost, port: port, limits: loaded.edgeLimits), beside: http,
        tokens: tokens, source: exposition, security: engine.security, logger: logger)
    }
    (devices, appServers) = try Self.messagingServers(loaded, engine, tokens, edge.budgets, logger)
    providers.log(loaded, to: logger)
  }

  /// Knows every metric there is.
  private static func registry() -> PrometheusRegistry {
    var metrics = PrometheusSettings()
    metrics.help = Dictionary(uniqueKeysWithValues: Schema.metrics.map { ($0.label, $0.help) })
    for metric in Schema.metrics { metrics.buckets[metric.label] = metric.buckets }
    return PrometheusRegistry(metrics)
  }

  /// What `/metrics` says; everything that is looked up rather than counted is looked up then.
  private static func exposition(
    of registry: PrometheusRegistry, _ engine: Engine, _ providers: Providers
  ) -> MetricsExposition.Source {
    let process = ProcessReport()
    return { accept in
      engine.report()
      providers.report()
      process.report()
      let format = PrometheusFormat(accept: accept)
      return MetricsExposition(contentType: format.contentType, text: registry.render(format))
    }
  }

  /// Ends the process: nothing may be acknowledged any more, not even by whatever runs at an ordinary exit.
  private static func ending(
    _ status: ExitStatus, _ what: String, _ logger: Logger
  ) -> @Sendable (_ description: String) -> Void {
    { description in
      logger.critical(
        "\(what), nothing is acknowledged any more: \(description)", metadata: ["exitCode": "\(status.rawValue)"])
      _exit(status.rawValue)
    }
  }

  /// The ports of devices and of app servers, as far as they are configured.
  private static func messagingServers(
    _ loaded: LoadedConfiguration, _ engine: Engine, _ tokens: TokenStore, _ budgets: StrangerBudgets, _ logger: Logger
  ) throws -> (MCSServer?, CCSServer?) {
    let settings = MessagingSettingsOfServer(loaded)
    let host = tokens.isEmpty ? LoopbackHost.address : ServerSettings(loaded).host
    let keys = MessagingOptions.keys
    if settings.mcsPort ?? settings.ccsPort != nil, settings.tls == nil {
      logger.warning(
        "devices and app servers connect without TLS: \(keys.certificate.name) and \(keys.certificateKey.name) are not set"
      )
    }
    let devices = try settings.mcsPort.map { port in
      var limits = settings.deviceLimits
      limits.connectionsPerAddressMaximum = budgets.settings.connectionsByAddressMaximum
      var configuration = MCSConfiguration(host: host, port: port, tls: settings.tls, limits: limits)
      configuration.budgets = budgets
      return try MCSServer(messaging: engine.messaging, configuration: configuration, logger: logger)
    }
    let appServers = try settings.ccsPort.map { port in
      var configuration = CCSConfiguration(
        host: host, port: port, tls: settings.tls, limits: settings.ccsLimits, domains: settings.ccsDomains)
      configuration.budgets = budgets
      return try CCSServer(messaging: engine.messaging, configuration: configuration, logger: logger) { sender, key in
        tokens.sender(forKey: key)?.sender == sender
      }
    }
    return (devices, appServers)
  }

  /// What a stop has beside twice the grace before it is ended: see `TimeoutStopSec` of the packages' unit.
  static let lastResort = Duration.seconds(10)

  /// Serves until a signal stops it.
  func run(reloadingFrom sources: ConfigurationSources) async throws {
    let certificates = CertificateWatch(
      [
        ("http", { [http] in http.certificate }), ("mcs", { [devices] in devices?.certificate }),
        ("ccs", { [appServers] in appServers?.certificate }),
      ], logger: logger)
    let reload = ReloadService(
      sources: sources, started: loaded, options: engine.options, level: level, supervisor: supervisor, logger: logger
    ) { [providers, engine, http, certificates, logger, inForce, loaded, accessLog] fresh in
      inForce.replace(fresh.inForce(startedWith: loaded))
      providers.table.reload()
      certificates.reload()
      do throws(AccessLogFailure) { try accessLog.open(ServerSettings(fresh)) } catch {
        logger.error("\(error): the earlier one stays")
      }
      await http.reloadIdentity()
      engine.couriers.resetLanes()
      // While the journal is being read, recovery has yet to look.
      if engine.isReady { await engine.support.configured() }
      providers.log(fresh, to: logger)
    }
    let recovery = RecoveryService(engine: engine, logger: logger) { summary in await announce(summary) }
    // Stopped from the last to the first.
    var services: [ServiceGroupConfiguration.ServiceConfiguration] = [
      .init(service: EngineService(engine: engine, grace: settings.shutdownGrace) { [http] in await http.close() }),
      .init(service: recovery, successTerminationBehavior: .ignore),
      .init(service: reload, successTerminationBehavior: .ignore),
      .init(service: certificates, successTerminationBehavior: .ignore),
    ]
    // In the order of their addresses.
    let servers: [(any Service)?] = [http, devices, appServers, metricsServer]
    for (server, address) in zip(servers.compactMap(\.self), ListenAddress.all(loaded, hasTokens: !tokens.isEmpty)) {
      services.append(.init(service: ListeningService(server: server, address: address)))
    }
    services.append(.init(service: StopNotice(supervisor: supervisor)))
    var group = ServiceGroupConfiguration(
      services: services,
      gracefulShutdownSignals: [.sigterm, .sigint], logger: quietLogger)
    // The edge and the engine keep the grace themselves; this is for what should never be needed.
    group.maximumGracefulShutdownDuration = settings.shutdownGrace * 2 + Self.lastResort
    let result: Result<Void, any Error>
    do {
      try await supervisor.watch(
        progress: { [replayProgress] in StartProgress(replayProgress) }, pulse: { [engine] in engine.pulse($0) }
      ) { try await ServiceGroup(configuration: group).run() }
      result = .success(())
    } catch {
      result = .failure(error)
    }
    accessLog.finish()
    await providers.shutdown()
    try result.get()
  }

  /// One line that a person can read: where, what, and how to go on.
  private func announce(_ summary: RecoverySummary) async {
    let usable = (try? tokens.list().count { $0.isUsable }) ?? 0
    // Nothing to announce if it cannot listen: that ends the group with an error of its own.
    guard let bound = try? await http.boundAddress else { return }
    let host = bound.ipAddress ?? settings.host
    let scheme = settings.tls == nil ? "http" : "https"
    let address = "\(scheme)://\(host.contains(":") ? "[\(host)]" : host):\(bound.port ?? settings.port)"
    let partitions = settings.partitions > 1 ? "\(settings.partitions) partitions, " : ""
    logger.notice(
      """
      carillon \(Version.current) is ready on \(address), data in \(settings.dataDirectory), \
      \(partitions)\(summary.records) records, \(usable) tokens
      """,
      metadata: ["address": "\(address)", "dataDirectory": "\(settings.dataDirectory)"])
    supervisor.becameReady("carillon \(Version.current) serves on \(address)")
    if usable == 0 {
      logger.warning(
        """
        no token exists, so the server listens on loopback only: make one with \
        `carillon token create --name NAME --role agent --data-directory \(settings.dataDirectory)` and restart
        """)
    }
  }

  /// The service group tells much about its own doings at lower levels.
  private var quietLogger: Logger {
    var logger = logger
    logger.logLevel = .warning
    return logger
  }
}
