import Bayeux
import Engine
import HTTPTypes
import NIOCore
import NIOHTTP1
import NetworkAddress
import ServerKit

/// One HTTP/1.1 connection: the only handler above the parser.
///
///     idle ──head──> receiving ──end──> polling ──────────────> writing ──> idle …
///                        │         └──> routing ──> streaming ──┘  └──────> draining ──> closed
///                        └─refused──────────────────────────────┘
///
/// *polling* is a request of the Comet endpoint, answered by the engine whenever it likes; *routing* is a `Task` in the
/// router; *streaming* is its response leaving in parts; *draining* lets the client read a refusal whose request it is
/// still sending. One request at a time: what follows in the same segment waits, bounded, and nothing more is read.
///
/// Safe to share because all state is touched on the channel's event loop only; the methods that others call from
/// elsewhere (`send` and those of `HTTPConnectionHandler+routes.swift`) do nothing but go there.
final class HTTPConnectionHandler: ChannelDuplexHandler, RemovableChannelHandler, @unchecked Sendable {
  typealias InboundIn = HTTPServerRequestPart
  typealias InboundOut = HTTPServerRequestPart
  typealias OutboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  enum Phase {
    case idle
    case receiving(RequestInProgress)
    /// `holds`: the request has a `/meta/connect`, so it may wait for long.
    case polling(holds: Bool)
    case routing
    case streaming(ResponseStream)
    case writing
    case draining(bytes: Int)
    case closed

    /// Whether the next part of the connection's input can be looked at now.
    var takesInput: Bool {
      switch self {
      case .idle, .receiving, .draining: true
      case .polling, .routing, .streaming, .writing, .closed: false
      }
    }
  }

  let services: EdgeServices
  let residents: LoopResidents
  let eventLoop: any EventLoop
  /// The handler below, which goes when the protocol changes.
  let parser: ByteToMessageHandler<MeteredRequestDecoder>
  /// What that handler reads with.
  let meter: MeteredRequestDecoder
  var context: ChannelHandlerContext?
  var phase = Phase.idle
  private var place: LoopResidents.Place?

  // The request in progress.
  var surface = Surface.other
  var target = ""
  /// There is an `Authorization`; with a name and a password in it.
  var (showsCredential, showsPassword) = (false, false)
  /// Where it comes from: the client's own address, also behind a trusted proxy.
  var clientAddress: IPAddress?
  var origin: String?
  var isHead = false
  var isVersion10 = false
  var closesAfterResponse = false
  /// The response went out before the request was read whole: what is left of it is drained.
  var leavesRequestUnread = false
  var exchange: CometExchange?
  /// What became of the last answer of the Comet endpoint.
  var arrival = ResponseArrival()
  var task: Task<Void, Never>?

  /// The other end of the connection.
  private(set) lazy var peer = context?.channel.remoteAddress.flatMap { IPAddress($0) }

  // The input.
  private var waiting: [HTTPServerRequestPart] = []
  private var isPumping = false
  private var readIsWithheld = false
  private var hasPartSinceRead = false
  /// Bytes have come that make no complete head yet.
  private var hasPartialHead = false
  /// No request has been answered yet: the head's time runs from the accept.
  private var isFresh = true
  private var clientHasLeft = false

  init(
    services: EdgeServices, residents: LoopResidents, parser: ByteToMessageHandler<MeteredRequestDecoder>,
    meter: MeteredRequestDecoder
  ) {
    self.services = services
    self.residents = residents
    self.parser = parser
    self.meter = meter
    eventLoop = residents.eventLoop
  }

  var limits: EdgeLimits { services.limits }

  // MARK: Life

  func handlerAdded(context: ChannelHandlerContext) {
    self.context = context
    place = residents.add(self)
    setDeadline(limits.headTimeout)
  }

  func handlerRemoved(context: ChannelHandlerContext) { release() }

  func channelInactive(context: ChannelHandlerContext) {
    // With TLS a farewell does not come as far as here.
    arrival.end(wasReset: !services.isTLS, nil)
    release()
    context.fireChannelInactive()
  }

  /// The connection is gone, or another protocol's handler takes over: everything that waits is told.
  private func release() {
    guard let place else { return }
    residents.remove(place)
    self.place = nil
    let interrupted = phase
    phase = .closed
    waiting = []
    context = nil
    switch interrupted {
    case .polling: departed()
    default: task?.cancel()
    }
    task = nil
  }

  /// The client of a Comet request has left before the answer.
  private func departed() {
    services.heldPolls.close()
    services.metrics.countDepartedClient()
    if let exchange { services.engine.comet.closed(exchange) }
  }

  func close() {
    arrival.end(wasReset: false, context)
    context?.close(promise: nil)
  }

