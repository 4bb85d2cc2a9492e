public import Bayeux
public import NIOCore
import NIOPosix

/// How an app reaches the support requests of its server.
public struct SupportConfiguration: Sendable {
  public var server: ServerAddress
  /// Where its standbys serve once one of them has taken its place, in the order in which they are tried: by requests that
  /// do not reach the server, or find it not ready.
  public var alternatives: [ServerAddress] = []
  /// The client id that the server knows the app by.
  public var app: String
  /// For live events.
  public var transport = ConnectionType.longPolling
  /// Needed for `https` only.
  public var security: TransportSecurity?
  public var backOff = BackOff()
  /// How long a request other than the held connect may take.
  public var requestTimeout = Duration.seconds(10)
  public var group: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton
  /// Told everything that goes over the wire, comments included. For tests and demonstrations.
  public var trace: (@Sendable (WireTrace) -> Void)?

  public init(server: ServerAddress, app: String) {
    self.server = server
    self.app = app
  }
}
