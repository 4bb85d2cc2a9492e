import ConsoleAPI
import EdgeSecurity
import Engine
public import HTTPEdge
import OptionKit

extension LoadedConfiguration {
  /// How the HTTP edge listens and what it allows.
  public var edge: EdgeConfiguration {
    let settings = ServerSettings(self)
    let keys = AccessOptions.keys
    var http = HTTPSettings(
      host: settings.host, port: settings.port, tls: settings.tls, limits: edgeLimits,
      allowedOrigins: OriginPolicy(self[keys.allowedOrigins]))
    http.staffOrigins = OriginPolicy(self[ConsoleOptions.keys.allowedOrigins])
    http.strictTransportSeconds = self[keys.strictTransportSeconds]
    http.offersHTTP2 = self[keys.http2]
    http.takesHTTP2InClear = self[keys.http2InClear]
    http.budgets = StrangerBudgets(BudgetSettings(self))
    http.proxies = TrustedProxies(self)
    var edge = EdgeConfiguration(http, messaging: messaging)
    edge.identity = IdentityPolicy(self)
    edge.console = ConsoleSettings(self)
    return edge
  }

  private var messaging: MessagingEdgeSettings {
    let settings = MessagingSettingsOfServer(self)
    return MessagingEdgeSettings(
      publicURL: ServerSettings(self).externalURLBase, deviceHost: settings.mcsPort == nil ? nil : settings.mcsHost,
      devicePort: settings.mcsPublicPort, checkInInterval: settings.checkInInterval,
      webPushOrigins: Set(settings.webPushOrigins))
  }
}
