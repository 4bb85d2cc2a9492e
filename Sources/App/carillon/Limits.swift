/// The bounds of what the commands read and write.
enum Limits {
  /// A log record's message and each of its metadata values are cut at this many characters.
  static let logTextCharactersMaximum = 8_192
  /// Lines of the access log that wait for their disk, in bytes; what comes beyond that is dropped, and counted.
  static let accessLogBytesMaximum = 1_048_576
  /// The answer to `health`, in bytes.
  static let healthAnswerBytesMaximum = 16_384
  /// `health` waits this long.
  static let healthTimeout = Duration.seconds(5)
  /// An operator's call is waited for this long, and its answer read up to so many bytes.
  static let operatorTimeout = Duration.seconds(45)
  static let operatorAnswerBytesMaximum = 1_048_576
  /// A redaction by the server is waited for this long; it answers sooner, if only to say that it is at it.
  static let redactionTimeout = Duration.seconds(60)
  /// A command that hears of an alarm is waited for this long.
  static let alarmCommandTimeout = Duration.seconds(30)
  /// Proofs that one call checks.
  static let proofsMaximum = 100_000
}
