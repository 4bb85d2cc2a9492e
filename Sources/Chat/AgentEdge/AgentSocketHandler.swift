import ChatAPI
import EdgeSecurity
import HTTPKit
import HTTPTypes
import NIOCore
import NIOWebSocket
import ServerKit

/// One agent's socket: frames here, everything else in its machine.
///
/// Safe to share because all state is touched on the channel's event loop only; the tasks that it begins go there.
/// Spec: RFC 6455.
final class AgentSocketHandler: ResidentHandler, @unchecked Sendable {
  typealias InboundIn = WebSocketFrame
  typealias OutboundOut = ByteBuffer

  private let desk: AgentSocketDesk
  private let visit: AgentSocketVisit
  private let services: HTTPServices
  private let eventLoop: any EventLoop
  private var residency: Residency
  private var context: ChannelHandlerContext?
  private var machine: AgentSocketMachine
  private var assembler: WebSocketMessageAssembler
  /// Nil until one has been shown.
  private var token: AccessToken?
  private var following: Task<Void, Never>?
  private var isReading = true
  /// Bytes that the client's socket has not taken yet.
  private var backlog = 0

  init(
    _ desk: AgentSocketDesk, _ visit: AgentSocketVisit, services: HTTPServices, residents: LoopResidents
  ) {
    self.desk = desk
    self.visit = visit
    self.services = services
    token = visit.token
    residency = Residency(among: residents)
    eventLoop = residents.eventLoop
    machine = AgentSocketMachine(acts: desk.words, desk.limits, of: services.limits)
    assembler = WebSocketMessageAssembler(
      bytesMaximum: services.limits.webSocketMessageBytesMaximum,
      fragmentsMaximum: services.limits.webSocketFragmentsMaximum)
  }

  private var now: Int64 { residency.residents.milliseconds }

  // MARK: Life

  func handlerAdded(context: ChannelHandlerContext) {
    self.context = context
    residency.begin(self)
    residency.setDeadline(after: desk.limits.checkInterval)
    tell(.opened(isKnown: token != nil))
    if residency.residents.isStopping { serverStops() }
  }

  func release() {
    guard residency.end() else { return }
    context = nil
    following?.cancel()
    following = nil
    tell(.ended)
  }

  func deadlinePassed() {
    tell(.checked(isGood: token.map { desk.routes.tokens.isUsable($0) } ?? false))
    if !machine.isEnded { residency.setDeadline(after: desk.limits.checkInterval) }
  }

  func serverStops() { tell(.serverStops) }
  func cut() { perform(.cut) }

  // MARK: From the client

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let frame = unwrapInboundIn(data)
    guard !machine.isClosing || frame.opcode == .connectionClose else { return }
    machine.heard(now: now)
    switch assembler.read(frame) {
    case .message(let message):
      services.metrics.countWebSocketMessage()
      tell(.text(Array(message.readableBytesView)))
    case .ping(let payload): answerPing(payload)
    case .close: tell(.peerCloses)
    case .nothing: break
    case .violation(let code): tell(.violated(AgentSocketClosing(code)))
    }
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if let event = event as? ChannelEvent, event == .inputClosed { return perform(.cut) }
    context.fireUserInboundEventTriggered(event)
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    switch error {
    case let error as NIOWebSocketError: tell(.violated(AgentSocketClosing(error.closeCode)))
    // Behind a frame that could not be read nothing can be: the closing handshake's time ends it.
    case is ByteToMessageDecoderError: break
    default: perform(.cut)
    }
  }

  // MARK: What the machine wants

  private func tell(_ input: AgentSocketInput) {
    for action in machine.received(input, now: now) { perform(action) }
    context?.flush()
    guard let context, machine.takesInput != isReading else { return }
    isReading = machine.takesInput
    _ = context.channel.setOption(.autoRead, value: isReading)
  }

  private func perform(_ action: AgentSocketAction) {
    switch action {
    case .write(let message): write(.text, message)
    case .ping: write(.ping, [])
    case .logIn(let request): logIn(request)
    case .follow: follow()
    case .perform(let request): begin(request)
    case .close(let closing): write(closing)
    case .answerClose:
      write(WebSocketErrorCode.normalClosure) { $0.close(promise: nil) }
    case .cut: context?.close(promise: nil)
    }
  }

  private func logIn(_ request: AgentSocketRequest) {
    do throws(EdgeFailure) {
      token = try desk.routes.tokens.agent(bearing: try request.body.text("token"))
      tell(.admitted(request))
    } catch {
      guard error.status == .unauthorized, let refusal = services.guesses.wrongCredential(from: visit.address) else {
        return tell(.refused(request, error))
      }
      tell(.refused(request, EdgeFailure(refusal)))
    }
  }

  /// Nobody cancels what is being done: if the connection ends meanwhile, it is done all the same.
  private func begin(_ request: AgentSocketRequest) {
    guard let token else { return }
    Task { [self] in
      let result = await desk.perform(request, by: token, visit.requested, services.logger)
      eventLoop.execute { self.tell(.answered(id: request.id, result)) }
    }
  }

  // MARK: Events

  private func follow() {
    guard let token else { return }
    let events = desk.routes.events(after: visit.after, for: token)
    following = Task { [self] in
      for await event in events {
        guard desk.routes.tokens.isUsable(token) else { break }
        let message = desk.routes.message(event, visit.requested)
        // One at a time: what the loop cannot take yet waits within the bound of the stream.
        guard (try? await eventLoop.submit { self.deliver(message) }.get()) == true else { return }
      }
      eventLoop.execute { self.tell(.eventsEnded) }
    }
  }

  private func deliver(_ event: [UInt8]) -> Bool {
    guard context != nil, machine.takesEvents else { return false }
    write(.text, event)
    context?.flush()
    return true
  }

  // MARK: To the client

  private func answerPing(_ payload: ByteBuffer) {
    write(.pong, Array(payload.readableBytesView))
    context?.flush()
  }

  private func write(_ opcode: WebSocketOpcode, _ payload: [UInt8]) {
    guard let context else { return }
    // The client reads slower than is written to it: a farewell would only be the last of what it does not read.
    guard backlog + payload.count <= services.limits.webSocketBacklogBytesMaximum else { return perform(.cut) }
    var frame = context.channel.allocator.buffer(capacity: payload.count + 10)
    WebSocketFrameWriter.header(opcode, length: payload.count, into: &frame)
    frame.writeBytes(payload)
    let length = frame.readableBytes
    backlog += length
    context.write(wrapOutboundOut(frame)).assumeIsolated().whenComplete { _ in self.backlog -= length }
  }

  private func write(_ code: WebSocketErrorCode, then done: @escaping (ChannelHandlerContext) -> Void = { _ in }) {
    guard let context else { return }
    var frame = context.channel.allocator.buffer(capacity: 8)
    WebSocketFrameWriter.close(code, into: &frame)
    context.write(wrapOutboundOut(frame)).assumeIsolated().whenComplete { _ in
      if let context = self.context { done(context) }
    }
  }

  private func write(_ closing: AgentSocketClosing) { write(WebSocketErrorCode(codeNumber: Int(closing.rawValue))) }
}

extension AgentSocketClosing {
  fileprivate init(_ code: WebSocketErrorCode) {
    self = Self(rawValue: UInt16(webSocketErrorCode: code)) ?? .protocolError
  }
}
