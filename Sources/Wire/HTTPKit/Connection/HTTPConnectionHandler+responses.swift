import HTTPTypes
package import NIOCore

/// From an answer to bytes on the wire.
extension HTTPConnectionHandler {
  /// Answers and goes on with the connection, if the client wants to.
  package func respond(_ failure: EdgeFailure) {
    let failure = refusalOfWrongCredential(failure.status) ?? failure
    let (contentType, body) = site.body(of: failure, on: self)
    var buffer = responseBuffer(capacity: 384 + body.count)
    ResponseSerializer.statusLine(failure.status, into: &buffer)
    ResponseSerializer.fixedFields(contentType, into: &buffer)
    ResponseSerializer.fields(failure.fields, into: &buffer)
    writeCrossOriginFields(into: &buffer)
    finishHead(.length(body.count), into: &buffer)
    if !machine.isHead { buffer.writeBytes(body) }
    write(buffer, status: failure.status.code)
  }

  /// Answers with what `work` has come to, if its client waits still: one JSON value, or why there is none.
  package func deliver(_ result: Result<[UInt8], EdgeFailure>) {
    guard isRouting else { return }
    switch result {
    case .success(let body): respond(with: body)
    case .failure(let failure): respond(failure)
    }
  }

  /// Answers with one JSON value.
  private func respond(with body: [UInt8]) {
    var buffer = responseBuffer(capacity: 384 + body.count)
    ResponseSerializer.statusLine(.ok, into: &buffer)
    ResponseSerializer.fixedFields(into: &buffer)
    writeCrossOriginFields(into: &buffer)
    finishHead(.length(body.count), into: &buffer)
    if !machine.isHead { buffer.writeBytes(body) }
    write(buffer, status: 200)
  }

  /// Answers a request that has not been read to its end, and gives the connection up.
  func refuse(_ failure: EdgeFailure) {
    tell(.refuses)
    respond(failure)
  }

  /// What a client is told whose request is not read to its end.
  func failure(_ refusal: HTTPConnectionRefusal) -> EdgeFailure {
    switch refusal {
    case .unreadable: EdgeFailure(flaw ?? .malformed)
    case .slowHead:
      EdgeFailure(.requestTimeout, "The request took too long", exception: "RequestTimeoutException")
    case .slowBody:
      EdgeFailure(.requestTimeout, "The body came too slowly", exception: "RequestTimeoutException")
    case .bodyTooLarge(let limit): .bodyTooLarge(limit: limit)
    case .excess: .headTooLarge
    case .unknownExpectation:
      EdgeFailure(.expectationFailed, "Unknown expectation", exception: "ExpectationException")
    case .asJudged: incoming?.judgement.refusal ?? EdgeFailure(.malformed)
    }
  }

  /// Writes a whole response at once.
  package func write(_ response: ByteBuffer, status: Int) {
    services.metrics.countResponse(surface, status: status)
    answers(status: status, bytes: response.readableBytes)
    writeEnd(response)
  }

  /// Writes the response, or the last part of one; the connection goes on when the client's socket has taken it.
  func writeEnd(_ bytes: ByteBuffer) {
    guard let context else { return }
    tell(.answers)
    stream?.endsWithNextWrite()
    let promise = eventLoop.makePromise(of: Void.self)
    promise.futureResult.whenComplete { self.responseWritten($0) }
    context.writeAndFlush(wrapOutboundOut(bytes), promise: promise)
  }

  private func responseWritten(_ result: Result<Void, any Error>) {
    let isWritten = if case .success = result { true } else { false }
    finishEntry()
    if let poll {
      self.poll = nil
      poll.written(success: isWritten)
    }
    tellAndGoOn(.written(success: isWritten))
  }

  func writeContinue() {
    guard let context else { return }
    var buffer = responseBuffer(capacity: 32)
    buffer.writeStaticString("HTTP/1.1 100 Continue\r\n\r\n")
    context.writeAndFlush(wrapOutboundOut(buffer), promise: nil)
  }

  /// To HEAD all is answered but the body.
  package var isHead: Bool { machine.isHead }
  /// The connection ends with the answer.
  package var closesAfterResponse: Bool { machine.closesAfterResponse }

  /// Writes what every answer has, the framing fields and the blank line.
  package func finishHead(_ framing: ResponseSerializer.Framing, into buffer: inout ByteBuffer) {
    if surface.showsPages { SecurityFields.writeOfPages(into: &buffer) }
    ResponseSerializer.finishHead(
      framing, closing: machine.closesAfterResponse, services.securityFields, into: &buffer)
  }

  package func writeCrossOriginFields(into buffer: inout ByteBuffer) {
    guard surface.isForCustomers || (surface.isForStaff && services.settings.staffOrigins != .none) else { return }
    buffer.writeStaticString("Vary: Origin\r\n")
    guard let origin else { return }
    buffer.writeStaticString("Access-Control-Allow-Origin: ")
    buffer.writeString(origin)
    // What a browser has of its own, a session above all, is for pages of this server alone.
    if surface.isForCustomers { buffer.writeStaticString("\r\nAccess-Control-Allow-Credentials: true") }
    buffer.writeStaticString("\r\nAccess-Control-Expose-Headers: Link, Retry-After\r\n")
  }
}
