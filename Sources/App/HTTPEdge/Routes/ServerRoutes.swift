import Engine
import HTTPTypes
import JSONEnvelope
import Logging

/// The server as its operators keep it: who may come in.
struct ServerRoutes: TokenRoutes {
  let engine: Engine
  let tokens: TokenStore
  let limits: EdgeLimits
  let logger: Logger

  var listMaximum: Int { engine.listMaximum.operators }

  static let surface = RoutedSurface<ServerRoutes>(
    "server administration", "The server itself. Needs a token of the role `admin`.", tokenOperations,
    schemas: tokenSchemas)
}
