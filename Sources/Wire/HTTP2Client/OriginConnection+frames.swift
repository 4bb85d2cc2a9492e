internal import NIOCore
internal import NIOHPACK
internal import NIOHTTP2

/// What comes in. Outcomes are settled by the frames; `StreamClosedEvent` only frees the place, because NIOHTTP2
/// reports every stream that a GOAWAY ended as CANCEL, processed or not. Spec: providers 7, "a trap".
extension OriginConnection {
  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    // A closing channel may still read; without agreement on HTTP/2 that would not even be frames.
    guard phase != .closed else { return }
    let frame = unwrapInboundIn(data)
    switch frame.payload {
    case .headers(let headers): received(headers, on: frame.streamID)
    case .data(let data): received(data, on: frame.streamID)
    case .rstStream(let code): received(reset: code, on: frame.streamID)
    case .settings(.settings(let settings)): received(settings)
    case .goAway(let last, let code, let opaque):
      received(GoAway(lastStreamID: Int(last), code: code, opaque: opaque.map { [UInt8]($0.readableBytesView) } ?? []))
    default: break
    }
  }

  private func received(_ headers: HTTP2Frame.FramePayload.Headers, on stream: HTTP2StreamID) {
    guard let exchange = streams[stream], !exchange.isSettled else { return }
    guard headers.headers.isWellFormed(asHeadOfAnswer: exchange.status == 0) else {
      resetLater(exchange)
      return exchange.settle(.unknown(reason: Self.brokenAnswer))
    }
    // After the final headers come only trailers, which nobody asked for; before them 1xx.
    if exchange.status == 0, let status = headers.headers.first(name: ":status").flatMap({ Int($0) }), status >= 200 {
      exchange.status = status
      exchange.headers = headers.headers
    }
    if headers.endStream { answered(exchange) }
  }

  private func received(_ data: HTTP2Frame.FramePayload.Data, on stream: HTTP2StreamID) {
    guard let exchange = streams[stream], !exchange.isSettled, case .byteBuffer(let bytes) = data.data else { return }
    let room = core.settings.responseBytesMaximum - exchange.body.count
    exchange.body.append(contentsOf: bytes.readableBytesView.prefix(room))
    if data.endStream {
      answered(exchange)
    } else if bytes.readableBytes > room {
      answered(exchange)
      reset(stream)
    }
  }

  private static let brokenAnswer = "answer broken"

  private func answered(_ exchange: Exchange) {
    resetLater(exchange)
    guard exchange.status > 0 else {
      return exchange.settle(.unknown(reason: "answer without status"))
    }
    let response = HTTP2Response(
      status: exchange.status, headers: exchange.headers, body: exchange.body, connection: id)
    hasAnswered = true
    if !budget.isProven, core.settings.isProof(response) { budget.prove() }
    core.answered(exchange, .answered(response))
  }

  /// Nothing more is wanted of a stream: if either side is still open when all is read, it is reset.
  private func resetLater(_ exchange: Exchange) {
    exchange.isAwaitingEnd = true
    awaitingEnd += 1
  }

  private func received(reset code: HTTP2ErrorCode, on stream: HTTP2StreamID) {
    guard let exchange = streams[stream] else { return }
    if code == .enhanceYourCalm { core.askedForCalm(at: exchange.order) }
    exchange.settle(StreamVerdict.reset(code))
  }

  private func received(_ settings: NIOHTTP2.HTTP2Settings) {
    if let limit = settings.last(where: { $0.parameter == .maxConcurrentStreams }) { budget.advertise(limit.value) }
    if phase == .connecting {
      phase = .open
      idleSince = .now()
      core.opened(self)
    }
  }

  /// Spec: providers 2.1, GOAWAY 1 to 5.
  private func received(_ notice: GoAway) {
    let isFirst = goAway == nil
    var notice = notice
    // A server may take back more with a second frame, never give back. Spec: RFC 9113, 6.8.
    if let goAway { notice.lastStreamID = min(notice.lastStreamID, goAway.lastStreamID) }
    goAway = notice
    if phase == .open { phase = .draining }
    if isFirst, !hasAnswered, hasOpenedStreams || core.waitingCount > 0 { isGoAwayLoop = core.countGoAway() }
    if notice.code == .enhanceYourCalm { core.askedForCalm(at: streams.values.map(\.order).max() ?? 0) }
    for exchange in streams.values where notice.refuses(exchange.stream) {
      exchange.settle(
        isGoAwayLoop
          ? .unusable(reason: "goaway loop") : .unprocessed(reason: notice.reason, isTransport: false))
    }
  }

  /// NIOHTTP2 has done with the stream: its place is free.
  func ended(_ event: StreamClosedEvent) {
    guard let exchange = streams.removeValue(forKey: event.streamID) else { return }
    budget.closed()
    if exchange.isAwaitingEnd { awaitingEnd -= 1 }
    // Not by a frame: NIOHTTP2 found the answer to be broken and reset the stream itself.
    exchange.settle(.unknown(reason: Self.brokenAnswer))
    if streams.isEmpty { idleSince = .now() }
  }

  /// Answers are small and read at once: the stream windows never need more, the connection's does.
  func window(_ event: NIOHTTP2WindowUpdatedEvent, _ context: ChannelHandlerContext) {
    guard event.streamID == .rootStream, let size = event.inboundWindowSize, phase != .closed else { return }
    guard size < Limits.connectionWindowBytes / 2 else { return }
    let increment = Limits.connectionWindowBytes - size
    write(.windowUpdate(windowSizeIncrement: increment), on: .rootStream, in: context)
  }
}
