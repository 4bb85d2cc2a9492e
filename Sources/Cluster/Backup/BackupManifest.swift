public import Journal
public import JournalFormat
public import StandbyWire

/// What a backup holds: every file with its size and hash, and where the journal in it ends. Written last, so that a
/// backup without one, or with less than it says, was cut.
public struct BackupManifest: Sendable, Equatable {
  public struct File: Sendable, Equatable {
    public let place: StandbyPath
    public let byteCount: Int
    /// SHA-256 of the content.
    public let hash: Hash256
    /// Of the file that was copied; another one as soon as that is written to or replaced.
    public let version: String

    public init(_ place: StandbyPath, byteCount: Int, hash: Hash256, version: String) {
      (self.place, self.byteCount, self.hash, self.version) = (place, byteCount, hash, version)
    }
  }

  /// The version of the program that made it: no spaces.
  public var madeBy: String
  /// Milliseconds since 1970.
  public var madeAt: Int64
  /// The oldest segment that is kept: journals never share one.
  public var instance: SegmentName
  /// Of the directory that it was made of.
  public var ownEpoch: UInt32
  public var toldEpoch: UInt32
  /// Where the journal ends.
  public var end: JournalPoint
  /// By path.
  public var files: [File]

  public init(
    madeBy: String, madeAt: Int64, instance: SegmentName, ownEpoch: UInt32, toldEpoch: UInt32, end: JournalPoint,
    files: [File]
  ) {
    self.madeBy = madeBy
    self.madeAt = madeAt
    self.instance = instance
    self.ownEpoch = ownEpoch
    self.toldEpoch = toldEpoch
    self.end = end
    self.files = files.sorted { $0.place.text < $1.place.text }
  }

  /// Of all files together.
  public var byteCount: Int { files.reduce(0) { $0 + $1.byteCount } }
}
