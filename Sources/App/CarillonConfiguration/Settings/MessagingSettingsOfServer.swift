public import EdgeSecurity
import Engine

/// The options `gcm.*` of section `server`: where devices and app servers connect.
public struct MessagingSettingsOfServer: Sendable, Equatable {
  /// Nil: no such connections.
  public let mcsPort: Int?
  public let ccsPort: Int?
  /// Nil: plain TCP, for a server behind something that speaks TLS for it.
  public let tls: TLSFiles?
  public let ccsDomains: [String]
  public let mcsConnectionsMaximum: Int
  public let ccsConnectionsMaximum: Int
  /// What devices are told.
  let mcsHost: String?
  let mcsPublicPort: Int
  let checkInInterval: Duration
  let webPushOrigins: [String]

  public init(_ configuration: LoadedConfiguration) {
    let reader = ServerOptionReader(configuration: configuration)
    let server = ServerSettings(configuration)
    mcsPort = configuration.server("gcm.mcs_port").flatMap { Int($0) }
    ccsPort = configuration.server("gcm.ccs_port").flatMap { Int($0) }
    if let certificate = configuration.server("gcm.tls.certificate"), let key = configuration.server("gcm.tls.key") {
      tls = TLSFiles(certificateChainPath: certificate, privateKeyPath: key)
    } else {
      tls = server.tls
    }
    ccsDomains = Options.list(reader.text("gcm.ccs_domains"))
    mcsConnectionsMaximum = reader.integer("limits.mcs_connections")
    ccsConnectionsMaximum = reader.integer("limits.ccs_connections")
    mcsHost = configuration.server("gcm.mcs_host") ?? server.externalURLBase.flatMap { Self.host(of: $0) }
    mcsPublicPort = configuration.server("gcm.mcs_public_port").flatMap { Int($0) } ?? mcsPort ?? 5_228
    checkInInterval = reader.seconds("gcm.checkin_interval")
    webPushOrigins = configuration.server("gcm.web_push_origins").map { Options.list($0) } ?? []
  }

  /// Of `scheme://host:port/…`.
  private static func host(of url: String) -> String? {
    guard let start = url.firstRange(of: "://")?.upperBound else { return nil }
    let authority = url[start...].prefix { $0 != "/" }
    if authority.hasPrefix("[") { return authority.firstIndex(of: "]").map { String(authority[...$0]) } }
    return String(authority.prefix { $0 != ":" })
  }
}
