package import NIOCore

/// The handler that a connection is: it lets go of everything once, when the channel ends or another handler takes over.
package protocol ResidentHandler: ChannelInboundHandler, LoopResident {
  /// The connection is gone. Called at least once.
  func release()
}

extension ResidentHandler {
  package func handlerRemoved(context: ChannelHandlerContext) { release() }

  package func channelInactive(context: ChannelHandlerContext) {
    release()
    context.fireChannelInactive()
  }
}
