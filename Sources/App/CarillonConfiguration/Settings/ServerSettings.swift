public import EdgeSecurity
public import Engine
import Journal

/// Section `server`, with the built-in value wherever no source sets one, in the types that the wiring wants.
public struct ServerSettings: Sendable, Equatable {
  public let host: String
  public let port: Int
  public let dataDirectory: String
  /// nil: the port speaks plain HTTP.
  public let tls: TLSFiles?
  public let logLevel: String
  public let shutdownGrace: Duration
  /// As it stands there: `*`, or origins with commas between them.
  public let allowedOrigins: String
  public let budgets: BudgetSettings
  /// 0: browsers are told nothing.
  public let strictTransportSeconds: Int
  public let isCookieRequired: Bool
  public let externalURLBase: String?

  /// `cometd.timeout`, what the advice says.
  public let cometTimeoutMilliseconds: Int
  /// How long a connect is really held. Spec: GMS 4.3.
  public let cometHoldMilliseconds: Int
  public let cometMaxIntervalMilliseconds: Int

  public let journalSegmentBytes: Int
  /// Nil: below the journal's directory.
  public let journalArchiveDirectory: String?
  public let housekeeping: HousekeepingSettings

  public init(_ configuration: LoadedConfiguration) {
    let reader = ServerOptionReader(configuration: configuration)
    host = reader.text("host")
    port = reader.integer("port")
    dataDirectory = reader.text("data_directory")
    if let certificate = configuration.server("tls.certificate"), let key = configuration.server("tls.key") {
      tls = TLSFiles(certificateChainPath: certificate, privateKeyPath: key)
    } else {
      tls = nil
    }
    logLevel = reader.text("log_level")
    shutdownGrace = reader.seconds("shutdown_grace")
    allowedOrigins = reader.text("allowed_origins")
    budgets = Self.budgets(reader)
    strictTransportSeconds = reader.integer("hsts_seconds")
    isCookieRequired = reader.text("cookie_required") == "true"
    externalURLBase = configuration.server("external_url_base")
    cometTimeoutMilliseconds = reader.integer("cometd.timeout")
    cometHoldMilliseconds = Self.hold(for: cometTimeoutMilliseconds)
    cometMaxIntervalMilliseconds = reader.integer("cometd.maxInterval")
    journalSegmentBytes = reader.integer("journal.segment_size")
    journalArchiveDirectory = configuration.server("journal.archive_directory")
    housekeeping = Self.housekeeping(reader)
  }

  private static func budgets(_ reader: ServerOptionReader) -> BudgetSettings {
    var settings = BudgetSettings()
    for action in BudgetedAction.allCases {
      settings.addressPerMinute[action] = reader.integer("budget.address.\(action.rawValue)")
      if action.userPerMinute != nil {
        settings.userPerMinute[action] = reader.integer("budget.user.\(action.rawValue)")
      }
    }
    settings.connectionsByAddressMaximum = reader.integer("budget.connections")
    settings.exempt = reader.networks("budget.exempt")
    return settings
  }

  private static func housekeeping(_ reader: ServerOptionReader) -> HousekeepingSettings {
    func duration(_ name: String) -> Duration? {
      let seconds = reader.seconds(name)
      return seconds > .zero ? seconds : nil
    }
    var settings = HousekeepingSettings()
    settings.snapshotInterval = duration("journal.snapshot_interval")
    settings.snapshotRecordsMinimum = UInt64(reader.integer("journal.snapshot_records"))
    settings.sleepAfter = duration("sleep_after")
    settings.retention = RetentionRule.Action(rawValue: reader.text("journal.retention"))
    settings.segmentAgeMaximum = duration("journal.retention_age")
    let bytes = reader.integer("journal.retention_bytes")
    settings.segmentBytesMaximum = bytes > 0 ? bytes : nil
    settings.packsSegments = reader.text("journal.pack") == "true"
    return settings
  }

  /// 5 s less than advised, because clients take the advice for their socket time-out; of a short one, half.
  private static func hold(for timeoutMilliseconds: Int) -> Int {
    max(timeoutMilliseconds - 5_000, timeoutMilliseconds / 2)
  }
}
