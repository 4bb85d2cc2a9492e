internal import NIOCore

/// What bounds the client beside its settings.
enum Limits {
  /// Streams at once on one connection, whatever the server allows.
  static let streamsPerConnectionMaximum = 1_000
  /// What counts until the server's SETTINGS name a number: NIOHTTP2 itself would queue what is above it.
  static let streamsUntilTold = 100
  /// Connections that only finish their last streams, beside those that take new ones.
  static let drainingMaximum = 16
  /// GOAWAYs during the first request after connecting, in a row, that make a server unusable. Spec: providers 2.1.
  static let goawaysInARowMaximum = 3
  /// The last stream id that is used before a connection is replaced (the protocol ends at 2^31 - 1).
  static let streamIDMaximum = Int32.max - 2
  /// Response headers, as SETTINGS_MAX_HEADER_LIST_SIZE.
  static let headerListBytesMaximum = 16 << 10
  /// The connection's receive window: it should never hold up 1,000 small answers.
  static let connectionWindowBytes = 1 << 20
  /// The most that `responseBytesMaximum` may be: the receive window is made from it.
  static let responseBytesLargest = 16 << 20
  /// The longest timeout; far below where deadlines in nanoseconds overflow.
  static let durationMaximum = Duration.seconds(30 * 86_400)
  /// Certificates and keys.
  static let fileBytesMaximum = 1 << 20
  /// How long the peer may take to answer our close_notify.
  static let closeTimeout = TimeAmount.seconds(1)
  /// The pause before the next connection after one that died without an answer; doubles to the longest.
  static let barrenPauseFirst = TimeAmount.milliseconds(50)
  static let barrenPauseLongest = TimeAmount.seconds(2)
  /// After a surplus connection could not be made, how long the others have to do.
  static let expansionPause = TimeAmount.seconds(5)
  /// NIOHTTP2's guards against floods, in 30 s. Its own numbers (200) would cut off a busy provider that pings for
  /// bandwidth or refuses streams in bulk, and a cut loses answers.
  static let floodFramesMaximum = 10_000
  /// Answers broken in themselves, in a connection's life.
  static let glitchesMaximum = 10_000
  /// Empty DATA frames in a row.
  static let emptyFramesMaximum = 16
}
