import EdgeSecurity
import EngineKit
import NIOCore
import NIOHTTP2
import NetworkAddress
import ServerKit

/// One connection that speaks HTTP/2: stands below NIO's handler, which knows the protocol, and sees to what nobody else
/// does: how long the connection may last, how many streams there may be, and that it ends when it has to.
///
///     open ──idle, or the server stops──> quiescing ──no stream left──> closed
///       └──a GOAWAY that says why─────────────┴──> given up ──time──> closed
///
/// *quiescing* has told the client to open no more streams (NIO's handler of that does the telling, in two steps, and
/// closes behind the last stream); *given up* reads nothing any more, and waits for the client to read why.
///
/// Each stream is a channel of its own, with an `HTTPConnectionHandler` in it as if it were a connection for one request.
///
/// Safe to share because all state is touched on the channel's event loop only.
final class HTTP2ConnectionHandler: ChannelDuplexHandler, LoopResident, @unchecked Sendable {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer
  typealias OutboundIn = IOData
  typealias OutboundOut = IOData

  private enum Phase { case open, quiescing, givenUp, closed }

  /// Before the first frame. Spec: RFC 9113, 3.4.
  static let preface: StaticString = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"

  private let site: any HTTPSite
  private let services: HTTPServices
  private var residency: Residency
  private var phase = Phase.open
  private(set) var outlivesStop = false
  private var context: ChannelHandlerContext?
  /// How the connection ended, for those whose answers were written to it.
  private var arrival = ResponseArrival()
  private var incoming = HTTP2FrameScanner(passing: preface.utf8CodeUnitCount)
  private var outgoing = HTTP2FrameScanner()
  private var idleFrames: HTTP2IdleFrames
  private var streamCount = 0
  private var hasHadStream = false
  private var isWritable = true

  init(site: any HTTPSite, residents: LoopResidents) {
    self.site = site
    services = site.services
    residency = Residency(among: residents)
    idleFrames = HTTP2IdleFrames(maximum: site.services.limits.http2.idleFramesMaximum)
  }

  private var residents: LoopResidents { residency.residents }
  private lazy var peer = context?.channel.remoteAddress.flatMap { IPAddress($0) }

  // MARK: Life

  /// Puts itself and NIO's handlers into a pipeline, behind `handler`.
  func add(to pipeline: ChannelPipeline.SynchronousOperations, behind handler: some ChannelHandler) throws {
    let eventLoop = residents.eventLoop
    let limits = services.limits
    // Its times are ours: the loop's one wheel has them.
    let farewell = NIOHTTP2ServerConnectionManagementHandler(
      eventLoop: eventLoop,
      configuration: .init(maxIdleTime: nil, maxAge: nil, maxGraceTime: nil, keepalive: nil))
    let frames = NIOHTTP2Handler(
      mode: .server, eventLoop: eventLoop, connectionConfiguration: limits.http2.connection(limits),
      streamConfiguration: limits.http2.stream,
      streamDelegate: HTTP2StreamCount(connection: self, farewell: farewell.http2StreamDelegate)
    ) { channel in channel.eventLoop.makeCompletedFuture { try self.open(channel) } }
    try pipeline.addHandler(self, position: .after(handler))
    try pipeline.addHandler(farewell, position: .after(self))
    // Writes the server's first frame as soon as it is there, so the others are there before.
    try pipeline.addHandler(frames, position: .after(self))
  }

  func handlerAdded(context: ChannelHandlerContext) {
    self.context = context
    residency.begin(self)
    services.metrics.http2Connections.open()
    if residents.isStopping { outlives(true) }
    updateDeadline()
  }

  func handlerRemoved(context: ChannelHandlerContext) { release() }

  func channelInactive(context: ChannelHandlerContext) {
    arrival.end(wasReset: !services.isTLS, nil)
    release()
    context.fireChannelInactive()
  }

  private func release() {
    guard residency.end() else { return }
    outlives(false)
    phase = .closed
    context = nil
    services.metrics.http2Connections.close()
  }

  /// Whether the connection's last request is one that goes on while the server stops.
  func outlives(_ outlives: Bool) {
    guard outlives != outlivesStop else { return }
    outlivesStop = outlives
    if outlives { residents.outliving.open() } else { residents.outliving.close() }
  }

  /// Whether what was written to the client before has come as far as its machine; nil if it may still come.
  var hasArrived: Bool? { arrival.hasArrived(context) }

  // MARK: Streams

  private func open(_ channel: any Channel) throws {
    let (place, refusal) = place()
    let stream = HTTP2StreamHandler(connection: self, place: place, refusal: refusal)
    let request = HTTPConnectionHandler(site: site, residents: residents, stream: stream)
    stream.request = request
    let pipeline = channel.pipeline.syncOperations
    try pipeline.addHandler(stream)
    try pipeline.addHandler(request)
  }

