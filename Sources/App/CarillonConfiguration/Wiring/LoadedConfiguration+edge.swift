import EdgeSecurity
public import HTTPEdge

extension LoadedConfiguration {
  /// How the HTTP edge listens and what it allows.
  public var edge: EdgeConfiguration {
    let settings = ServerSettings(self)
    var edge = EdgeConfiguration(
      host: settings.host, port: settings.port, tls: settings.tls, limits: edgeLimits,
      allowedOrigins: OriginPolicy(option: settings.allowedOrigins), messaging: messaging)
    edge.strictTransportSeconds = settings.strictTransportSeconds
    edge.budgets = StrangerBudgets(settings.budgets)
    edge.proxies = proxies
    edge.identity = IdentityPolicy(self)
    return edge
  }

  private var proxies: TrustedProxies {
    let reader = ServerOptionReader(configuration: self)
    guard let header = TrustedProxies.Header(rawValue: reader.text("proxy.header")) else {
      preconditionFailure("option proxy.header was judged to be one of these headers")
    }
    return TrustedProxies(reader.networks("proxy.trusted"), header: header)
  }

  private var messaging: MessagingEdgeSettings {
    let settings = MessagingSettingsOfServer(self)
    return MessagingEdgeSettings(
      publicURL: ServerSettings(self).externalURLBase, deviceHost: settings.mcsPort == nil ? nil : settings.mcsHost,
      devicePort: settings.mcsPublicPort, checkInInterval: settings.checkInInterval,
      webPushOrigins: Set(settings.webPushOrigins))
  }

  var edgeLimits: EdgeLimits {
    let reader = ServerOptionReader(configuration: self)
    var limits = EdgeLimits()
    limits.headBytesMaximum = reader.integer("limits.head_bytes")
    limits.headerFieldsMaximum = reader.integer("limits.header_fields")
    limits.targetBytesMaximum = reader.integer("limits.target_bytes")
    limits.bodyBytesMaximum = reader.integer("limits.body_bytes")
    limits.cometBodyBytesMaximum = reader.integer("limits.comet_body_bytes")
    limits.storageBodyBytesMaximum = reader.integer("limits.storage_body_bytes")
    limits.webSocketMessageBytesMaximum = reader.integer("limits.websocket_message_bytes")
    limits.webSocketBacklogBytesMaximum = reader.integer("limits.websocket_backlog_bytes")
    limits.connectionsMaximum = reader.integer("limits.connections")
    limits.parametersMaximum = reader.integer("limits.parameters")
    limits.headTimeout = reader.seconds("limits.head_seconds")
    limits.bodyTimeout = reader.seconds("limits.body_seconds")
    limits.bodyBytesPerSecondMinimum = reader.integer("limits.body_bytes_per_second")
    limits.keepAliveTimeout = reader.seconds("limits.idle_seconds")
    limits.writeTimeout = reader.seconds("limits.write_seconds")
    limits.responseTimeout = reader.seconds("limits.response_seconds")
    limits.eventStreamHeartbeat = reader.seconds("limits.event_stream_heartbeat")
    limits.webSocketPingInterval = reader.seconds("limits.websocket_ping_seconds")
    limits.shutdownGrace = reader.seconds("shutdown_grace")
    return limits
  }
}
