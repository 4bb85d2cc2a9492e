import MCSProtocol
import NIOCore
import ServerKit

/// One connection of a device: bytes here, stanzas in `DeviceConnection`.
///
/// Belongs to its channel's event loop.
final class MCSConnectionHandler: ChannelDuplexHandler, DeviceHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer
  typealias OutboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  private(set) var residency: Residency
  /// Nil once it has been called: what it was made of is not kept beside what it makes.
  private var makeConnection: ((any DeviceTransport) -> DeviceConnection)?
  private let closeTimeout: Duration
  /// The connections that have not logged in yet; this one is counted among them.
  private let anonymous: OpenCount
  private var isAnonymous = true
  private var decoder: MCSFrameDecoder
  private(set) var connection: DeviceConnection?
  private(set) var context: ChannelHandlerContext?
  /// Stanzas of one turn leave in one write.
  private var outgoing: ByteBuffer?
  private var hasSentVersion = false
  private var readIsWithheld = false
  private(set) var isClosing = false

  init(
    residents: LoopResidents, anonymous: OpenCount, limits: DeviceEdgeLimits,
    makeConnection: @escaping (any DeviceTransport) -> DeviceConnection
  ) {
    residency = Residency(among: residents)
    self.anonymous = anonymous
    self.makeConnection = makeConnection
    closeTimeout = limits.closeTimeout
    decoder = MCSFrameDecoder(limits: limits.session)
  }

  // MARK: Life

  func handlerAdded(context: ChannelHandlerContext) {
    self.context = context
    residency.begin(self)
    connection = makeConnection?(self)
    makeConnection = nil
    // From the accept on: the handshake's time is the login's.
    connection?.opened()
    if residency.residents.isStopping { connection?.end(.draining) }
  }

  func release() {
    guard residency.end() else { return }
    loggedIn()
    context = nil
    outgoing = nil
    connection?.closed()
    connection = nil
  }

  // MARK: From the client

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard !isClosing else { return }
    unwrapInboundIn(data).withUnsafeReadableBytes { bytes in
      var rest = bytes
      do throws(MCSViolation) {
        while !isClosing, let stanza = try decoder.next(in: &rest) { connection?.received(stanza) }
      } catch {
        connection?.violated(error)
      }
    }
  }

  /// Reading stops while the engine has enough of this client; its leaving is noticed with the next heartbeat.
  func read(context: ChannelHandlerContext) {
    if connection?.takesInput ?? true || isClosing {
      context.read()
    } else {
      readIsWithheld = true
    }
  }

  func resumeReading() {
    guard readIsWithheld else { return }
    readIsWithheld = false
    context?.read()
  }

  /// TLS that fails, a reset: there is nobody left to tell.
  func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

  /// The backlog has reached its bound, which is the channel's high-water mark.
  func channelWritabilityChanged(context: ChannelHandlerContext) {
    if !context.channel.isWritable, !isClosing {
      isClosing = true
      // A `Close` would only be the last of what it does not read.
      connection?.end(.slow)
      context.close(promise: nil)
    }
    context.fireChannelWritabilityChanged()
  }

  // MARK: To the client

  func write(_ stanza: MCSStanza) {
    guard let context, let frame = stanza.frame else { return }
    var buffer = outgoing ?? context.channel.allocator.buffer(capacity: frame.count + 1)
    outgoing = nil  // lets the buffer grow in place
    if !hasSentVersion {
      hasSentVersion = true
      buffer.writeInteger(MCSFrameDecoder.version)
    }
    buffer.writeBytes(frame)
    outgoing = buffer
  }

  func flush() {
    guard let context, let buffer = outgoing else { return }
    outgoing = nil
    context.writeAndFlush(wrapOutboundOut(buffer), promise: nil)
  }

  func close(_ reason: MCSClosing) {
    guard !isClosing, let context else { return }
    isClosing = true
    guard let buffer = outgoing else { return context.close(promise: nil) }
    outgoing = nil
    setDeadline(closeTimeout)
    context.writeAndFlush(wrapOutboundOut(buffer)).assumeIsolated().whenComplete { _ in
      self.context?.close(promise: nil)
    }
  }

  // MARK: Housekeeping

  /// Not one of those any more that nobody knows, or gone.
  func loggedIn() {
    guard isAnonymous else { return }
    isAnonymous = false
    anonymous.close()
  }
}
