import NIOCore
import NIOPosix

/// The line between a standby and its primary: passes bytes on, until it is told otherwise.
final class StandbyLine: Sendable {
  enum Condition: String, Sendable, CaseIterable {
    case whole
    /// Nobody gets through, and who was through is thrown out.
    case cut
    /// Everybody gets through, and no byte is passed on; not even an end.
    case frozen
    /// A few bytes at a time.
    case slow
  }

  /// In one piece; also what a slow line passes on in its interval.
  fileprivate static let pieceByteCount = 16 * 1024
  fileprivate static let slowInterval = TimeAmount.milliseconds(100)

  let port: Int
  private let loop: any EventLoop
  private let listener: any Channel
  private let core: NIOLoopBoundBox<LineCore>

  /// - Throws: if it cannot listen.
  static func open() async throws -> StandbyLine {
    let loop = MultiThreadedEventLoopGroup.singleton.next()
    let core = NIOLoopBoundBox.makeBoxSendingValue(LineCore(loop), eventLoop: loop)
    let listener = try await ServerBootstrap(group: loop)
      .childChannelOption(.autoRead, value: false)
      .childChannelOption(
        .recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: pieceByteCount)
      )
      .childChannelOption(.maxMessagesPerRead, value: 1)
      .childChannelInitializer { channel in
        // A child of this listener lives on the one loop.
        channel.eventLoop.makeCompletedFuture { try core.value.accept(channel) }
      }
      .bind(host: "127.0.0.1", port: 0).get()
    guard let port = listener.localAddress?.port else { throw ScriptViolation("the line has no port") }
    return StandbyLine(port, loop, listener, core)
  }

  private init(_ port: Int, _ loop: any EventLoop, _ listener: any Channel, _ core: NIOLoopBoundBox<LineCore>) {
    (self.port, self.loop, self.listener, self.core) = (port, loop, listener, core)
  }

  /// Connections from now on go to this port of loopback; nothing is passed on to the former one any more.
  func lead(to port: Int) async throws {
    try await loop.submit { [core] in
      core.value.target = port
      core.value.cut()
    }.get()
  }

  func set(_ condition: Condition) async throws {
    try await loop.submit { [core] in core.value.set(condition) }.get()
  }

  func close() async {
    // What is closed already is closed.
    try? await listener.close()
    try? await loop.submit { [core] in core.value.cut() }.get()
  }
}

/// The part that lives on the loop.
private final class LineCore {
  let loop: any EventLoop
  var condition = StandbyLine.Condition.whole
  /// Nil as long as there is no primary.
  var target: Int?
  private var ends: [ObjectIdentifier: LineEnd] = [:]

  init(_ loop: any EventLoop) { self.loop = loop }

  func set(_ condition: StandbyLine.Condition) {
    self.condition = condition
    if condition == .cut { cut() } else { for end in ends.values { end.pass() } }
  }

  func cut() { for end in Array(ends.values) { end.cut() } }

  func accept(_ channel: any Channel) throws {
    guard condition != .cut, let target else { return channel.close(promise: nil) }
    let near = LineEnd(self)
    try channel.pipeline.syncOperations.addHandler(near)
    let (core, bound) = (NIOLoopBound(self, eventLoop: loop), NIOLoopBound(near, eventLoop: loop))
    ClientBootstrap(group: loop)
      .channelOption(.autoRead, value: false)
      .channelOption(
        .recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: StandbyLine.pieceByteCount)
      )
      .channelOption(.maxMessagesPerRead, value: 1)
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          let far = LineEnd(core.value)
          (far.other, bound.value.other) = (bound.value, far)
          try channel.pipeline.syncOperations.addHandler(far)
        }
      }
      .connect(host: "127.0.0.1", port: target)
      .whenComplete { result in
        switch result {
        // The two may have been cut meanwhile: then what is passed on is the end.
        case .success:
          bound.value.pass()
          bound.value.other?.pass()
        case .failure: bound.value.cut()
        }
      }
  }

  func enter(_ end: LineEnd) { ends[ObjectIdentifier(end)] = end }
  func leave(_ end: LineEnd) { ends[ObjectIdentifier(end)] = nil }
}

/// One of the two sockets of a connection: reads, and has the other one write.
private final class LineEnd: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  private let core: LineCore
  /// Nil before it is connected, and after its end was passed on.
  var other: LineEnd?
  private var context: ChannelHandlerContext?
  private var held: [ByteBuffer] = []
  private var hasEnded = false
  private var isResting = false

  init(_ core: LineCore) { self.core = core }

  func handlerAdded(context: ChannelHandlerContext) {
    self.context = context
    core.enter(self)
  }

  func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) { held.append(unwrapInboundIn(data)) }

  func channelReadComplete(context: ChannelHandlerContext) { pass() }

  func channelWritabilityChanged(context: ChannelHandlerContext) { other?.pass() }

  func channelInactive(context: ChannelHandlerContext) {
    hasEnded = true
    pass()
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

  /// Passes on what was read, as the line is, and reads on.
  func pass() {
    guard core.condition != .frozen, !isResting, let other else { return }
    if !held.isEmpty {
      guard other.write(held) else { return }
      held = []
      if core.condition == .slow { return rest() }
    }
    if hasEnded {
      core.leave(self)
      self.other = nil
      other.close()
    } else {
      context?.read()
    }
  }

  /// Ends both sides at once; what was not passed on is gone.
  func cut() {
    held = []
    hasEnded = true
    core.leave(self)
    close()
    let far = other
    other = nil
    far?.cut()
  }

  private func rest() {
    isResting = true
    let bound = NIOLoopBound(self, eventLoop: core.loop)
    core.loop.scheduleTask(in: StandbyLine.slowInterval) {
      bound.value.isResting = false
      bound.value.pass()
    }
  }

  /// - Returns: false while more than enough waits to be written.
  private func write(_ buffers: [ByteBuffer]) -> Bool {
    // What is written to a socket that has gone is lost, as on any line.
    guard let context else { return true }
    guard context.channel.isWritable else { return false }
    for buffer in buffers { context.write(wrapOutboundOut(buffer), promise: nil) }
    context.flush()
    return true
  }

  private func close() { context?.close(promise: nil) }
}
