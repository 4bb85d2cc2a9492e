import CarillonClient
import NIOCore
import NIOPosix

/// Lets visitors come at a steady pace, on one event loop. Belongs to it.
final class ChurnRun {
  private let address: ServerAddress
  private let agentToken: String
  private let loop: any EventLoop
  private let stay: TimeAmount
  private(set) var begun = 0
  private(set) var open = 0
  /// Visitors whom the server did not answer, or sent away.
  private(set) var failed = 0

  init(address: ServerAddress, agentToken: String, stay: TimeAmount, on loop: any EventLoop) {
    self.address = address
    self.agentToken = agentToken
    self.stay = stay
    self.loop = loop
  }

  /// Lets so many come now, the kinds in turn.
  func admit(_ count: Int) {
    for _ in 0..<count { admitOne() }
  }

  private func admitOne() {
    let kind = ChurnKind.allCases[begun % ChurnKind.allCases.count]
    let (number, bound, token, stay) = (begun, NIOLoopBound(self, eventLoop: loop), agentToken, stay)
    begun += 1
    open += 1
    ClientBootstrap(group: loop)
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(
            ChurnVisitor(kind, number: number, agentToken: token, stay: stay) { bound.value.left($0) })
        }
      }
      .connect(host: address.host, port: address.port)
      .whenFailure { _ in bound.value.left(false) }
  }

  private func left(_ hasSucceeded: Bool) {
    open -= 1
    if !hasSucceeded { failed += 1 }
  }
}
