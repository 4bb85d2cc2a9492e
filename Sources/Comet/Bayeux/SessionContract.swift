/// Names one exchange between a client and this process: an HTTP request that waits for its response, or a socket.
public struct ExchangeID: RawRepresentable, Sendable, Hashable {
  public let rawValue: UInt64
  public init(rawValue: UInt64) { self.rawValue = rawValue }
}

/// One event on its way to a client: the whole Bayeux message as JSON text, shared by all who get it.
public struct QueuedMessage: Sendable, Equatable {
  public let bytes: [UInt8]
  public let mark: DeliveryMark?
  /// It wakes no connect and waits for whatever goes out next. Spec: Bayeux reference, 11, lazy messages.
  public internal(set) var isLazy: Bool

  public init(bytes: [UInt8], mark: DeliveryMark?, isLazy: Bool = false) {
    self.bytes = bytes
    self.mark = mark
    self.isLazy = isLazy
  }
}

/// How far the delivery of one source has come once the message that carries the mark is written.
public struct DeliveryMark: Sendable, Equatable {
  /// The service id of the chat.
  public let source: String
  /// The highest transcript position in the message.
  public let position: Int
  /// False for what is no chat's, and whose position says nothing.
  public let isOfTranscript: Bool

  public init(source: String, position: Int, isOfTranscript: Bool = true) {
    self.source = source
    self.position = position
    self.isOfTranscript = isOfTranscript
  }
}

/// A `/meta/connect`.
public struct ConnectRequest: Sendable, Equatable {
  /// The JSON text of `id` as it came.
  public var id: [UInt8]?
  /// `advice.timeout` and `advice.interval` of the request, milliseconds; they hold for this one connect.
  public var timeout: Int?
  public var interval: Int?
  /// `ext.ack`: the last batch that the client has.
  public var acknowledged: Int?
  /// `ext.timesync`.
  public var timesync: TimeSync?

  public init(
    id: [UInt8]? = nil, timeout: Int? = nil, interval: Int? = nil, acknowledged: Int? = nil, timesync: TimeSync? = nil
  ) {
    self.id = id
    self.timeout = timeout
    self.interval = interval
    self.acknowledged = acknowledged
    self.timesync = timesync
  }
}

/// One place in the reply to a request: either a finished reply, or the connect that the session is to answer.
public enum SessionReply: Sendable, Equatable {
  case ready([UInt8])
  case connect(ConnectRequest)
}

/// What happens to a session.
public enum SessionInput: Sendable, Equatable {
  /// A request of this client, all but its connect worked through; replies in request order.
  case request(exchange: ExchangeID, transport: ConnectionType, replies: [SessionReply])
  case deliver([QueuedMessage])
  /// The client has not got these, although they were written: before everything else with the next response.
  case redeliver([QueuedMessage])
  /// Lazy messages have waited as long as they may.
  case lazyElapsed
  /// The session's one timer has run out.
  case timerElapsed
  /// The messages last handed to `respond` for this exchange are written, or could not be.
  case written(ExchangeID, success: Bool)
  /// The client left: the socket under the exchange is closed.
  case closed(ExchangeID)
  /// `/meta/disconnect` came in `exchange`; `replies` as in `request`, the disconnect's own included.
  case disconnect(exchange: ExchangeID, transport: ConnectionType, replies: [SessionReply])
  /// As `disconnect`, for a client that has done nothing but connect for too long.
  case inactive(exchange: ExchangeID, transport: ConnectionType, replies: [SessionReply])
  /// The server stops: release what is held, with an advice to retry; the session itself lives on in the journal.
  case serverStops
  /// The operator ends the session: what is held is refused, what is queued is not delivered any more.
  case dismissed
}

/// What a session wants done, in order.
public enum SessionAction: Sendable, Equatable {
  /// Write these messages as one JSON array. For long polling this completes the exchange.
  case respond(ExchangeID, messages: [[UInt8]])
  /// Nothing more will be written to this socket: the server stops, and its client is to come back later.
  case sendOff(ExchangeID)
  /// (Re)start the session's one timer; it replaces the running one.
  case arm(milliseconds: Int)
  case disarm
  /// Written to the client for good (with the ack extension: acknowledged).
  case delivered([DeliveryMark])
  /// The session is over and is to be forgotten; later use of its clientId gets 402.
  case ended(SessionEnd)
}

public enum SessionEnd: String, Sendable, Equatable, CaseIterable {
  case disconnected, expired, overflowed
  /// Its client has done nothing but connect for longer than it may.
  case inactive
  /// By the operator.
  case dismissed
}

/// The times and bounds of a session. Spec: GMS 4.3, 4.9; Bayeux reference, 13.
public struct SessionSettings: Sendable, Equatable {
  /// `cometd.timeout`: what the advice says.
  public var timeoutMilliseconds = 30_000
  /// How long a connect is really held: less than advised, because clients take the advice for their socket timeout.
  public var holdMilliseconds = 25_000
  /// `cometd.maxInterval`: how long a session outlives its last connect reply.
  public var maxIntervalMilliseconds = 10_000
  /// The longest pause between connects that a client may ask for; it lengthens the life of its session.
  public var intervalMaximumMilliseconds = 60_000
  /// `cometd.multiSessionInterval`: the pause that surplus sessions of one browser are told to make between polls, and
  /// that they live longer; 0 refuses them.
  public var multiSessionIntervalMilliseconds = 2_000
  /// Bounds of the queue; a session that would exceed one is dropped (the transcript lives elsewhere).
  public var queueMessagesMaximum = 1_000
  public var queueBytesMaximum = 1_048_576

  public init() {}
}
