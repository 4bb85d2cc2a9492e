package import CarillonClient
package import JSONEnvelope
import NIOCore
import NIOPosix

/// One Comet message to the server and its reply back, or an error; nothing is tried twice.
package protocol BareComet: Sendable {
  /// - Parameter deliver: takes each event at the moment it comes, whatever becomes of the reply.
  /// - Throws: `ClientError`, `NotReady`, `UnexpectedAnswer`.
  func exchange(_ message: String, deliver: @Sendable (JSONValue) -> Void) async throws -> JSONValue

  /// Lets go of its connection, if it has one of its own.
  func close() async
}

/// The server refused the request because it is not ready yet.
package struct NotReady: Error {}

/// An answer that no server of ours gives.
package struct UnexpectedAnswer: Error, CustomStringConvertible {
  package let description: String
}

/// Each exchange is a POST.
package struct PollingComet: BareComet {
  private let pool: HTTPPool
  private let user: String

  /// - Parameter pool: its owner shuts it down.
  package init(pool: HTTPPool, user: String) {
    self.pool = pool
    self.user = user
  }

  package func close() {}

  package func exchange(_ message: String, deliver: @Sendable (JSONValue) -> Void) async throws -> JSONValue {
    let request = HTTPRequest(
      .post, "/genesys/cometd", headers: [(name: "gms_user", value: user)], contentType: "application/json",
      body: Array("[\(message)]".utf8))
    let response = try await pool.response(to: request, timeout: .seconds(60))
    if response.status == 503 { throw NotReady() }
    guard response.status == 200, let messages = try JSONValue(parsing: response.bodyBytes).array,
      let reply = messages.last, reply["successful"] != nil
    else {
      throw UnexpectedAnswer(
        description: "answered \(response.status): \(String(decoding: response.bodyBytes, as: UTF8.self))")
    }
    for event in messages.dropLast() { deliver(event) }
    return reply
  }
}

/// All exchanges share one WebSocket, opened anew after each loss.
package actor SocketComet: BareComet {
  private let address: ServerAddress
  private let user: String
  private let loop = MultiThreadedEventLoopGroup.singleton.next()
  private var socket: (box: NIOLoopBoundBox<WebSocketConnection?>, frames: AsyncStream<[UInt8]>.Iterator)?

  package init(_ address: ServerAddress, user: String) {
    self.address = address
    self.user = user
  }

  package func exchange(_ message: String, deliver: @Sendable (JSONValue) -> Void) async throws -> JSONValue {
    let opened = try await open()
    let box = opened.box
    var frames = opened.frames
    loop.execute { box.value?.send(ByteBuffer(string: "[\(message)]")) }
    while let frame = await frames.next(isolation: self) {
      socket?.frames = frames
      var reply: JSONValue?
      for message in try JSONValue(parsing: frame).array ?? [] {
        if message["successful"] == nil { deliver(message) } else { reply = message }
      }
      if let reply { return reply }
    }
    close()
    try Task.checkCancellation()
    throw ClientError.connectionClosed
  }

  package func close() {
    guard let box = socket?.box else { return }
    socket = nil
    loop.execute { box.value?.close() }
  }

  private func open() async throws -> (
    box: NIOLoopBoundBox<WebSocketConnection?>, frames: AsyncStream<[UInt8]>.Iterator
  ) {
    if let socket { return socket }
    let (stream, incoming) = AsyncStream.makeStream(of: [UInt8].self)
    let box = NIOLoopBoundBox<WebSocketConnection?>.makeEmptyBox(valueType: WebSocketConnection.self, eventLoop: loop)
    try await WebSocketConnection.open(
      to: address, path: "/genesys/cometd", headers: [(name: "gms_user", value: user)], on: loop
    ) { connection in
      box.value = connection
      connection.onText = { _, text in incoming.yield(Array(text.readableBytesView)) }
      connection.onClose = { _, _ in
        incoming.finish()
        box.value = nil
      }
    }.get()
    let opened = (box: box, frames: stream.makeAsyncIterator())
    socket = opened
    return opened
  }
}
