package import ChatAPI
package import HTTPKit
import NIOCore
package import NIOHTTP1
import ServerKit

/// Where agents open their sockets. Spec: GMS 12.3; RFC 6455.
package struct AgentSocketEndpoint: Sendable {
  package static let path = "/agent/1/socket"

  private let desk: AgentSocketDesk

  /// - Parameter acts: all that agents can do there.
  package init(routes: AgentRoutes, acts: [BoundAgentAct], limits: AgentSocketLimits = AgentSocketLimits()) {
    desk = AgentSocketDesk(routes: routes, acts: acts, limits: limits)
  }

  /// - Parameter target: path and query string.
  package static func takes(_ target: String) -> Bool {
    let rest = target.utf8.dropFirst(path.utf8.count)
    return target.utf8.starts(with: path.utf8) && (rest.isEmpty || rest.first == UInt8(ascii: "?"))
  }

  /// Makes this an agent's socket, or says why not.
  package func serve(_ head: HTTPRequestHead, on connection: HTTPConnectionHandler) {
    do throws(EdgeFailure) {
      try connection.checkUpgrade(head)
      guard !connection.residents.isStopping else { throw .unavailable("The server is not ready") }
      desk.routes.tokens.noteVisit(head, from: connection.clientAddress)
      let visit = AgentSocketVisit(
        token: try token(head), after: try Self.after(head.uri),
        requested: RequestedAddress(
          authority: head.headers.first(name: "host"), isTLS: connection.isTLS,
          localPort: connection.context?.channel.localAddress?.port ?? 0),
        address: connection.clientAddress)
      connection.switchProtocols(
        try WebSocketHandshake(head), textBytesMaximum: connection.services.limits.webSocketMessageBytesMaximum,
        to: AgentSocketHandler(desk, visit, services: connection.services, residents: connection.residents))
    } catch {
      connection.respond(error)
    }
  }

  /// Nil without `Authorization`, which pages cannot set, and without a session, which only pages of this server show.
  private func token(_ head: HTTPRequestHead) throws(EdgeFailure) -> AccessToken? {
    if let authorization = head.headers.first(name: "authorization") {
      return try desk.routes.tokens.agent(bearing: TokenStore.bearer(of: authorization))
    }
    return try ShownSession(head).flatMap { desk.routes.tokens.token(ofSession: $0.secret) }?.admittedToChats()
  }

  /// The number of the last event that the client has; nil without one.
  private static func after(_ target: String) throws(EdgeFailure) -> UInt64? {
    var parameters = RequestParameters()
    do throws(ParameterFailure) {
      try parameters.addForm(target.utf8.dropFirst(path.utf8.count + 1))
    } catch {
      throw EdgeFailure(error)
    }
    guard let text = try parameters.all(of: ["after"])["after"] else { return nil }
    guard text.utf8.count <= 18, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = UInt64(text) else {
      throw .badParameter("after", "is not the number of an event")
    }
    return number
  }
}
