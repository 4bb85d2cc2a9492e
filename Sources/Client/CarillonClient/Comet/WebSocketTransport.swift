import Bayeux
import NIOCore

/// All exchanges share one socket, which is opened when it is first needed and again after a loss.
///
/// The socket's callbacks run on its event loop; they hand everything to a stream that one task reads in order.
actor WebSocketTransport: CometTransport {
  nonisolated let type = ConnectionType.webSocket
  private let address: ServerAddress
  private let headers: [(name: String, value: String)]
  private let loop: any EventLoop
  private let security: TransportSecurity?
  private let trace: (@Sendable (WireTrace) -> Void)?
  private let deliver: CometDelivery

  private var socket: Socket?
  private var opening: Task<Socket, any Error>?
  private var pending: [Int: Pending] = [:]
  private var nextID = 1

  /// A socket together with the task that reads it.
  private struct Socket: Sendable {
    let connection: NIOLoopBoundBox<WebSocketConnection?>
    let number: Int
  }

  private struct Pending {
    let ids: [String]
    var replies: [String: CometMessage] = [:]
    let continuation: CheckedContinuation<[CometMessage], any Error>
    let deadline: Task<Void, Never>
  }

  private enum Incoming: Sendable {
    case text([UInt8])
    case closed(ClientError)
  }

  init(
    address: ServerAddress, headers: [(name: String, value: String)], loop: any EventLoop,
    security: TransportSecurity?, trace: (@Sendable (WireTrace) -> Void)?, deliver: @escaping CometDelivery
  ) {
    self.address = address
    self.headers = headers
    self.loop = loop
    self.security = security
    self.trace = trace
    self.deliver = deliver
  }

  func exchange(_ requests: [CometRequest], timeout: Duration) async throws(ClientError) -> [CometMessage] {
    let firstID = nextID
    nextID += requests.count
    let body = encode(requests, firstID: firstID)
    let ids = requests.indices.map { String(firstID + $0) }
    do {
      let socket = try await openSocket()
      return try await withTaskCancellationHandler {
        try await withCheckedThrowingContinuation { continuation in
          let deadline = Task { [weak self] in
            guard (try? await Task.sleep(for: timeout)) != nil else { return }
            await self?.fail(firstID, .timedOut)
          }
          pending[firstID] = Pending(ids: ids, continuation: continuation, deadline: deadline)
          trace?(WireTrace(direction: .sent, summary: "websocket", body: body))
          loop.execute { socket.connection.value?.send(ByteBuffer(bytes: body)) }
          if self.socket?.number != socket.number { fail(firstID, .connectionClosed) }
        }
      } onCancel: {
        Task { await self.fail(firstID, .stopped) }
      }
    } catch let error as ClientError {
      throw error
    } catch {
      throw .connectionClosed
    }
  }

  func close() {
    opening?.cancel()
    guard let socket else { return }
    self.socket = nil
    loop.execute { socket.connection.value?.close() }
    for key in pending.keys { fail(key, .stopped) }
  }

  private var socketCount = 0

  private func openSocket() async throws -> Socket {
    if let socket { return socket }
    // Two callers at once share one attempt.
    if let opening { return try await opening.value }
    socketCount += 1
    let number = socketCount
    let task = Task { try await self.open(number) }
    opening = task
    defer { opening = nil }
    return try await task.value
  }

  private func open(_ number: Int) async throws -> Socket {
    let (stream, incoming) = AsyncStream.makeStream(
      of: Incoming.self, bufferingPolicy: .bufferingOldest(Limits.waitingEventsMaximum))
    let box = NIOLoopBoundBox<WebSocketConnection?>.makeEmptyBox(valueType: WebSocketConnection.self, eventLoop: loop)
    try await WebSocketConnection.open(
      to: address, path: "/genesys/cometd", headers: headers, on: loop, security: security
    ) { connection in
      box.value = connection
      connection.onText = { connection, text in
        if case .dropped = incoming.yield(.text(Array(text.readableBytesView))) {
          connection.close(because: .malformedResponse("messages come faster than they are read"))
        }
      }
      connection.onClose = { _, error in
        incoming.yield(.closed(error ?? .connectionClosed))
        incoming.finish()
        box.value = nil
      }
    }.get()
    let socket = Socket(connection: box, number: number)
    self.socket = socket
    // Ends with the stream, which ends with the socket.
    Task { [weak self] in
      for await item in stream { await self?.received(item, on: number) }
    }
    return socket
  }

  private func received(_ item: Incoming, on number: Int) async {
    switch item {
    case .closed(let error):
      guard socket?.number == number else { return }
      socket = nil
      for key in pending.keys { fail(key, error) }
    case .text(let bytes):
      trace?(WireTrace(direction: .received, summary: "websocket", body: bytes))
      let messages: [CometMessage]
      do {
        messages = try CometMessage.messages(in: bytes)
      } catch {
        for key in pending.keys { fail(key, error) }
        return
      }
      let events = messages.filter { $0.successful == nil }
      if !events.isEmpty { await deliver(events) }
      for reply in messages where reply.successful != nil { resolve(reply) }
    }
  }

  private func resolve(_ reply: CometMessage) {
    guard let id = reply.id, let key = pending.first(where: { $0.value.ids.contains(id) })?.key else { return }
    pending[key]?.replies[id] = reply
    guard let exchange = pending[key], exchange.replies.count == exchange.ids.count else { return }
    pending[key] = nil
    exchange.deadline.cancel()
    exchange.continuation.resume(returning: exchange.ids.compactMap { exchange.replies[$0] })
  }

  private func fail(_ key: Int, _ error: ClientError) {
    guard let exchange = pending.removeValue(forKey: key) else { return }
    exchange.deadline.cancel()
    exchange.continuation.resume(throwing: error)
  }
}
