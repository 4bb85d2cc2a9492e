import EdgeSecurity
public import HTTPEdge
import OptionKit

extension LoadedConfiguration {
  /// How the HTTP edge listens and what it allows.
  public var edge: EdgeConfiguration {
    let settings = ServerSettings(self)
    let keys = AccessOptions.keys
    var edge = EdgeConfiguration(
      host: settings.host, port: settings.port, tls: settings.tls, limits: edgeLimits,
      allowedOrigins: OriginPolicy(self[keys.allowedOrigins]), messaging: messaging)
    edge.strictTransportSeconds = self[keys.strictTransportSeconds]
    edge.budgets = StrangerBudgets(BudgetSettings(self))
    edge.proxies = TrustedProxies(self)
    edge.identity = IdentityPolicy(self)
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
