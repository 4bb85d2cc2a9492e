import EdgeSecurity
import HTTPTypes
import Hummingbird
import NIOCore
import NIOHTTP1

/// Requests for the router: one `Task` each, which this connection owns, and which the client's leaving cancels.
extension HTTPConnectionHandler {
  /// Bodies of known length up to this many bytes are collected and leave in one write with their head.
  private static let collectedBytesMaximum = 262_144

  /// Has the router answer.
  /// - Parameter path: the target as the router has it; nil for the one that was asked for.
  package func route(_ request: RequestInProgress, as path: String? = nil) {
    guard let context else { return }
    // 200 would say that it is one.
    guard stream?.asksForTunnel != true else { return respond(.malformed("This resource is no WebSocket")) }
    let userKey: String?
    do throws(EdgeFailure) {
      userKey = surface.namesUsers ? try caller(request.head).userKey : nil
    } catch {
      return respond(error)
    }
    tell(.routes)
    if mayShowSession { services.tokens.noteVisit(request.head, from: clientAddress) }
    let source = EdgeRequestSource(
      logger: services.logger, isTLS: services.isTLS,
      isSecure: services.settings.proxies.sayTLS(request.head.headers, peer: peer),
      localPort: context.channel.localAddress?.port ?? 0,
      clientAddress: clientAddress,
      sharer: services.budgets.sharer(clientAddress))
    var head = HTTPRequest(request.head, scheme: services.isTLS ? "https" : "http")
    head.headerFields[.gmsUser] = userKey
    if let path { head.path = path }
    let work = Request(head: head, body: RequestBody(buffer: request.body ?? ByteBuffer()))
    let mayCompress = site.mayCompress(request.head.uri)
    task = Task { [self, surface] in
      await serve(work, EdgeRequestContext(source: source), surface, mayCompress: mayCompress)
    }
  }

  /// Has `work` answer, past the router. Its answer is written on the event loop, if `isRouting` still.
  package func work(_ work: @escaping @Sendable () async -> Void) {
    tell(.routes)
    task = Task { await work() }
  }

  /// As `work`, where the work is short and done on somebody's lane: there is no task, and nothing that the client's
  /// leaving could cancel.
  package func workElsewhere() { tell(.routes) }

  /// Goes on with what was begun elsewhere, on a task of its own: also for a client that has left meanwhile, as work does
  /// that was begun before.
  package func workOn(_ work: @escaping @Sendable () async -> Void) { task = Task { await work() } }

  /// Somebody works on the request, and its client waits.
  package var isRouting: Bool { machine.isRouting }

  private nonisolated func serve(
    _ request: Request, _ context: EdgeRequestContext, _ surface: HTTPSurface, mayCompress: Bool
  ) async {
    var response: Response
    do {
      response = try await services.responder.respond(to: request, context: context)
      if mayCompress { response = try await services.compressedAnswers.answer(response, to: request) }
    } catch {
      response = site.response(to: EdgeFailure(describing: error, logger: services.logger), on: surface)
    }
    do {
      if let length = response.body.contentLength, length <= Self.collectedBytesMaximum {
        let collector = BodyCollector()
        try await response.body.write(collector)
        let (head, body) = (response.head, collector.buffer)
        eventLoop.execute { self.deliver(head, body) }
      } else {
        try await stream(response)
      }
    } catch {
      // Half a body cannot be taken back: only the end of the connection says that it is one.
      eventLoop.execute { self.close() }
    }
  }

  private nonisolated func stream(_ response: Response) async throws {
    let (head, length) = (response.head, response.body.contentLength)
    try await eventLoop.flatSubmit { self.beginStream(head, length: length) }.get()
    try await response.body.write(ConnectionBodyWriter(connection: self))
    eventLoop.execute { self.endStream() }
  }

  // MARK: On the event loop

  private func deliver(_ head: HTTPResponse, _ body: ByteBuffer) {
    guard machine.isRouting else { return }
    if let refusal = refusalOfWrongCredential(head.status) { return respond(refusal) }
    var buffer = responseBuffer(capacity: 512 + body.readableBytes)
    let hasNoBody = head.status.kind == .informational || head.status == .noContent || head.status == .notModified
    // The answer to HEAD has no body, but the length of the one that GET would have.
    let length = machine.isHead ? head.headerFields[.contentLength].flatMap { Int($0) } ?? 0 : body.readableBytes
    writeHead(head, framing: hasNoBody ? .none : .length(length), into: &buffer)
    if !machine.isHead, !hasNoBody { buffer.writeImmutableBuffer(body) }
    write(buffer, status: head.status.code)
  }

