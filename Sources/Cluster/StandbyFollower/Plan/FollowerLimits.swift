/// The bounds of a standby.
public enum FollowerLimits {
  /// Between two tries: the first pause, and the longest, each twice the one before.
  public static let firstPause = Duration.milliseconds(100)
  public static let longestPause = Duration.seconds(5)
  /// Times that wrong bytes are asked for again at one place.
  public static let damageMaximum = 3
  /// Until a connection is made.
  static let connectTimeout = Duration.seconds(10)
  /// Without a byte of the primary, which sends a mark each second.
  static let silenceMaximum = Duration.seconds(15)
  /// An acknowledgement is waited for this long, and a page of the manifest.
  static let answerTimeout = Duration.seconds(30)
  /// Before an acknowledgement that was not answered is sent again.
  static let acknowledgementPause = Duration.milliseconds(500)
  /// The manifest is looked at so often, whether it is said to have changed or not.
  static let manifestInterval = Duration.seconds(60)
  /// Pages of one manifest.
  static let manifestPagesMaximum = 10_000
  /// Segments and files of one manifest: of so many, versions have room in what is written down of them.
  static let manifestEntriesMaximum = 2_000_000
  /// The answer to what was refused, in bytes.
  static let refusalBytesMaximum = 4096
  /// The status is written so often, at most.
  static let statusInterval = Duration.seconds(1)
  /// A status that is older than this is nobody's.
  public static let statusAgeMaximum = Duration.seconds(10)
  /// What is kept of the versions of files, in bytes.
  static let followedBytesMaximum = 512 * 1024 * 1024
  static let statusBytesMaximum = 65_536
}
