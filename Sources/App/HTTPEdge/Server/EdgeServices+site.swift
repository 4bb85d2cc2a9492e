import AgentEdge
import ClientAPI
import CometEdge
import ConsoleAPI
import DeviceEdge
import EdgeSecurity
import Engine
import FileAPI
import Hummingbird
import NIOHTTP1
import ServerKit
import StandbyAPI
import StorageAPI
import SupportAPI

/// Which part of the server a request is for, and who answers there.
extension EdgeServices: HTTPSite {
  func surface(of target: String) -> (HTTPSurface, bodyBytesMaximum: Int) {
    let surface = console.takes(target) ? .console : Surface(target: target)
    let takesFiles =
      switch surface {
      case .service: StorageTarget.takesFiles(target) || FileTarget.takesFiles(target)
      case .agent: FileTarget.takesFiles(target)
      case .support: SupportTarget.takesFiles(target)
      default: false
      }
    return (surface.place, bodyBytesMaximum(on: surface, takesFiles: takesFiles))
  }

  private func bodyBytesMaximum(on surface: Surface, takesFiles: Bool) -> Int {
    if surface == .comet { return services.limits.cometBodyBytesMaximum }
    return takesFiles ? services.limits.storageBodyBytesMaximum : services.limits.bodyBytesMaximum
  }

  /// A standby may be what everybody else waits for: for its acknowledgement at a start, for what it lacks at a stop.
  func goesOnDuringStop(_ target: String) -> Bool { StandbyRoutes.takes(target) }

  /// Pages, the client for browsers, and what is told of the server itself: all of it is in each copy of the server, or
  /// counts.
  func mayCompress(_ target: String) -> Bool {
    let path = target.prefix { $0 != "?" }
    if path == "/openapi.json" || path == "/metrics" || path.hasPrefix("/\(ClientRoutes.folder)/") { return true }
    return console.takes(target) && !path.hasPrefix("/console/1/")
  }

  /// What is pushed to browsers is encrypted: that is a coding, too. Spec: RFC 8188.
  func readsCoding(of target: String) -> Bool { target.hasPrefix("/wp/") || target.hasPrefix("/fcm/send/") }

  func refusal(of head: HTTPRequestHead, on connection: HTTPConnectionHandler) -> EdgeFailure? {
    let surface = Surface(connection.surface)
    // What is not replayed yet must not look unknown.
    let isServing = engine.isReady && !connection.residents.isStopping
    if surface == .comet, let refusal = comet.refusal(of: head) { return refusal }
    guard isServing || surface == .operation || goesOnDuringStop(head.uri) else {
      return .unavailable("The server is not ready")
    }
    if surface == .console, !console.isEnabled { return .notFound }
    return connection.overspending(budgetedAction(of: head, on: surface), head)
  }

  func serve(_ request: RequestInProgress, on connection: HTTPConnectionHandler) {
    let (head, surface) = (request.head, Surface(connection.surface))
    if surface == .comet {
      comet.serve(request, on: connection)
    } else if let size = request.body?.readableBytes, size > 0, budgetedAction(of: head, on: surface) == .uploads,
      let refusal = connection.overspending(uploads: size, head)
    {
      connection.respond(refusal)
    } else if surface == .agent, AgentSocketEndpoint.takes(head.uri) {
      agentSocket.serve(head, on: connection)
    } else if head.uri == DeviceSocketEndpoint.path {
      deviceSocket.serve(head, on: connection)
    } else if surface == .agent, let order = agentActs.order(head) {
      agentActs.serve(request, order, on: connection)
    } else if let route = SendRoute(target: head.uri) {
      sending.serve(request, route, on: connection)
    } else {
      connection.route(request, as: surface == .support ? SupportTarget.withoutFormat(head.uri) : nil)
    }
  }

  private func budgetedAction(of head: HTTPRequestHead, on surface: Surface) -> BudgetedAction? {
    switch surface {
    case .comet, .agent, .operation, .webSocket: return nil
    case .messaging where SendRoute(target: head.uri) != nil: return nil
    case .messaging, .service, .devices, .support, .console, .administration, .other:
      return BudgetedRoute.action(
        head.method.rawValue, SupportTarget.withoutFormat(head.uri).prefix { $0 != "?" })
    }
  }

  func body(of failure: EdgeFailure, on connection: HTTPConnectionHandler) -> (StaticString, [UInt8]) {
    let dialect = ErrorDialect(Surface(connection.surface), target: connection.target)
    return (dialect.contentType, dialect.body(failure))
  }

  func response(to failure: EdgeFailure, on surface: HTTPSurface) -> Response {
    failure.response(for: Surface(surface))
  }
}
