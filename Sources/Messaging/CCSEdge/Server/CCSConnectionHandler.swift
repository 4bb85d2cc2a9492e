import NIOCore
import ServerKit
import Synchronization

/// One connection of an app server: bytes to `XMLStreamReader`, its events to `CCSStream`, its actions to the world.
///
/// Safe to share because all state but `outstanding` is touched on the channel's event loop only; what others call from
/// elsewhere does nothing but go there.
final class CCSConnectionHandler: ChannelDuplexHandler, ResidentHandler, @unchecked Sendable {
  typealias InboundIn = ByteBuffer
  typealias OutboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  let services: CCSServices
  private var residency: Residency
  private let reader: XMLStreamReader
  var stream: CCSStream
  private(set) var context: ChannelHandlerContext?

  // See `CCSConnectionHandler+engine.swift`.
  var isAttached = false
  /// What it logged in with: asked for again and again, since a key may be revoked.
  var credentials: PlainCredentials?
  /// Ids of what has been delivered here and not been acknowledged.
  let outstanding = Mutex<Set<String>>([])

  private var isPumping = false
  private var readIsWithheld = false
  /// Bytes that the client's socket has not taken yet.
  private var backlog = 0
  /// When it has to have taken something of them.
  private var writeDeadline: Int64?
  /// The stream is over; the client shall read why. Counts the bytes that it still sends.
  private(set) var discarded: Int?
  /// The login's, the keep-alive's, the draining's or the closing's, as the state is.
  private var deadline: Int64
  private var keyCheckAt: Int64
  /// When the loop calls: at the earliest of the three at the latest.
  private var alarm = Int64.max

  init(id: String, services: CCSServices, residents: LoopResidents) {
    self.services = services
    residency = Residency(among: residents)
    reader = XMLStreamReader(unitBytesMaximum: services.limits.loginStanzaBytesMaximum)
    stream = CCSStream(id: id, settings: services.streamSettings)
    deadline = residents.tick(after: services.limits.loginTimeout)
    keyCheckAt = residents.tick(after: services.limits.keyCheckInterval)
  }

  var residents: LoopResidents { residency.residents }

  // MARK: Life

  func handlerAdded(context: ChannelHandlerContext) {
    self.context = context
    residency.begin(self)
    setAlarm()
    if residents.isStopping { serverStops() }
  }

  /// The connection is gone. What devices sent on it goes to another one, if it is not acknowledged.
  func release() {
    guard residency.end() else { return }
    context = nil
    if discarded == nil { services.metrics.countClosing("lost") }
    detach()
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

  // MARK: Input

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let buffer = unwrapInboundIn(data)
    if let discarded {
      self.discarded = discarded + buffer.readableBytes
      if discarded > services.limits.discardedBytesMaximum { context.close(promise: nil) }
    } else {
      reader.append(buffer.readableBytesView)
      pump()
    }
  }

  /// Reading stops while the stream cannot take more; the client's leaving is noticed all the same.
  func read(context: ChannelHandlerContext) {
    if takesInput {
      context.read()
    } else {
      readIsWithheld = true
    }
  }

  private var takesInput: Bool {
    discarded != nil || (stream.takesInput && backlog <= services.limits.backlogBytesBeforePause)
  }

  /// Goes on with what has come, as far as it can be taken.
  private func pump() {
    guard !isPumping else { return }
    isPumping = true
    while discarded == nil, takesInput, let event = reader.next() { perform(stream.received(event)) }
    isPumping = false
    context?.flush()
    if readIsWithheld, takesInput {
      readIsWithheld = false
      context?.read()
    }
  }

  /// Does what the stream wants, and looks whether it takes more now.
  func go(_ actions: [CCSAction]) {
    guard context != nil else { return }
    perform(actions)
    pump()
  }

  private func perform(_ actions: [CCSAction]) {
    for action in actions {
      switch action {
      case .write(let bytes): write(bytes)
      case .authenticate(let credentials): authenticate(credentials)
      case .restart:
        reader.restart()
        reader.unitBytesMaximum = services.limits.stanzaBytesMaximum
      case .attach(let sender): attach(sender)
      case .send(let address, let request): send(address, request)
      case .acknowledge(let id): acknowledge(id)
      case .close(let reason): close(reason)
      }
    }
  }

  // MARK: Output

  private func write(_ bytes: [UInt8]) {
    guard let context else { return }
    let length = bytes.count
    guard backlog + length <= services.limits.backlogBytesMaximum else { return cut("slow-reader") }
    if backlog == 0 { writeDeadline = residents.tick(after: services.limits.writeTimeout) }
    backlog += length
    if stream.phase == .bound, stream.ending == nil {
      deadline = residents.tick(after: services.limits.keepAliveInterval)
    }
    setAlarm()
    var buffer = context.channel.allocator.buffer(capacity: length)
    buffer.writeBytes(bytes)
    let promise = context.eventLoop.makePromise(of: Void.self)
    promise.futureResult.assumeIsolated().whenComplete { _ in self.written(length) }
    context.write(wrapOutboundOut(buffer), promise: promise)
  }

  private func written(_ length: Int) {
    backlog -= length
    writeDeadline = backlog > 0 ? residents.tick(after: services.limits.writeTimeout) : nil
    if readIsWithheld { pump() }
  }

  /// The last word is written. The client is still read for a while: a socket that is closed over unread bytes takes
  /// the last word back.
  private func close(_ reason: CCSClosing) {
    services.metrics.countClosing(reason.name)
    detach()
    discarded = 0
    deadline = residents.tick(after: services.limits.closeTimeout)
    setAlarm()
    guard reason == .left, let context else { return }
    let written = context.eventLoop.makePromise(of: Void.self)
    written.futureResult.assumeIsolated().whenComplete { _ in self.context?.close(promise: nil) }
    context.writeAndFlush(wrapOutboundOut(ByteBuffer()), promise: written)
  }

  /// Ends the connection without a word.
  private func cut(_ reason: String) {
    if discarded == nil { services.metrics.countClosing(reason) }
    discarded = discarded ?? 0
    context?.close(promise: nil)
  }

  // MARK: Time

  /// What moves on later than it was only makes the loop call too early: cheaper than to tell it each time.
  private func setAlarm() {
    let earliest = min(deadline, keyCheckAt, writeDeadline ?? .max)
    guard earliest < alarm else { return }
    alarm = earliest
    residency.setDeadline(at: earliest)
  }

  func deadlinePassed() {
    alarm = .max
    look(residents.now)
    setAlarm()
  }

  private func look(_ now: Int64) {
    if now >= keyCheckAt {
      keyCheckAt = residents.tick(after: services.limits.keyCheckInterval)
      checkKey()
    }
    if let writeDeadline, now >= writeDeadline { return cut("slow-reader") }
    guard now >= deadline else { return }
    if discarded != nil {
      context?.close(promise: nil)
    } else if stream.ending == .draining {
      go(stream.drainingEnded())
    } else if stream.isLoggingIn {
      go(stream.fail(.connectionTimeout))
    } else if stream.ending == nil {
      write([0x20])
      context?.flush()
    }
  }

  /// The server stops. Spec: GCM C13.
  func serverStops() {
    guard discarded == nil, stream.ending == nil else { return }
    deadline = residents.tick(after: services.limits.drainNotice)
    setAlarm()
    go(stream.drain())
  }

  func cut() { cut("cut") }
}