  /// Where a stream counts that comes now: what is over HTTP/1.1 a connection counts as one, but the first of a connection,
  /// which is counted itself.
  private func place() -> (HTTP2StreamPlace, refusal: EdgeFailure?) {
    guard services.metrics.http2Streams.open(limit: services.limits.connectionsMaximum) else {
      return (.none, .unavailable("The server has no room for another request"))
    }
    guard streamCount > 0, !services.settings.proxies.trusts(peer) else { return (.counted, nil) }
    guard services.budgets.connected(from: peer) else {
      services.security.note(.tooManyConnections, from: peer)
      return (.counted, .tooManyConnections)
    }
    return (.countedAsConnection, nil)
  }

  func leave(_ place: HTTP2StreamPlace) {
    if place != .none { services.metrics.http2Streams.close() }
    if place == .countedAsConnection { services.budgets.disconnected(from: peer) }
  }

  func streamOpened() {
    streamCount += 1
    hasHadStream = true
    if isWritable { updateDeadline() }
    if residents.isStopping { quiesce() }
  }

  func streamClosed() {
    streamCount -= 1
    // A client that takes nothing gets no more time by what becomes of its streams.
    if isWritable { updateDeadline() }
  }

  // MARK: Time

  /// A client that takes nothing is given up after a while; so is a connection that nobody uses.
  private func updateDeadline() {
    let limits = services.limits
    switch phase {
    case .open where !isWritable, .quiescing where !isWritable: residency.setDeadline(after: limits.writeTimeout)
    case .open where streamCount == 0:
      residency.setDeadline(after: hasHadStream ? limits.keepAliveTimeout : limits.headTimeout)
    case .quiescing where streamCount == 0, .givenUp: residency.setDeadline(after: limits.drainTimeout)
    case .open, .quiescing: residency.clearDeadline()
    case .closed: break
    }
  }

  func deadlinePassed() {
    if phase == .open, isWritable { quiesce() } else { close() }
  }

  func serverStops() { quiesce() }
  func cut() { close() }

  /// No more streams, please; the connection is closed behind the last one.
  private func quiesce() {
    guard phase == .open, let context else { return }
    phase = .quiescing
    updateDeadline()
    context.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
  }

  /// The client has been told why: nothing more is read of it.
  private func giveUp() {
    guard phase == .open || phase == .quiescing, let context else { return }
    phase = .givenUp
    updateDeadline()
    services.metrics.countHTTP2GivenUp()
    // Behind what is being written.
    context.eventLoop.assumeIsolated().execute {
      self.context?.close(mode: .output).assumeIsolated().whenFailure { _ in self.close() }
    }
  }

  private func close() {
    arrival.end(wasReset: false, context)
    context?.close(promise: nil)
  }

  // MARK: The socket

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard phase == .open || phase == .quiescing else { return }
    var isTooMuch = false
    unwrapInboundIn(data).withUnsafeReadableBytes { bytes in
      incoming.scan(bytes) { finding in
        if case .frame(let kind) = finding, !idleFrames.received(kind) { isTooMuch = true }
      }
    }
    guard isTooMuch else { return context.fireChannelRead(data) }
    context.channel.writeAndFlush(
      HTTP2Frame(
        streamID: .rootStream,
        payload: .goAway(lastStreamID: .rootStream, errorCode: .enhanceYourCalm, opaqueData: nil)), promise: nil)
  }

  /// NIO leaves it to others to close a connection that it has said the end of.
  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    if case .byteBuffer(let bytes) = unwrapOutboundIn(data) {
      bytes.withUnsafeReadableBytes { bytes in
        outgoing.scan(bytes) { finding in
          switch finding {
          case .frame(let kind): idleFrames.sent(kind)
          case .goAway(let code): if code != 0 { giveUp() }
          }
        }
      }
    }
    context.write(data, promise: promise)
  }

  func channelWritabilityChanged(context: ChannelHandlerContext) {
    isWritable = context.channel.isWritable
    updateDeadline()
    context.fireChannelWritabilityChanged()
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if let event = event as? ChannelEvent, event == .inputClosed {
      // Nobody who speaks HTTP/2 half-closes its connection.
      arrival.end(wasReset: false, context)
      context.close(promise: nil)
    } else {
      context.fireUserInboundEventTriggered(event)
    }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    if error is IOError { arrival.end(wasReset: true, context) }
    context.close(promise: nil)
  }
}

/// What a stream is counted as.
enum HTTP2StreamPlace {
  /// It is refused, and counts nowhere.
  case none
  case counted
  case countedAsConnection
}

/// Tells a connection of its streams, and NIO's handler that ends it.
///
/// Safe to share because NIO calls it on the connection's event loop only.
private struct HTTP2StreamCount: NIOHTTP2StreamDelegate, @unchecked Sendable {
  let connection: HTTP2ConnectionHandler
  let farewell: NIOHTTP2ServerConnectionManagementHandler.HTTP2StreamDelegate

  func streamCreated(_ id: HTTP2StreamID, channel: any Channel) {
    farewell.streamCreated(id, channel: channel)
    connection.streamOpened()
  }

  func streamClosed(_ id: HTTP2StreamID, channel: any Channel) {
    farewell.streamClosed(id, channel: channel)
    connection.streamClosed()
  }
}
