public import CCSEdge
public import DeviceEdge
public import EdgeSecurity
import Engine
import HTTPEdge
import OptionKit

/// The options `gcm.*` of section `server`: where devices and app servers connect.
public struct MessagingSettingsOfServer: Sendable, Equatable {
  /// Nil: no such connections.
  public let mcsPort: Int?
  public let ccsPort: Int?
  /// Nil: plain TCP, for a server behind something that speaks TLS for it.
  public let tls: TLSFiles?
  public let ccsDomains: [String]
  public let deviceLimits: DeviceEdgeLimits
  public let ccsLimits: CCSLimits
  /// What devices are told.
  let mcsHost: String?
  let mcsPublicPort: Int
  let checkInInterval: Duration
  let webPushOrigins: [String]

  public init(_ options: LoadedConfiguration) {
    let server = ServerSettings(options)
    let published = PublishedAddressOptions.keys
    mcsPort = options[DeviceEdgeOptions.keys.port]
    ccsPort = options[CCSOptions.keys.port]
    tls =
      TLSFiles(options[MessagingOptions.keys.certificate], options[MessagingOptions.keys.certificateKey])
      ?? server.tls
    ccsDomains = options[CCSOptions.keys.domains]
    deviceLimits = DeviceEdgeLimits(options)
    ccsLimits = CCSLimits(options)
    mcsHost = options[published.deviceHost] ?? server.externalURLBase.flatMap { Self.host(of: $0) }
    mcsPublicPort = options[published.devicePort] ?? mcsPort ?? MessagingEdgeSettings().devicePort
    checkInInterval = options[published.checkInInterval]
    webPushOrigins = options[published.webPushOrigins] ?? []
  }

  /// Of `scheme://host:port/…`.
  private static func host(of url: String) -> String? {
    guard let start = url.firstRange(of: "://")?.upperBound else { return nil }
    let authority = url[start...].prefix { $0 != "/" }
    if authority.hasPrefix("[") { return authority.firstIndex(of: "]").map { String(authority[...$0]) } }
    return String(authority.prefix { $0 != ":" })
  }
}
