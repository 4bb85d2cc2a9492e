public import JournalFormat

/// Which sealed segments leave the journal's directory; the oldest first, and never one before another that is older.
public struct RetentionRule: Sendable, Equatable {
  public enum Action: String, Sendable, CaseIterable {
    /// To the archive, where everything still finds them.
    case archive
    /// For ever, wherever they lie: a replay from the first record is not possible any more.
    case delete
  }

  public var action: Action
  /// Segments that were sealed at least so long ago go; nil: their age is no reason.
  public var ageMillisecondsMaximum: Int64?
  /// Segments go until the files left, in the directory (`archive`) or in both (`delete`), have no more bytes together;
  /// nil: their size is no reason.
  public var totalByteCountMaximum: Int?
  /// Where the oldest snapshot that is kept begins: what a start from it needs stays where it is. Nil: nothing is
  /// deleted, and any sealed segment may be archived.
  public var neverBeyond: JournalPoint?

  public init(
    _ action: Action, ageMillisecondsMaximum: Int64? = nil, totalByteCountMaximum: Int? = nil,
    neverBeyond: JournalPoint?
  ) {
    self.action = action
    self.ageMillisecondsMaximum = ageMillisecondsMaximum
    self.totalByteCountMaximum = totalByteCountMaximum
    self.neverBeyond = neverBeyond
  }
}

/// What retention did.
public struct RetentionReport: Sendable, Equatable {
  /// Numbers of the segments that were moved or deleted, in order.
  public var segments: [UInt64] = []
  /// Bytes of their files.
  public var byteCount = 0
  /// What ended it before its time; everything is readable all the same, and the next run goes on.
  public var failure: JournalError?

  public init() {}
}
