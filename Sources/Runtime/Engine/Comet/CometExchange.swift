public import Bayeux
import DequeModule
import Synchronization

/// What a transport gives the gateway: a place to write replies to. Implemented by `HTTPEdge`.
public protocol CometSink: AnyObject, Sendable {
  /// Writes `reply.messages` as one JSON array. Any thread; never blocks. For long polling this completes the request;
  /// a WebSocket takes any number. Reports the end of each write, in order, by `CometGateway.written`.
  func send(_ reply: CometReply)
}

/// One response of the Comet endpoint, or one frame.
public struct CometReply: Sendable {
  /// JSON texts, one for each Bayeux message.
  public var messages: [[UInt8]]
  /// A `BAYEUX_BROWSER` cookie to set (a successful handshake that came without one).
  public var newBrowserID: String?

  public init(messages: [[UInt8]], newBrowserID: String? = nil) {
    self.messages = messages
    self.newBrowserID = newBrowserID
  }
}

/// One exchange with a Comet client: an HTTP request that waits for its response, or a WebSocket.
///
/// The edge makes one with `CometGateway.open`, hands it what it reads, and says when it is closed.
public final class CometExchange: Sendable {
  public let id: ExchangeID
  public let transport: ConnectionType
  /// The `gms_user` header of the request (for a WebSocket: of its upgrade request).
  public let userKey: String?
  /// The `BAYEUX_BROWSER` cookie.
  public let browserID: String?
  /// The bearer of `Authorization`, wherever a handshake may come.
  let accessToken: String?
  let sink: any CometSink
  /// The client has left: a request of it that is still worked through is answered to nobody, and must neither be held
  /// nor take its session away from the exchange that the client has gone on with.
  let isClosed = Atomic<Bool>(false)
  /// The session that this exchange's requests were found to belong to.
  let session = Mutex<CometSession?>(nil)
  /// Requests that wait for the one before them: a socket may send many, an HTTP request is alone.
  let queue = Mutex(RequestQueue())

  struct RequestQueue: Sendable {
    var waiting = Deque<[BayeuxMessage]>()
    var isRunning = false
  }

  init(
    id: ExchangeID, transport: ConnectionType, userKey: String?, browserID: String?, accessToken: String?,
    sink: any CometSink
  ) {
    self.id = id
    self.transport = transport
    self.userKey = userKey
    self.browserID = browserID
    self.accessToken = accessToken
    self.sink = sink
  }
}
