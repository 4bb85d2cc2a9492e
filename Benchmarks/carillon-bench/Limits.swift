/// The bounds in time and size that keep every measurement from running on for ever.
enum Limits {
  /// From the start of a server to its first "ready".
  static let readyTimeout = Duration.seconds(60)
  /// Making all chats and connections of one measurement.
  static let setUpTimeout = Duration.seconds(120)
  /// From the last message sent to the last one delivered.
  static let drainTimeout = Duration.seconds(10)
  /// One request, as seen by the set-up.
  static let requestTimeout = Duration.seconds(20)
  /// Customers that are being set up at the same time.
  static let setUpsAtOnce = 128
  /// Bytes of the server's log that are shown when it failed.
  static let logTailBytes = 4_000
  /// Of a file of figures to compare; a program is known by its first bytes.
  static let figuresBytesMaximum = 4_194_304
}