  // MARK: Input

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    hasPartSinceRead = true
    let part = unwrapInboundIn(data)
    guard waiting.isEmpty, !isPumping, phase.takesInput else {
      guard waiting.count < limits.pipelinedPartsMaximum else { return close() }
      waiting.append(part)
      return
    }
    isPumping = true
    handle(part)
    isPumping = false
    pump()
  }

  func channelReadComplete(context: ChannelHandlerContext) {
    if case .receiving(let request) = phase {
      if request.hasExcess(limits, bytesRead: meter.bytesRead) { refuse(.headTooLarge) }
    } else if !hasPartSinceRead {
      headBytesArrived()
    }
    hasPartSinceRead = false
    context.fireChannelReadComplete()
  }

  /// Reading stops while a further request waits; the client's leaving is noticed all the same.
  func read(context: ChannelHandlerContext) {
    if waiting.isEmpty {
      context.read()
    } else {
      readIsWithheld = true
    }
  }

  /// Goes on with what came behind the request that has just been answered.
  func pump() {
    guard !isPumping else { return }
    isPumping = true
    var taken = 0
    while phase.takesInput, taken < waiting.count {
      let part = waiting[taken]
      taken += 1
      handle(part)
    }
    isPumping = false
    // After a close there is nothing left to take from.
    waiting.removeFirst(min(taken, waiting.count))
    if waiting.isEmpty {
      waiting = []  // gives the memory back
      if readIsWithheld {
        readIsWithheld = false
        context?.read()
      }
    }
  }

  private func handle(_ part: HTTPServerRequestPart) {
    switch (part, phase) {
    case (.head(let head), .idle):
      hasPartialHead = false
      arrival.heard()
      begin(head)
    case (.body(let bytes), .receiving(var request)):
      phase = .idle  // lets the buffer grow in place
      let fits = request.append(bytes)
      let limit = request.limit
      phase = .receiving(request)
      if !fits { refuse(.bodyTooLarge(limit: limit)) }
    case (.end, .receiving(let request)):
      phase = .idle
      clearDeadline()
      finish(request)
    case (.body(let bytes), .draining(let count)):
      let total = count + bytes.readableBytes
      phase = .draining(bytes: total)
      if total > limits.drainedBytesMaximum { close() }
    default: break  // the rest of a request that is being drained
    }
  }

  private func headBytesArrived() {
    guard !hasPartialHead else { return }
    hasPartialHead = true
    if case .idle = phase, !isFresh { setDeadline(limits.headTimeout) }
  }

  // MARK: Between requests

  /// The response is out: ready for the next request, or done.
  func requestEnded() {
    task = nil
    exchange = nil
    origin = nil
    surface = .other
    isHead = false
    if closesAfterResponse || residents.isStopping {
      close()
      return
    }
    isFresh = false
    phase = .idle
    setDeadline(hasPartialHead ? limits.headTimeout : limits.keepAliveTimeout)
    pump()
  }

  /// Waits for the client to read the refusal and to stop sending.
  func drain() {
    phase = .draining(bytes: 0)
    setDeadline(limits.drainTimeout)
    guard let context else { return }
    context.close(mode: .output).assumeIsolated().whenFailure { _ in self.close() }
    pump()
  }

  // MARK: Deadlines

  func setDeadline(_ duration: Duration) {
    if let place { residents.setDeadline(of: place, after: duration) }
  }

  func clearDeadline() {
    if let place { residents.clearDeadline(of: place) }
  }

  // MARK: The client's leaving

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if let event = event as? ChannelEvent, event == .inputClosed {
      inputClosed()
    } else {
      context.fireUserInboundEventTriggered(event)
    }
  }

  /// The client has closed its sending side. Whoever holds a poll has left; a client of another request may only have
  /// said that this was its last, so that request gets a moment to be answered.
  private func inputClosed() {
    arrival.end(wasReset: false, context)
    closesAfterResponse = true
    clientHasLeft = true
    switch phase {
    case .idle, .receiving, .draining, .closed, .polling(holds: true), .streaming: close()
    case .polling(holds: false), .routing: setDeadline(limits.departedClientGrace)
    case .writing: break
    }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    if error is IOError { arrival.end(wasReset: true, context) }
    // What comes behind a parser's error can only be more of the same; the drain's deadline ends it.
    if case .draining = phase, error is ByteToMessageDecoderError { return }
    guard error is HTTPParserError else { return close() }
    switch phase {
    case .idle, .receiving:
      guard error as? HTTPParserError != .invalidEOFState else { return close() }
      surface = .other
      refuse(EdgeFailure(parserError: error))
    case .polling, .routing, .streaming, .writing:
      // Garbage behind a good request: that one is still answered.
      waiting = []
      closesAfterResponse = true
    case .draining, .closed: break
    }
  }
}

extension HTTPConnectionHandler: LoopResident {
  func deadlinePassed() {
    switch phase {
    case .idle:
      if hasPartialHead {
        refuse(EdgeFailure(.requestTimeout, "The request took too long", exception: "RequestTimeoutException"))
      } else {
        close()
      }
    case .receiving(let request):
      let patience = request.patience(limits, now: residents.now)
      if patience > .zero {
        setDeadline(patience)
      } else {
        refuse(EdgeFailure(.requestTimeout, "The body came too slowly", exception: "RequestTimeoutException"))
      }
    case .routing where !clientHasLeft:
      task?.cancel()
      closesAfterResponse = true
      respond(EdgeFailure.unavailable("The request took too long"))
    case .streaming(let stream) where stream.isEventStream && stream.writesInFlight == 0: writeHeartbeat()
    case .polling, .routing, .streaming, .writing, .draining: close()
    case .closed: break
    }
  }

  func serverStops() {
    closesAfterResponse = true
    if case .idle = phase { close() }
  }

  func cut() { close() }
}
