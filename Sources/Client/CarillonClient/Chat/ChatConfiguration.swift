public import Bayeux
public import NIOCore
import NIOPosix

/// How a chat reaches its server.
public struct ChatConfiguration: Sendable {
  public var server: ServerAddress
  /// Where its standbys serve once one of them has taken its place, in the order in which they are tried: by requests that
  /// do not reach the server, or find it not ready.
  public var alternatives: [ServerAddress] = []
  /// The user's key, sent as `gms_user` with every request. Whoever knows it reads the user's chats: make it long and
  /// random.
  public var userKey: String
  /// The name of the chat service.
  public var service = "request-chat"
  /// The id of a service instance that is there already, such as that of a callback whose dialog says to start the chat;
  /// nil to make one of `service`.
  public var instance: String?
  public var transport = ConnectionType.longPolling
  /// Proves that the user is `userKey`, where the server asks for that (its option `identity`); sent as a bearer, so not
  /// beside `credentials`.
  public var userToken: String?
  /// Basic credentials, if the server or the service has some.
  public var credentials: (username: String, password: String)?
  /// Needed for `https` only.
  public var security: TransportSecurity?
  public var backOff = BackOff()
  /// How long a request other than the held connect may take.
  public var requestTimeout = Duration.seconds(10)
  public var group: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton
  /// Told everything that goes over the wire, message texts included. For tests and demonstrations.
  public var trace: (@Sendable (WireTrace) -> Void)?

  public init(server: ServerAddress, userKey: String) {
    self.server = server
    self.userKey = userKey
  }

  var headers: [(name: String, value: String)] {
    var headers = [(name: "gms_user", value: userKey)]
    if let credentials {
      let value = basicAuthorization(username: credentials.username, password: credentials.password)
      headers.append((name: "Authorization", value: value))
    } else if let userToken {
      headers.append((name: "Authorization", value: "Bearer \(userToken)"))
    }
    return headers
  }
}
