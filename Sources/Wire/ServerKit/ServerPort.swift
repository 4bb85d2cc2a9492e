package import Logging
package import NIOCore
import ServiceLifecycle

/// A port of a server: what the server has of it from the beginning, whether it listens yet or not.
package final class ServerPort: Sendable {
  package let admission: ConnectionAdmission
  private let bound = BoundAddress()

  package init(admission: ConnectionAdmission) { self.admission = admission }

  /// Where the port listens; waits until it does. - Throws: what kept it from listening.
  package var boundAddress: SocketAddress {
    get async throws { try await bound.value }
  }

  /// The number of `boundAddress`.
  package var boundPort: Int {
    get async throws { try await boundAddress.port ?? 0 }
  }

  /// Connections that are open.
  package var connectionCount: Int { admission.connections.current }

  /// Opens the port, once.
  ///
  /// - Parameter prepare: what has to be done before; what it throws keeps the port from listening.
  package func open(_ prepare: () async throws -> Listener) async throws -> OpenPort {
    do {
      let open = try await prepare().listen(admission)
      bound.settle(.success(open.address))
      return open
    } catch {
      bound.settle(.failure(error))
      throw error
    }
  }

  /// Opens the port, once, and closes it at the graceful shutdown, or when the task is cancelled.
  ///
  /// - Parameters:
  ///   - news: what the log says once the port listens.
  ///   - grace: what the connections get to come to their end.
  ///   - prepare: as for `open`.
  package func serve(
    _ news: Logger.Message, _ logger: Logger, grace: Duration, _ prepare: () async throws -> Listener
  ) async throws {
    let open = try await open(prepare)
    logger.info(news, metadata: ["port": "\(open.number)"])
    try? await gracefulShutdown()
    await open.close(grace: grace)
  }
}
