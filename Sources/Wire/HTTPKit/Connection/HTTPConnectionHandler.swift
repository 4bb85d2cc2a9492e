package import NIOCore
import NIOHTTP1
package import NetworkAddress
package import ServerKit

/// One HTTP/1.1 connection: the only handler above the socket, or above TLS. Reads requests out of its bytes and does
/// what its machine wants done; what is said to requests is its site's. A stream of HTTP/2 is such a connection, too, with
/// one request, which comes in parts already.
///
/// Safe to share because all state is touched on the channel's event loop only; what others call from elsewhere does
/// nothing but go there.
package final class HTTPConnectionHandler: ChannelDuplexHandler, RemovableChannelHandler, AnsweringHandler,
  @unchecked Sendable
{
  package typealias InboundIn = ByteBuffer
  package typealias InboundOut = ByteBuffer
  package typealias OutboundIn = ByteBuffer
  package typealias OutboundOut = ByteBuffer

  let site: any HTTPSite
  package let services: HTTPServices
  /// The stream of an HTTP/2 connection that this is; nil for a connection of its own.
  let stream: HTTP2StreamHandler?
  private var residency: Residency
  /// It came during the stop, or its last request was one that goes on then: nobody waits for it.
  package private(set) var outlivesStop = false
  package let eventLoop: any EventLoop
  package private(set) var context: ChannelHandlerContext?
  private(set) var machine: HTTPConnectionMachine
  private(set) var parser: HTTPRequestParser
  /// What the parser has stumbled over.
  private(set) var flaw: HTTPRequestFlaw?
  /// What waits is being gone on with, further out.
  private var isPumping = false

  // The request in progress.
  /// While its body is being read; with what is said to it once it has been.
  var incoming: (head: HTTPRequestHead, judgement: HTTPJudgement)?
  package internal(set) var surface: HTTPSurface
  package internal(set) var target = ""
  /// There is an `Authorization`; with a name and a password in it.
  var (showsCredential, showsPassword) = (false, false)
  /// Its body is gzip.
  var isPacked = false
  /// There is a `Cookie`, and no `Authorization`, before which none counts.
  var mayShowSession = false
  /// Where it comes from: the client's own address, also behind a trusted proxy.
  package internal(set) var clientAddress: IPAddress?
  /// Of the page that it comes from, if that may read the answer.
  var origin: String?
  /// When its head came, in nanoseconds of a clock that nobody sets; 0: there is none.
  var begun: UInt64 = 0
  /// What it is for.
  var route = RouteTable.Route.other
  /// It is a poll that may wait for long.
  var isHeld = false
  /// What the access log says of it; nil if it says nothing.
  var entry: AccessEntry?
  /// Who answers it, if it is a poll.
  package internal(set) var poll: (any HTTPPoll)?
  /// What became of the last poll's answer.
  package var arrival = ResponseArrival()
  var task: Task<Void, Never>?

  /// Over HTTP/2 the connection tells, and is asked also when the stream has ended.
  package var hasArrived: Bool? { stream.map { $0.connection.hasArrived } ?? arrival.hasArrived(context) }

  /// The other end of the connection.
  private(set) lazy var peer = context?.channel.remoteAddress.flatMap { IPAddress($0) }

  init(site: any HTTPSite, residents: LoopResidents, stream: HTTP2StreamHandler? = nil) {
    self.site = site
    services = site.services
    self.stream = stream
    surface = services.otherSurface
    residency = Residency(among: residents)
    eventLoop = residents.eventLoop
    parser = HTTPRequestParser(services.connectionLimits)
    machine = HTTPConnectionMachine(limits: services.connectionLimits)
  }

  package var isTLS: Bool { services.isTLS }
  package var residents: LoopResidents { residency.residents }

  // MARK: Life

  package func handlerAdded(context: ChannelHandlerContext) {
    self.context = context
    residency.begin(self)
    if residents.isStopping { outlives(true) }
    tell(.opened(isStopping: residents.isStopping))
  }

  /// The connection is gone, or another protocol's handler takes over.
  package func release() {
    guard residency.end() else { return }
    if stream == nil { outlives(false) }
    finishEntry()
    context = nil
    incoming = nil
    tell(.ended)
    task = nil
  }

  /// A request has come: whether it goes on while the server stops.
  func goesOnDuringStop(_ goesOn: Bool) {
    if !residents.isStopping { return outlives(goesOn) }
    if !goesOn { tell(.stops) }
  }

  private func outlives(_ outlives: Bool) {
    if let stream { stream.connection.outlives(outlives) }
    guard outlives != outlivesStop else { return }
    outlivesStop = outlives
    guard stream == nil else { return }
    if outlives { residents.outliving.open() } else { residents.outliving.close() }
  }

  // MARK: What the machine wants

  /// Does what is to be done after `input`.
  func tell(_ input: HTTPConnectionInput) { perform(machine.received(input)) }

  /// Does what is to be done after `input`, and goes on with what waits: the turn may have ended a request.
  func tellAndGoOn(_ input: HTTPConnectionInput) {
    let isOutermost = !isPumping
    isPumping = true
    tell(input)
    guard isOutermost else { return }
    while let turn = machine.next() { perform(turn) }
    isPumping = false
  }

  private func perform(_ turn: HTTPConnectionTurn) {
    switch turn.deadline {
    case .kept: break
    case .cleared: residency.clearDeadline()
    case .after(let duration): residency.setDeadline(after: duration)
    }
    if let action = turn.action { perform(action) }
  }

  private func perform(_ action: HTTPConnectionAction) {
    switch action {
    case .judge(let head):
      arrival.heard()
      judge(head)
    case .writeContinue: writeContinue()
    case .serve(let body): serve(body)
    case .refuse(let refusal):
      if refusal == .unreadable { surface = services.otherSurface }
      respond(failure(refusal))
    case .giveUp:
      task?.cancel()
      respond(EdgeFailure.unavailable("The request took too long"))
    case .writeHeartbeat: writeHeartbeat()
    case .forget: forget()
    case .closeOutput: closeOutput()
    case .read: context?.read()
    case .close: close()
    case .tellDeparture: departed()
    case .cancelWork: task?.cancel()
    }
  }

  /// The request has been answered: ready for the next one.
  private func forget() {
    task = nil
    poll = nil
    origin = nil
    surface = services.otherSurface
    (begun, route, isHeld) = (0, .other, false)
  }

  /// Waits for the client to read the refusal and to stop sending.
  private func closeOutput() {
    context?.close(mode: .output).assumeIsolated().whenFailure { _ in self.close() }
  }

  /// The client of a poll has left before the answer.
  private func departed() {
    services.heldPolls.close()
    services.metrics.countDepartedClient()
    poll?.departed()
  }

  // MARK: From the client

  package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    parser.append(unwrapInboundIn(data))
    do {
      // Whoever is told of a part may end this handler's time.
      while self.context != nil, let part = try parser.next() { tellAndGoOn(.part(part)) }
    } catch {
      stumbles(over: error)
    }
  }

  /// What has come is no request that can be read.
  func stumbles(over flaw: HTTPRequestFlaw) {
    self.flaw = flaw
    tell(.unreadable)
  }

  /// What has come behind the request that changes the protocol; nil if nothing has.
  func takeRest() -> ByteBuffer? { parser.takeRest() }

  package func channelReadComplete(context: ChannelHandlerContext) {
    tell(.readCompleted(bytesRead: parser.bytesRead))
    context.fireChannelReadComplete()
  }

  /// Reading stops while a further request waits; the client's leaving is noticed all the same.
  package func read(context: ChannelHandlerContext) { tell(.readAsked) }

  package func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if let event = event as? ChannelEvent, event == .inputClosed {
      arrival.end(wasReset: false, context)
      tell(.inputClosed)
    } else if !negotiates(event) {
      context.fireUserInboundEventTriggered(event)
    }
  }

  package func errorCaught(context: ChannelHandlerContext, error: any Error) {
    if error is IOError { arrival.end(wasReset: true, context) }
    tell(.failed)
  }
}

extension HTTPConnectionHandler {
  package func deadlinePassed() { tell(.deadlinePassed(now: residents.milliseconds)) }
  package func serverStops() { tell(.stops) }
  package func cut() { tell(.cut) }
}
