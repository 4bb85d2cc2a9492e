import Engine
import HTTPTypes
import JSONEnvelope
import Logging

/// The server as its operators keep it: how it is, who may come in, and what it was told.
struct ServerRoutes: TokenRoutes {
  let engine: Engine
  let tokens: TokenStore
  let limits: EdgeLimits
  let configuration: ConfigurationInForce
  let recorder: OverviewRecorder
  /// The server's version.
  let version: String
  let logger: Logger

  var listMaximum: Int { engine.listMaximum.operators }

  static let surface = RoutedSurface<ServerRoutes>(
    "server administration", "The server itself. Needs a token of the role `admin`.",
    [overviewOperation] + tokenOperations + [configurationOperation],
    schemas: tokenSchemas + [("ConfiguredOption", configuredOption), ("Overview", overview)])
}
