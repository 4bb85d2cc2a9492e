package import OptionKit

/// Every bound of the HTTP edge, in one place.
public struct EdgeLimits: Sendable, Equatable {
  // Bytes.
  /// Request line and header fields together; beyond it 431.
  public var headBytesMaximum = 32_768
  /// Header fields of one request; beyond it 431.
  public var headerFieldsMaximum = 100
  /// The request target; beyond it 414.
  public var targetBytesMaximum = 8_192
  /// A request body outside the Comet endpoint; beyond it 413. Spec: GMS 2.4.
  public var bodyBytesMaximum = 1_048_576
  /// A request body that may hold files; beyond it 413. Spec: GMS 2.4, 11.
  public var storageBodyBytesMaximum = 10_485_760
  /// A request body of the Comet endpoint; beyond it 413.
  public var cometBodyBytesMaximum = 1_048_576
  /// One WebSocket message, whole; beyond it close code 1009.
  public var webSocketMessageBytesMaximum = 262_144
  /// Fragments of one WebSocket message; beyond it close code 1008.
  public var webSocketFragmentsMaximum = 64
  /// Bytes that may wait to be written on one WebSocket; a client that reads slower is dropped.
  public var webSocketBacklogBytesMaximum = 2_097_152
  /// Bytes thrown away while a refused request's rest drains, before the connection is cut.
  public var drainedBytesMaximum = 262_144

  /// Of connections that speak HTTP/2.
  public var http2 = HTTP2Limits()

  // Counts.
  /// Open connections; beyond it 503 and the connection is closed.
  public var connectionsMaximum = 18_000
  /// Decoded parts of further requests that may wait behind a response; beyond it the connection is closed.
  public var pipelinedPartsMaximum = 1_024
  /// Parameters of one request; beyond it 400.
  public var parametersMaximum = 512
  /// Printable characters of the `gms_user` header; beyond it 400.
  public var userKeyCharactersMaximum = 256
  /// Bulk unregistrations at once; beyond it 429 until `bulkUnregisterInterval` has passed for each.
  public var bulkUnregistersMaximum = 100

  // Times.
  /// From the first byte (or the accepted connection) to the end of the head; beyond it 408.
  public var headTimeout: Duration = .seconds(10)
  /// For a body of any size, plus one second for each `bodyBytesPerSecondMinimum` bytes; beyond it 408.
  public var bodyTimeout: Duration = .seconds(15)
  public var bodyBytesPerSecondMinimum = 1_024
  /// A connection without a request in progress.
  public var keepAliveTimeout: Duration = .seconds(75)
  /// One part of a response that the client does not take.
  public var writeTimeout: Duration = .seconds(30)
  /// A route's work until its response begins; beyond it 503.
  public var responseTimeout: Duration = .seconds(60)
  /// What is left to a route's request whose client has closed its sending side.
  public var departedClientGrace: Duration = .milliseconds(500)
  /// How long a refused request's rest is drained, so that the client can read why.
  public var drainTimeout: Duration = .seconds(1)
  /// Silence after which a comment is written on an event stream. Spec: server-sent events, keep-alive.
  public var eventStreamHeartbeat: Duration = .seconds(15)
  /// Silence of a WebSocket's peer after which it is pinged; after as long again without a word it is dropped.
  public var webSocketPingInterval: Duration = .seconds(30)
  /// From our close frame to the peer's.
  public var webSocketCloseTimeout: Duration = .seconds(5)
  /// After which one more bulk unregistration is taken.
  public var bulkUnregisterInterval: Duration = .milliseconds(600)
  /// What a stopping server grants the requests that run.
  public var shutdownGrace: Duration = .seconds(10)

  public init() {}
}

