public import NIOCore
public import NIOPosix

/// Asks one server, over as many kept-alive connections as there are requests at a time.
///
/// A request that finds its kept-alive connection closed by the server before a byte of an answer came fails with
/// `ClientError.connectionClosed`; nothing is ever sent twice behind the caller's back.
public final class HTTPPool: Sendable {
  public let address: ServerAddress
  private let loop: any EventLoop
  private let core: NIOLoopBoundBox<Core>

  /// - Parameter group: one of its loops serves this pool.
  public init(
    _ address: ServerAddress, group: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton,
    security: TransportSecurity? = nil
  ) {
    self.address = address
    let loop = group.next()
    self.loop = loop
    core = NIOLoopBoundBox.makeBoxSendingValue(Core(address, loop: loop, security: security), eventLoop: loop)
  }

  /// Sends `request` and waits for the whole response, whatever its status.
  /// Cancelling the task closes the connection under the request.
  /// - Throws: `ClientError`.
  public func response(
    to request: HTTPRequest, timeout: Duration = .seconds(10)
  ) async throws(ClientError) -> HTTPResponse {
    let exchange = Exchange(loop: loop)
    let bytes = request.bytes(for: address)
    do {
      return try await withTaskCancellationHandler {
        try await loop.flatSubmit { [core] in
          core.value.begin(bytes, exchange, timeout: TimeAmount(timeout))
          return exchange.promise.futureResult
        }.get()
      } onCancel: {
        loop.execute { [core] in core.value.end(exchange, .failure(.stopped)) }
      }
    } catch let error as ClientError {
      throw error
    } catch {
      throw .connectionClosed
    }
  }

  /// Closes every connection; requests under way fail with `ClientError.stopped`.
  public func shutDown() { loop.execute { [core] in core.value.shutDown() } }
}

extension HTTPPool {
  /// One request on its way. Its fields belong to the loop.
  fileprivate final class Exchange: @unchecked Sendable {
    // Unchecked: created anywhere, but only `Core` reads and writes the fields, on its loop.
    let promise: EventLoopPromise<HTTPResponse>
    var connection: HTTPConnection?
    var deadline: Scheduled<Void>?
    var isDone = false

    init(loop: any EventLoop) { promise = loop.makePromise() }
  }

  /// The part that lives on the event loop.
  fileprivate final class Core {
    private let address: ServerAddress
    private let loop: any EventLoop
    private let security: TransportSecurity?
    private var idle: [HTTPConnection] = []
    private var busy: [ObjectIdentifier: Exchange] = [:]
    private var isShutDown = false

    init(_ address: ServerAddress, loop: any EventLoop, security: TransportSecurity?) {
      self.address = address
      self.loop = loop
      self.security = security
    }

    func begin(_ bytes: ByteBuffer, _ exchange: Exchange, timeout: TimeAmount) {
      guard !isShutDown, !exchange.isDone else { return end(exchange, .failure(.stopped)) }
      let bound = NIOLoopBound(self, eventLoop: loop)
      exchange.deadline = loop.scheduleTask(in: timeout) { bound.value.end(exchange, .failure(.timedOut)) }
      while let connection = idle.popLast() {
        guard connection.isOpen else { continue }
        return use(connection, for: exchange, bytes)
      }
      let opened = NIOLoopBoundBox<HTTPConnection?>(nil, eventLoop: loop)
      HTTPConnection.open(to: address, on: loop, security: security) { connection in
        opened.value = connection
        connection.onResponse = { bound.value.answered($0, $1) }
        connection.onClose = { bound.value.closed($0, $1) }
      }.whenComplete { result in
        switch result {
        case .success: if let connection = opened.value { bound.value.use(connection, for: exchange, bytes) }
        case .failure(let error):
          bound.value.end(exchange, .failure(error as? ClientError ?? .unreachable("\(error)")))
        }
      }
    }

    private func use(_ connection: HTTPConnection, for exchange: Exchange, _ bytes: ByteBuffer) {
      guard !exchange.isDone, !isShutDown else { return connection.close() }
      guard connection.isOpen else { return end(exchange, .failure(.connectionClosed)) }
      exchange.connection = connection
      busy[ObjectIdentifier(connection)] = exchange
      connection.send(bytes)
    }

    private func answered(_ connection: HTTPConnection, _ response: HTTPResponse) {
      guard let exchange = busy.removeValue(forKey: ObjectIdentifier(connection)) else { return connection.close() }
      exchange.connection = nil
      if connection.isOpen, !isShutDown, idle.count < Limits.idleConnectionsMaximum {
        idle.append(connection)
      } else {
        connection.close()
      }
      end(exchange, .success(response))
    }

    private func closed(_ connection: HTTPConnection, _ error: ClientError?) {
      idle.removeAll { $0 === connection }
      guard let exchange = busy.removeValue(forKey: ObjectIdentifier(connection)) else { return }
      exchange.connection = nil
      end(exchange, .failure(error ?? .connectionClosed))
    }

    func end(_ exchange: Exchange, _ result: Result<HTTPResponse, ClientError>) {
      guard !exchange.isDone else { return }
      exchange.isDone = true
      exchange.deadline?.cancel()
      exchange.deadline = nil
      if let connection = exchange.connection {
        exchange.connection = nil
        busy[ObjectIdentifier(connection)] = nil
        connection.close()
      }
      exchange.promise.completeWith(result.mapError { $0 as any Error })
    }

    func shutDown() {
      isShutDown = true
      for exchange in busy.values { end(exchange, .failure(.stopped)) }
      for connection in idle { connection.close() }
      idle = []
    }
  }
}
