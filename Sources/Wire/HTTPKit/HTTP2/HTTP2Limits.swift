import NIOCore
import NIOHTTP2

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

extension HTTP2Limits {
  /// What a field costs beside its name and value where HPACK counts. Spec: RFC 7541, 4.1.
  private static let fieldOverheadBytes = 32
  /// Of a request: method, scheme, authority, path and protocol.
  private static let pseudoFieldsMaximum = 5

  /// What the client is told, and what is kept.
  func connection(_ limits: EdgeLimits) -> NIOHTTP2Handler.ConnectionConfiguration {
    var configuration = NIOHTTP2Handler.ConnectionConfiguration()
    let fields = limits.headerFieldsMaximum + Self.pseudoFieldsMaximum
    configuration.initialSettings = [
      HTTP2Setting(parameter: .maxConcurrentStreams, value: streamsMaximum),
      HTTP2Setting(parameter: .initialWindowSize, value: streamWindowBytes),
      // A WebSocket may be a stream. Spec: RFC 8441, 3.
      HTTP2Setting(parameter: .enableConnectProtocol, value: 1),
      // Decoded heads up to here are answered; what is larger for our own limits is told so by 431.
      HTTP2Setting(
        parameter: .maxHeaderListSize, value: limits.headBytesMaximum + fields * Self.fieldOverheadBytes),
    ]
    configuration.maximumSequentialEmptyDataFrames = emptyFramesMaximum
    configuration.maximumBufferedControlFrames = unwrittenControlFramesMaximum
    configuration.maximumSequentialContinuationFrames = continuationsMaximum
    configuration.maximumConnectionGlitches = streamErrorsInAllMaximum
    configuration.targetWindowSize = connectionWindowBytes
    configuration.controlFrameRateLimit.maximumCount = controlFramesMaximum
    configuration.controlFrameRateLimit.windowLength = TimeAmount(rateInterval)
    return configuration
  }

  var stream: NIOHTTP2Handler.StreamConfiguration {
    var configuration = NIOHTTP2Handler.StreamConfiguration()
    configuration.targetWindowSize = streamWindowBytes
    configuration.streamResetFrameRateLimit.maximumCount = resetsMaximum
    configuration.streamResetFrameRateLimit.windowLength = TimeAmount(rateInterval)
    configuration.streamErrorRateLimit.maximumCount = streamErrorsMaximum
    configuration.streamErrorRateLimit.windowLength = TimeAmount(rateInterval)
    return configuration
  }
}