extension EdgeLimits {
  /// What a refused client is told to wait, in seconds (Retry-After).
  package static let retryAfterSeconds = 5
  /// How long a request for a redaction is held before it is answered with 202.
  package static let redactionWaitMilliseconds: Int64 = 20_000
  /// Proofs for customers that are looked for at a time: fewer than readers of the journal.
  package static let receiptReadersMaximum = 2
  /// How long an operator's push is waited for before it is answered with 202.
  package static let pushWait = Duration.seconds(30)
  /// What lists show of the text of one dead letter.
  package static let deadLetterBodyBytesMaximum = 16_384
  /// The smallest and the largest read buffer.
  package static let readBufferBytes = (initial: 2_048, maximum: 8_192)
  /// Proxies that one request may have come through, of those whose word is taken; what was before them is not looked at.
  package static let forwardedHopsMaximum = 32
  /// Tokens in the token file.
  package static let tokensMaximum = 1_024
  /// Codes of links that nobody has used yet.
  package static let signInCodesMaximum = 64
  /// Services that a token names, and bytes of the name of one.
  package static let servicesByTokenMaximum = 64
  package static let serviceNameBytesMaximum = 128
  /// Bytes of the token file.
  package static let tokenFileBytesMaximum = 1_048_576
}

extension EdgeLimits: OptionSettings {
  package static let fields: [OptionField<Self>] = [
    OptionField(
      "shutdown_grace", \.shutdownGrace, .seconds(0...3_600), "what a stopping server grants the requests that run"),
    OptionField(
      "limits.http2_streams", \.http2.streamsMaximum, .integer(1...10_000), "open streams of one HTTP/2 connection"),
    OptionField("limits.connections", \.connectionsMaximum, .integer(1...1_000_000), "open connections"),
    OptionField(
      "limits.head_bytes", \.headBytesMaximum, .byteCount(1_024...1_048_576), "request line and header fields"),
    OptionField("limits.header_fields", \.headerFieldsMaximum, .integer(10...10_000), "header fields of a request"),
    OptionField("limits.target_bytes", \.targetBytesMaximum, .byteCount(256...1_048_576), "request target"),
    OptionField("limits.parameters", \.parametersMaximum, .integer(10...100_000), "parameters of a request"),
    OptionField(
      "limits.body_bytes", \.bodyBytesMaximum, .byteCount(1_024...1_073_741_824),
      "request body outside the Comet endpoint"),
    OptionField(
      "limits.comet_body_bytes", \.cometBodyBytesMaximum, .byteCount(1_024...1_073_741_824),
      "request body of the Comet endpoint"),
    OptionField(
      "limits.storage_body_bytes", \.storageBodyBytesMaximum, .byteCount(1_024...1_073_741_824),
      "request body that may hold files to be stored"),
    OptionField(
      "limits.websocket_message_bytes", \.webSocketMessageBytesMaximum, .byteCount(1_024...1_073_741_824),
      "one WebSocket message"),
    OptionField(
      "limits.websocket_backlog_bytes", \.webSocketBacklogBytesMaximum, .byteCount(16_384...1_073_741_824),
      "bytes that may wait for one WebSocket; a slower client is dropped"),
    OptionField(
      "limits.head_seconds", \.headTimeout, .seconds(0.1...3_600), "from a request's first byte to the end of its head"),
    OptionField("limits.body_seconds", \.bodyTimeout, .seconds(0.1...3_600), "for a body of any size"),
    OptionField(
      "limits.body_bytes_per_second", \.bodyBytesPerSecondMinimum, .integer(1...1_073_741_824),
      "slowest body that is waited for beyond limits.body_seconds"),
    OptionField(
      "limits.idle_seconds", \.keepAliveTimeout, .seconds(1...86_400), "keep-alive connection without a request"),
    OptionField(
      "limits.write_seconds", \.writeTimeout, .seconds(1...3_600), "part of a response that the client does not take"),
    OptionField(
      "limits.response_seconds", \.responseTimeout, .seconds(1...3_600), "work on a request until its response begins"),
    OptionField(
      "limits.event_stream_heartbeat", \.eventStreamHeartbeat, .seconds(1...3_600), "silence on an agent's event stream"
    ),
    OptionField(
      "limits.websocket_ping_seconds", \.webSocketPingInterval, .seconds(1...3_600),
      "silence of a WebSocket before it is pinged"),
  ]
}
