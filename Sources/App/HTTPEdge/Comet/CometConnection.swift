import Engine
import NIOCore

/// A connection of a Comet client: what the engine says to it is said on its event loop.
protocol CometConnection: AnsweringHandler, CometSink {
  var eventLoop: any EventLoop { get }
  func deliver(_ reply: CometReply)
}

extension CometConnection {
  /// Any thread.
  func send(_ reply: CometReply) {
    if eventLoop.inEventLoop {
      deliver(reply)
    } else {
      eventLoop.execute { self.deliver(reply) }
    }
  }

  func hasArrived() async -> Bool { await eventLoop.arrival { self.arrival.hasArrived(self.context) } }
}
