internal import NIOCore
internal import NIOHTTP2
internal import NIOSSL
internal import NIOTLS

/// How the connection comes to be, and what its channel tells beside frames.
extension OriginConnection {
  /// The TCP connection stands; nothing has been read from it yet.
  func begin(on channel: any Channel) {
    guard phase == .connecting, channel.isActive else {
      channel.close(promise: nil)
      return fail(ConnectFailure("connection closed at once"))
    }
    core.channels += 1
    do {
      if let tls = core.tls {
        let handler = try NIOSSLClientHandler(context: tls, serverHostname: core.settings.certificateName)
        try channel.pipeline.syncOperations.addHandler(handler)
      }
      try channel.pipeline.syncOperations.addHandler(self)
      if core.tls == nil, let context { speakHTTP2(context) }
      try channel.syncOptions?.setOption(.autoRead, value: true)
    } catch {
      fail(ConnectFailure(error))
      if context == nil {
        core.channels -= 1
        channel.close(promise: nil)
      }
    }
  }

  func handlerAdded(context: ChannelHandlerContext) { self.context = context }
  func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

  func channelInactive(context: ChannelHandlerContext) {
    switch phase {
    case .connecting: fail(failure ?? ConnectFailure("connection closed at once"))
    case .open, .draining: settleAll()
    case .closed: break
    }
    core.channelEnded()
    core.pump()
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    if error is any NIOHTTP2Error {
      // What breaks one stream only arrives here too; its `StreamClosedEvent` settles that one.
      guard hasGivenUp || phase == .connecting else { return }
      closeReason = "protocol error"
    } else if failure == nil {
      failure = ConnectFailure(error)
    }
    switch phase {
    case .connecting: fail(failure ?? ConnectFailure("protocol error"))
    case .open, .draining:
      settleAll()
      context.close(promise: nil)
    case .closed: break
    }
    core.pump()
  }

  func channelWritabilityChanged(context: ChannelHandlerContext) {
    isWritable = context.channel.isWritable
    if isWritable { core.pump() }
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    // Looked at before it is taken out: a cast that fails costs more than one that does not, and each stream has three.
    switch ObjectIdentifier(type(of: event)) {
    case Self.streamClosed: if let event = event as? StreamClosedEvent { ended(event) }
    case Self.windowUpdated: if let event = event as? NIOHTTP2WindowUpdatedEvent { window(event, context) }
    case Self.streamCreated: break
    default: negotiated(event, context)
    }
  }

  private static let streamClosed = ObjectIdentifier(StreamClosedEvent.self)
  private static let streamCreated = ObjectIdentifier(NIOHTTP2StreamCreatedEvent.self)
  private static let windowUpdated = ObjectIdentifier(NIOHTTP2WindowUpdatedEvent.self)

  private func negotiated(_ event: Any, _ context: ChannelHandlerContext) {
    switch event {
    case TLSUserEvent.handshakeCompleted(let negotiated):
      guard negotiated == "h2" else { return fail(ConnectFailure("peer speaks no HTTP/2", isUnusable: true)) }
      speakHTTP2(context)
    default: break
    }
  }

  func channelReadComplete(context: ChannelHandlerContext) {
    health.read(at: .now())
    if awaitingEnd > 0 {
      for exchange in streams.values where exchange.isSettled { reset(exchange.stream) }
    }
    if phase == .draining, streams.isEmpty { close(because: "drained") }
    core.pump()
    flush()
  }

  private func speakHTTP2(_ context: ChannelHandlerContext) {
    do {
      let handlers: [any ChannelHandler] = [WriteCoalescer(), makeHTTP2Handler()]
      try context.pipeline.syncOperations.addHandlers(handlers, position: .before(self))
      let increment = Limits.connectionWindowBytes - 65_535
      write(.windowUpdate(windowSizeIncrement: increment), on: .rootStream, in: context)
      flush()
    } catch {
      fail(ConnectFailure("connection failed"))
    }
  }

  private func makeHTTP2Handler() -> NIOHTTP2Handler {
    var connection = NIOHTTP2Handler.ConnectionConfiguration()
    // The stream windows are never opened again: a whole answer and the frame that goes over it must fit.
    let window = max(65_535, core.settings.responseBytesMaximum + (32 << 10))
    connection.initialSettings = [
      HTTP2Setting(parameter: .enablePush, value: 0),
      HTTP2Setting(parameter: .initialWindowSize, value: window),
      HTTP2Setting(parameter: .maxHeaderListSize, value: Limits.headerListBytesMaximum),
    ]
    // Ours are looked at before they are written, answers when they come: NIOHTTP2's look takes four times as long.
    connection.headerBlockValidation = .disabled
    connection.maximumSequentialEmptyDataFrames = Limits.emptyFramesMaximum
    // What arrives late for a stream that we gave up must not break the connection.
    connection.maximumRecentlyResetStreams = Limits.streamsPerConnectionMaximum
    connection.maximumConnectionGlitches = Limits.glitchesMaximum
    connection.controlFrameRateLimit.maximumCount = Limits.floodFramesMaximum
    var stream = NIOHTTP2Handler.StreamConfiguration()
    stream.streamResetFrameRateLimit.maximumCount = Limits.floodFramesMaximum
    stream.streamErrorRateLimit.maximumCount = Limits.floodFramesMaximum
    return NIOHTTP2Handler(
      mode: .client, frameDelegate: self, connectionConfiguration: connection, streamConfiguration: stream)
  }
}

extension OriginConnection: NIOHTTP2FrameDelegate {
  func wroteFrame(_ frame: HTTP2Frame) {
    switch frame.payload {
    case .headers: streams[frame.streamID]?.isWritten = true
    case .goAway where phase != .closed: hasGivenUp = true
    default: break
    }
  }
}
