internal import NIOCore
internal import NIOHTTP2

/// One connection: opens streams, counts them, and tells how each ended. Lives on the origin's event loop.
///
/// ```
/// connecting --ALPN h2 and first SETTINGS--> open --GOAWAY, retired, silent, ids used up--> draining
///     |                                        |                                               | no stream left
///     +--refused, not trusted, too late--------+--cut-----------------------------------------> closed
/// ```
final class OriginConnection: ChannelInboundHandler {
  typealias InboundIn = HTTP2Frame
  typealias OutboundOut = HTTP2Frame
  enum Phase { case connecting, open, draining, closed }

  let id: HTTP2ConnectionID
  let core: OriginCore
  var phase = Phase.connecting
  var budget: StreamBudget
  var health: ConnectionHealth
  var streams: [HTTP2StreamID: Exchange] = [:]
  var goAway: GoAway?
  /// Whether it ever brought an answer; one that dies without is barren.
  var hasAnswered = false
  /// Its GOAWAY was one too many in a row: nothing on it is worth another try.
  var isGoAwayLoop = false
  /// We ended it, so that it brought no answer says nothing about the server.
  var isRetired = false
  var idleSince = NIODeadline.now()
  var whenConnectingEnds: (() -> Void)?
  private(set) var hasOpenedStreams = false

  var context: ChannelHandlerContext?
  private var nextStreamID: Int32
  var mustFlush = false
  var isWritable = true
  /// NIOHTTP2 wrote a GOAWAY of its own: the connection broke the protocol and is of no use any more.
  var hasGivenUp = false
  /// Why it ended, for the requests that it takes along.
  var closeReason = "connection cut"
  var failure: ConnectFailure?
  /// Answered streams whose own side is still open, because the server did not want the rest of the body.
  var awaitingEnd = 0

  init(_ id: HTTP2ConnectionID, of core: OriginCore) {
    self.id = id
    self.core = core
    nextStreamID = core.firstStreamID
    budget = StreamBudget(startsWithOneStream: core.settings.startsWithOneStream)
    health = ConnectionHealth(
      silentFor: TimeAmount(core.settings.pingWhenSilentFor), idleEvery: TimeAmount(core.settings.pingWhenIdleEvery),
      answerWithin: TimeAmount(core.settings.pingAnswerWithin), now: .now())
  }

  var canOpen: Bool { phase == .open && isWritable && budget.free > 0 }

  // MARK: What goes out

  /// - Precondition: `canOpen`.
  func open(_ exchange: Exchange, deadline: NIODeadline) {
    guard let context else { return exchange.settle(.unprocessed(reason: "connection cut", isTransport: false)) }
    let stream = HTTP2StreamID(nextStreamID)
    nextStreamID += 2
    (exchange.stream, exchange.deadline, exchange.connection) = (stream, deadline, self)
    streams[stream] = exchange
    budget.opened()
    hasOpenedStreams = true
    let request = exchange.request
    let headers = request.wireHeaders(scheme: core.settings.scheme, authority: core.authority)
    write(.headers(.init(headers: headers, endStream: request.body.isEmpty)), on: stream, in: context)
    guard exchange.isWritten else {
      // NIOHTTP2 would not have it, so the server has not heard of it; whether it counts the stream is not known.
      exchange.settle(.unprocessed(reason: "request not writable", isTransport: false))
      streams[stream] = nil
      budget.closed()
      return drain(because: "request not writable")
    }
    if !request.body.isEmpty {
      let bytes = context.channel.allocator.buffer(bytes: request.body)
      write(.data(.init(data: .byteBuffer(bytes), endStream: true)), on: stream, in: context)
    }
    if nextStreamID > Limits.streamIDMaximum { drain(because: "stream ids used up") }
  }

  /// Gives up an open stream; the server may go on with it.
  func abandon(_ exchange: Exchange, reason: String) {
    guard !exchange.isSettled else { return }
    exchange.settle(StreamVerdict.ended(isWritten: exchange.isWritten, reason: reason))
    reset(exchange.stream)
  }

  func reset(_ stream: HTTP2StreamID) {
    guard let context, streams[stream] != nil else { return }
    write(.rstStream(.cancel), on: stream, in: context)
  }

  func ping() {
    guard let context else { return }
    write(.ping(HTTP2PingData(withInteger: 0x6361_7269_6C6C_6F6E), ack: false), on: .rootStream, in: context)
    flush()
  }

  func write(_ payload: HTTP2Frame.FramePayload, on stream: HTTP2StreamID, in context: ChannelHandlerContext) {
    mustFlush = true
    context.write(wrapOutboundOut(HTTP2Frame(streamID: stream, payload: payload)), promise: nil)
  }

  func flush() {
    guard mustFlush else { return }
    mustFlush = false
    context?.flush()
  }

  // MARK: Its end

  /// No new streams; closes when the last one has ended.
  func drain(because reason: String) {
    guard phase == .open || phase == .draining else { return }
    phase = .draining
    if streams.isEmpty { close(because: reason) }
  }

  func close(because reason: String) {
    guard phase != .closed else { return }
    closeReason = reason
    if phase != .connecting, !hasGivenUp, let context {
      write(.goAway(lastStreamID: .rootStream, errorCode: .noError, opaqueData: nil), on: .rootStream, in: context)
      flush()
    }
    settleAll()
    context?.close(promise: nil)
  }

  /// A connection attempt came to nothing.
  func fail(_ failure: ConnectFailure) {
    guard phase == .connecting else { return }
    phase = .closed
    context?.close(promise: nil)
    core.failed(self, failure)
  }

  /// Everything on it is answered with what is known; it is closed for the origin.
  func settleAll() {
    phase = .closed
    let rest = streams.values
    streams = [:]
    awaitingEnd = 0
    for exchange in rest where !exchange.isSettled {
      if isGoAwayLoop {
        exchange.settle(.unusable(reason: "goaway loop"))
      } else if let failure, failure.isUnusable, !hasAnswered {
        exchange.settle(failure.outcome)
      } else {
        exchange.settle(StreamVerdict.ended(isWritten: exchange.isWritten, reason: closeReason))
      }
    }
    core.closing(self)
  }
}
