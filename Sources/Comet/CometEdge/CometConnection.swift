package import CometEngine
package import HTTPKit
package import NIOCore

/// A connection of a Comet client: what the engine says to it is said on its event loop.
package protocol CometConnection: AnsweringHandler, CometSink {
  var eventLoop: any EventLoop { get }
  func deliver(_ reply: CometReply)
}

extension CometConnection {
  /// Any thread.
  package func send(_ reply: CometReply) {
    if eventLoop.inEventLoop {
      deliver(reply)
    } else {
      eventLoop.execute { self.deliver(reply) }
    }
  }

  package func hasArrived() async -> Bool { await eventLoop.arrival { self.hasArrived } }
}
