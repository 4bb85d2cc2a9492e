/// Every bound of a connection that speaks HTTP/2. What a stream may take, and how long, is bounded as an HTTP/1.1
/// connection is. Spec: RFC 9113, 10.5.
public struct HTTP2Limits: Sendable, Equatable {
  // Of each connection.
  /// Streams that are open at once; one more, of a client that knows it, ends the connection.
  public var streamsMaximum = 128
  /// Bytes of a stream's body that may be under way, and of all streams' together.
  public var streamWindowBytes = 262_144
  public var connectionWindowBytes = 1_048_576

  // Beyond these the connection ends with GOAWAY.
  /// CONTINUATION frames of one head.
  public var continuationsMaximum = 5
  /// DATA frames without a byte behind each other.
  public var emptyFramesMaximum = 8
  /// Frames that nobody reads: answers to PING and SETTINGS, resets.
  public var unwrittenControlFramesMaximum = 1_000
  /// Within `rateInterval`: streams that the client resets.
  public var resetsMaximum = 200
  /// Within `rateInterval`: streams that we reset because of what came on them.
  public var streamErrorsMaximum = 200
  /// In the life of a connection.
  public var streamErrorsInAllMaximum = 2_000
  /// Within `rateInterval`: PING, SETTINGS and PRIORITY.
  public var controlFramesMaximum = 200
  public var rateInterval: Duration = .seconds(30)
  /// WINDOW_UPDATE and frames of unknown types beyond what there is a reason for, see `HTTP2IdleFrames`.
  public var idleFramesMaximum = 1_000

  public init() {}
}
