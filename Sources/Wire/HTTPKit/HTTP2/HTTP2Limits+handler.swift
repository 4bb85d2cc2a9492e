import NIOCore
import NIOHTTP2

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