  private func beginStream(_ head: HTTPResponse, length: Int?) -> EventLoopFuture<Void> {
    guard machine.isRouting, let context else { return eventLoop.makeFailedFuture(ChannelError.ioOnClosedChannel) }
    let isEventStream = head.headerFields[.contentType]?.hasPrefix("text/event-stream") == true
    tell(.streams(hasLength: length != nil, isEventStream: isEventStream))
    let isChunked = machine.stream?.isChunked == true
    var buffer = responseBuffer(capacity: 512)
    writeHead(head, framing: length.map { .length($0) } ?? (isChunked ? .chunked : .none), into: &buffer)
    services.metrics.countResponse(surface, status: head.status.code)
    answers(status: head.status.code, bytes: 0)
    return write(part: buffer, context)
  }

  func writePart(_ part: ByteBuffer) -> EventLoopFuture<Void> {
    guard let stream = machine.stream, let context else {
      return eventLoop.makeFailedFuture(ChannelError.ioOnClosedChannel)
    }
    guard !machine.isHead, part.readableBytes > 0 else { return eventLoop.makeSucceededVoidFuture() }
    guard stream.isChunked else { return write(part: part, context) }
    var buffer = responseBuffer(capacity: part.readableBytes + 16)
    ResponseSerializer.chunk(part, into: &buffer)
    return write(part: buffer, context)
  }

  private func write(part: ByteBuffer, _ context: ChannelHandlerContext) -> EventLoopFuture<Void> {
    tell(.partBegins)
    entry?.bytes += part.readableBytes
    let promise = eventLoop.makePromise(of: Void.self)
    promise.futureResult.whenComplete { _ in self.tell(.partWritten) }
    context.writeAndFlush(wrapOutboundOut(part), promise: promise)
    return promise.futureResult
  }

  /// A comment: it keeps proxies from closing a silent stream, and finds out whether the client is still there.
  func writeHeartbeat() {
    var comment = responseBuffer(capacity: 8)
    comment.writeStaticString(":\n\n")
    _ = writePart(comment)
  }

  private func endStream() {
    guard let stream = machine.stream else { return }
    var buffer = responseBuffer(capacity: 8)
    if stream.isChunked, !machine.isHead { ResponseSerializer.lastChunk(into: &buffer) }
    entry?.bytes += buffer.readableBytes
    writeEnd(buffer)
  }

  private func writeHead(_ head: HTTPResponse, framing: ResponseSerializer.Framing, into buffer: inout ByteBuffer) {
    ResponseSerializer.statusLine(head.status, into: &buffer)
    ResponseSerializer.fields(head.headerFields, into: &buffer)
    writeCrossOriginFields(into: &buffer)
    finishHead(framing, into: &buffer)
  }
}

/// Takes a short body, to be sent in one write with its head.
final class BodyCollector: ResponseBodyWriter {
  private(set) var buffer = ByteBuffer()

  func write(_ part: ByteBuffer) async throws { buffer.writeImmutableBuffer(part) }

  func finish(_ trailingHeaders: HTTPFields?) async throws {}
}

/// Writes the parts of a long body; each waits until the client's socket has taken it.
private struct ConnectionBodyWriter: ResponseBodyWriter {
  let connection: HTTPConnectionHandler

  func write(_ part: ByteBuffer) async throws {
    try await connection.eventLoop.flatSubmit { connection.writePart(part) }.get()
  }

  func finish(_ trailingHeaders: HTTPFields?) async throws {}
}

extension HTTPRequest {
  /// A field whose name or value HTTP does not allow is left out.
  init(_ head: HTTPRequestHead, scheme: String) {
    self.init(
      method: HTTPRequest.Method(rawValue: head.method.rawValue) ?? .get, scheme: scheme,
      authority: head.headers.first(name: "host"), path: head.uri)
    for (name, value) in head.headers {
      if let name = HTTPField.Name(name) { headerFields.append(HTTPField(name: name, value: value)) }
    }
  }
}
