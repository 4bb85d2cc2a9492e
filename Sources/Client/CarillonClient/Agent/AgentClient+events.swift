import JSONEnvelope
import NIOCore

extension AgentClient {
  /// All events that this agent may see, from now on.
  ///
  /// A lost connection is taken up again where it ended, with growing pauses; what the server no longer has then is
  /// announced by `reset`. Ends when its reader's task is cancelled or falls too far behind, or when the server refuses
  /// the token.
  public func events(backOff: BackOff = BackOff()) -> AsyncStream<AgentEventMessage> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: AgentEventMessage.self, bufferingPolicy: .bufferingOldest(Limits.waitingEventsMaximum))
    let task = Task { [self] in
      var lastEventID: String?
      var failures = 0
      while !Task.isCancelled {
        let end = await readStream(after: lastEventID, into: continuation)
        lastEventID = end.lastEventID ?? lastEventID
        if let status = end.refusal, (400..<500).contains(status) { break }
        if let place = end.place { pool.servers.moveOn(from: place) }
        failures = end.hasBegun ? 1 : failures + 1
        guard (try? await Task.sleep(for: backOff.delay(afterFailures: failures))) != nil else { break }
      }
      continuation.finish()
    }
    continuation.onTermination = { _ in task.cancel() }
    return stream
  }

  private struct StreamEnd {
    /// The server that the stream came from; nil if none could be reached.
    var place: Int?
    var lastEventID: String?
    var hasBegun = false
    var refusal: Int?
  }

  private enum Piece: Sendable {
    case status(Int)
    case bytes(ByteBuffer)
  }

  /// Reads one response to its end.
  private func readStream(
    after lastEventID: String?, into continuation: AsyncStream<AgentEventMessage>.Continuation
  ) async -> StreamEnd {
    var headers = [
      (name: "Authorization", value: "Bearer \(token)"), (name: "Accept", value: "text/event-stream"),
    ]
    if let lastEventID { headers.append((name: "Last-Event-ID", value: lastEventID)) }
    let request = HTTPRequest(.get, "/agent/1/events", headers: headers)
    let (pieces, incoming) = AsyncStream.makeStream(
      of: Piece.self, bufferingPolicy: .bufferingOldest(Limits.waitingEventsMaximum))
    let box = NIOLoopBoundBox<HTTPConnection?>.makeEmptyBox(valueType: HTTPConnection.self, eventLoop: loop)
    var end = StreamEnd()
    return await withTaskCancellationHandler {
      let place: Int
      do {
        place = try await openStream(box, incoming)
      } catch {
        incoming.finish()
        return end
      }
      end.place = place
      let bytes = request.bytes(for: pool.servers.addresses[place])
      loop.execute { box.value?.send(bytes) }
      var parser = EventStreamParser()
      for await piece in pieces {
        switch piece {
        case .status(let status):
          guard status == 200 else {
            end.refusal = status
            loop.execute { box.value?.close() }
            continue
          }
          end.hasBegun = true
        case .bytes(let bytes):
          guard end.hasBegun else { continue }
          guard let events = try? parser.received(bytes) else {
            loop.execute { box.value?.close() }
            continue
          }
          end.lastEventID = parser.lastEventID ?? end.lastEventID
          for event in events {
            guard let message = AgentEventMessage(event) else { continue }
            if case .dropped = continuation.yield(message) { continuation.finish() }
          }
        }
      }
      return end
    } onCancel: {
      incoming.finish()
      loop.execute { box.value?.close() }
    }
  }

  /// A connection to the server in use, or to another one if that cannot be reached.
  /// - Returns: to which.
  private func openStream(
    _ box: NIOLoopBoundBox<HTTPConnection?>, _ incoming: AsyncStream<Piece>.Continuation
  ) async throws(ClientError) -> Int {
    let servers = pool.servers
    return try await servers.answer { [loop, security] place throws(ClientError) in
      do {
        try await HTTPConnection.open(to: servers.addresses[place], on: loop, streaming: true, security: security) {
          connection in
          box.value = connection
          connection.onResponse = { _, response in incoming.yield(.status(response.status)) }
          connection.onBodyPart = { connection, piece in
            if case .dropped = incoming.yield(.bytes(piece)) { connection.close() }
          }
          connection.onClose = { _, _ in incoming.finish() }
        }.get()
      } catch {
        throw ClientError(error)
      }
      return place
    }
  }
}

extension AgentEventMessage {
  /// Nil for an event whose data is no JSON.
  init?(_ event: EventStreamParser.Event) {
    guard let body = try? JSONValue(parsing: event.data) else { return nil }
    self.body = body
    chatID = body["chatId"]?.string ?? ""
    serviceID = body["serviceId"]?.string ?? ""
    kind =
      switch event.name {
      case "waiting": .waiting
      case "line": AgentChatLine(body["line"] ?? body).map(Kind.line) ?? .other(event.name)
      case "customerOnline": .customerOnline(body["customerOnline"]?.bool ?? body["online"]?.bool ?? false)
      case "typingPreview": .typingPreview((body["preview"] ?? body["text"])?.string ?? "")
      case "dataChanged": .dataChanged
      case "ended": .ended
      case "callback":
        (try? AgentCallback(body)).map { .callback($0, change: body["change"]?.string ?? "") } ?? .other(event.name)
      case "reset": .reset
      default: .other(event.name)
      }
  }
}
