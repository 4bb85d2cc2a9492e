internal import NIOCore

/// Makes one write of all that comes between two flushes.
///
/// NIOHTTP2 writes the header of a DATA frame, its bytes and each HEADERS frame by themselves, and TLS makes a record
/// of each: three to encrypt, send and decrypt for every request, instead of one for a batch of them.
final class WriteCoalescer: ChannelOutboundHandler {
  typealias OutboundIn = IOData
  typealias OutboundOut = ByteBuffer

  /// What one TLS record can hold.
  private static let batchBytesMaximum = 16 << 10

  private var batch: ByteBuffer?
  private var promise: EventLoopPromise<Void>?

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    guard case .byteBuffer(var bytes) = unwrapOutboundIn(data) else {
      pass(context)
      return context.write(data, promise: promise)
    }
    if let batch, batch.readableBytes + bytes.readableBytes > Self.batchBytesMaximum { pass(context) }
    if batch == nil { batch = context.channel.allocator.buffer(capacity: max(512, bytes.readableBytes)) }
    batch?.writeBuffer(&bytes)
    if let promise {
      if let first = self.promise { first.futureResult.cascade(to: promise) } else { self.promise = promise }
    }
  }

  func flush(context: ChannelHandlerContext) {
    pass(context)
    context.flush()
  }

  /// GOAWAY may be written just before it.
  func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
    flush(context: context)
    context.close(mode: mode, promise: promise)
  }

  func handlerRemoved(context: ChannelHandlerContext) {
    batch = nil
    promise?.fail(ChannelError.ioOnClosedChannel)
    promise = nil
  }

  private func pass(_ context: ChannelHandlerContext) {
    guard let batch else { return }
    let promise = promise
    (self.batch, self.promise) = (nil, nil)
    context.write(wrapOutboundOut(batch), promise: promise)
  }
}
