public import EdgeSecurity
public import Engine
import HTTPEdge
import OptionKit

/// Section `server`, with the built-in value wherever no source sets one, in the types that the wiring wants.
public struct ServerSettings: Sendable, Equatable {
  public let host: String
  public let port: Int
  public let dataDirectory: String
  /// Nil: `/metrics` has no port of its own.
  public let metricsPort: Int?
  public let metricsHost: String
  /// Nil: no access log; `-`: standard output.
  public let accessLogFile: String?
  /// Of so many requests it has one.
  public let accessLogSample: Int
  /// nil: the port speaks plain HTTP.
  public let tls: TLSFiles?
  public let logLevel: String
  public let shutdownGrace: Duration
  public let isCookieRequired: Bool
  public let externalURLBase: String?

  /// How many a data directory is made with.
  public let partitions: Int
  public let journalSegmentBytes: Int
  /// Nil: below the journal's directory.
  public let journalArchiveDirectory: String?
  public let housekeeping: HousekeepingSettings
  public let standby: StandbySettings

  public init(_ options: LoadedConfiguration) {
    let keys = ServerOptions.keys
    host = options[keys.host]
    port = options[keys.port]
    dataDirectory = options[keys.dataDirectory]
    metricsPort = options[keys.metricsPort]
    metricsHost = options[keys.metricsHost]
    accessLogFile = options[keys.accessLogFile]
    accessLogSample = options[keys.accessLogSample]
    tls = TLSFiles(options[keys.certificate], options[keys.certificateKey])
    logLevel = options[keys.logLevel]
    shutdownGrace = options.edgeLimits.shutdownGrace
    isCookieRequired = options[CometOptions.keys.isCookieRequired]
    externalURLBase = options[NodeOptions.keys.externalURLBase]
    partitions = options[JournalOptions.keys.partitions]
    journalSegmentBytes = options[JournalOptions.keys.segmentSize]
    journalArchiveDirectory = options[JournalOptions.keys.archiveDirectory]
    housekeeping = HousekeepingSettings(options)
    standby = StandbySettings(options)
  }
}

extension TLSFiles {
  /// Nil unless both are set.
  init?(_ certificate: String?, _ key: String?) {
    guard let certificate, let key else { return nil }
    self.init(certificateChainPath: certificate, privateKeyPath: key)
  }
}
