import Engine
import MCSProtocol
import NIOCore

/// One device's connection: logs in, counts, acknowledges what has come. Belongs to its event loop.
final class DeviceLine: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  private let fleet: DeviceFleet
  private let index: Int
  private var decoder = MCSFrameDecoder()
  private var context: ChannelHandlerContext?
  private(set) var isLoggedIn = false
  private var receivedCount: Int32 = 0
  private var sentCount = 0
  private var owesAcknowledgement = false
  /// The stanza that is to be confirmed, counted as the server does.
  private var unsettled: Int?

  /// Until the server is asked once more whether an acknowledgement is on the disk.
  private static let patience = TimeAmount.milliseconds(100)

  init(_ fleet: DeviceFleet, _ index: Int) {
    self.fleet = fleet
    self.index = index
  }

  func close() { context?.close(promise: nil) }

  func handlerAdded(context: ChannelHandlerContext) { self.context = context }
  func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

  func channelActive(context: ChannelHandlerContext) {
    let credentials = fleet.devices[index].credentials
    var login = MCSLoginRequest()
    login.id = "chrome-63.0.3234.0"
    login.domain = "mcs.android.com"
    login.user = "\(credentials.id.androidID)"
    login.resource = login.user
    login.authToken = "\(credentials.securityToken)"
    login.adaptiveHeartbeat = false
    login.useRmq2 = true
    login.authService = 2
    write([MCSFrameDecoder.version] + (MCSStanza.loginRequest(login).frame ?? []))
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    unwrapInboundIn(data).withUnsafeReadableBytes { bytes in
      var rest = bytes
      do throws(MCSViolation) {
        while let stanza = try decoder.next(in: &rest) { take(stanza) }
      } catch {
        fleet.fail("not understood: \(error)")
      }
    }
  }

  private func take(_ stanza: MCSStanza) {
    receivedCount += 1
    if let unsettled, let confirmed = stanza.lastStreamIDReceived, confirmed >= unsettled {
      self.unsettled = nil
      fleet.onSettled?(index)
    }
    switch stanza {
    case .loginResponse(let response):
      guard !response.hasError else { return fleet.fail("a login was refused: \(response.error.message)") }
      isLoggedIn = true
      fleet.loggedIn(index, self)
    case .dataMessage(let message):
      owesAcknowledgement = true
      fleet.arrived(index, message)
    case .heartbeatPing: send(.heartbeatAck(MCSHeartbeatAck()))
    default: break
    }
  }

  func channelReadComplete(context: ChannelHandlerContext) {
    guard owesAcknowledgement else { return }
    owesAcknowledgement = false
    var ack = MCSIqStanza.streamAck
    ack.lastStreamIDReceived = receivedCount
    send(.iq(ack))
  }

  func settle() {
    // All that has been read is acknowledged by this.
    owesAcknowledgement = false
    unsettled = sentCount + 1
    ask()
  }

  private func ask() {
    guard unsettled != nil, let context else { return }
    var ping = MCSHeartbeatPing()
    ping.lastStreamIDReceived = receivedCount
    send(.heartbeatPing(ping))
    context.eventLoop.assumeIsolated().scheduleTask(in: Self.patience) { self.ask() }
  }

  private func send(_ stanza: MCSStanza) { if let frame = stanza.frame { write(frame) } }

  private func write(_ bytes: [UInt8]) {
    guard let context else { return }
    sentCount += 1
    context.writeAndFlush(wrapOutboundOut(context.channel.allocator.buffer(bytes: bytes)), promise: nil)
  }

  func channelInactive(context: ChannelHandlerContext) { fleet.lost(index, self) }

  func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
