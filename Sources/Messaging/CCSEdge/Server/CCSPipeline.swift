import EdgeSecurity
import NIOCore
import NIOPosix
import ServerKit

/// The pipeline of an app server's connection.
struct CCSPipeline: PortPipeline {
  let services: CCSServices

  static var readBufferBytes: (initial: Int, maximum: Int) { CCSLimits.readBufferBytes }

  func configure(_ bootstrap: ServerBootstrap) -> ServerBootstrap {
    bootstrap.childChannelOption(.socketOption(.so_keepalive), value: 1)
  }

  func addHandlers(to channel: any Channel, _ residents: LoopResidents) throws {
    try channel.pipeline.syncOperations.addHandler(
      CCSConnectionHandler(id: Self.randomID(), services: services, residents: residents))
  }

  /// No handshake and no word for one too many.
  func refuse(_ channel: any Channel, _ refusal: ConnectionAdmission.Refusal) throws {
    switch refusal {
    case .full: services.metrics.countRefused()
    case .tooManyFromAddress: services.metrics.countClosing("too-many-from-address")
    }
    throw ChannelError.operationUnsupported
  }

  /// 128 random bits.
  private static func randomID() -> String {
    var generator = SystemRandomNumberGenerator()
    return String(generator.next() as UInt64, radix: 36) + String(generator.next() as UInt64, radix: 36)
  }
}
