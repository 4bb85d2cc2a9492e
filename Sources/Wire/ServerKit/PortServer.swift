package import NIOCore
package import ServiceLifecycle

/// A server that is one port.
package protocol PortServer: Service {
  var port: ServerPort { get }
}

extension PortServer {
  /// Where the server listens; waits until it does. - Throws: what kept it from listening.
  package var boundAddress: SocketAddress {
    get async throws { try await port.boundAddress }
  }

  /// The number of `boundAddress`'s port.
  package var boundPort: Int {
    get async throws { try await port.boundPort }
  }

  /// Connections that are open.
  package var connectionCount: Int { port.connectionCount }
}
