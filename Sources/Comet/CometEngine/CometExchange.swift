public import Bayeux
import DequeModule
import Synchronization

/// What a transport gives the gateway: a place to write replies to. Implemented by `CometEdge`.
public protocol CometSink: AnyObject, Sendable {
  /// Writes `reply.messages` as one JSON array. Any thread; never blocks. For long polling this completes the request;
  /// a WebSocket takes any number. Reports the end of each write, in order, by `CometGateway.written`.
  func send(_ reply: CometReply)
  /// The server stops, and nothing more will be sent: a WebSocket says so and closes. Any thread; never blocks.
  func sendOff()
  /// Whether what was last written has come as far as the client's machine, or may have: false if the connection was
  /// reset, or its kernel never got an acknowledgment. Asked when the client goes on over another connection.
  func hasArrived() async -> Bool
}

extension CometSink {
  /// The answer to a poll is its end anyway.
  public func sendOff() {}
  public func hasArrived() async -> Bool { true }
}

/// One response of the Comet endpoint, or one frame.
public struct CometReply: Sendable {
  /// JSON texts, one for each Bayeux message.
  public var messages: [[UInt8]]
  /// A `BAYEUX_BROWSER` cookie to set (a successful handshake that came without one).
  public var newBrowserID: String?
  /// Stands behind the brace that each message begins with: JSON text of a member and a comma. The messages themselves
  /// are shared with others.
  public internal(set) var stamp: [UInt8] = []

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
  /// Its connection carries any number of requests beside it.
  let isMultiplexed: Bool
  /// The user whom the request (for a WebSocket: its upgrade request) named or, where that is asked for, proved.
  public let userKey: String?
  /// The `BAYEUX_BROWSER` cookie.
  public let browserID: String?
  /// The bearer of `Authorization`.
  let accessToken: String?
  /// Where it comes from, for the log.
  let address: (any CustomStringConvertible & Sendable)?
  /// Where replies go until the client leaves. A sink keeps its exchange: one that kept its sink beyond that would keep
  /// both for ever.
  private let sink: Mutex<(any CometSink)?>
  /// The client has left: a request of it that is still worked through is answered to nobody, and must neither be held
  /// nor take its session away from the exchange that the client has gone on with.
  let isClosed = Atomic<Bool>(false)
  /// It is bound to a session, which answers for it.
  public var hasSession: Bool { session.withLock { $0 != nil } }
  /// The session that this exchange's requests were found to belong to.
  let session = Mutex<CometSession?>(nil)
  /// Requests that wait for the one before them: a socket may send many, an HTTP request is alone.
  let queue = Mutex(RequestQueue())

  struct RequestQueue: Sendable {
    var waiting = Deque<ArrivedRequest>()
    var isRunning = false
  }

  init(
    id: ExchangeID, transport: ConnectionType, isMultiplexed: Bool, userKey: String?, browserID: String?,
    accessToken: String?, address: (any CustomStringConvertible & Sendable)?, sink: any CometSink
  ) {
    self.id = id
    self.transport = transport
    self.isMultiplexed = isMultiplexed
    self.userKey = userKey
    self.browserID = browserID
    self.accessToken = accessToken
    self.address = address
    self.sink = Mutex(sink)
  }

  /// False if the client has left: nothing was written, and no word about it will come.
  func write(_ reply: CometReply) -> Bool {
    guard let sink = sink.withLock({ $0 }) else { return false }
    sink.send(reply)
    return true
  }

  func sendOff() { sink.withLock { $0 }?.sendOff() }

  /// Who is written to; nil once the client has left.
  var recipient: (any CometSink)? { sink.withLock { $0 } }

  func close() {
    isClosed.store(true, ordering: .sequentiallyConsistent)
    // The last reference to it may be this one: it goes outside of the lock.
    let sink = sink.withLock { sink in
      defer { sink = nil }
      return sink
    }
    _ = sink
  }
}
