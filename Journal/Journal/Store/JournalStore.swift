/// Where journals are kept, each with its snapshots and its sealed segments: files in directories, or elsewhere.
///
/// Whatever it is, what it throws says by `failure` whom to blame (`JournalError.failure`, `SnapshotError.failure`), and
/// one suite of checks (`StoreConformance`) says the rest of what is promised here. Calls block.
package protocol JournalStore: Sendable {
  /// Opens a partition's journal, or makes it, and hands on every record behind the configuration's starting point before
  /// it returns. From then on nobody else writes the journal: in which epoch this one does, is the store's to say.
  ///
  /// - Parameters:
  ///   - configuration: how it is written; what says where belongs to the store and is not looked at.
  ///   - deliver: takes the waiters of a commit together; nil: each is called by itself.
  ///   - lost: called once if the journal fails; all who wait hear that they are lost, and the writer takes nothing more.
  ///   - replays: each is handed every record, in order; several by a thread each.
  /// - Throws: `JournalError`, or what a replay throws; nothing has changed if the journal is what is wrong. `fenced` if
  ///   another writes in a higher epoch, `unavailable` while another in this place holds the journal.
  func open(
    _ partition: PartitionID, _ configuration: JournalConfiguration, deliver: JournalWriter.Delivery?,
    lost: @escaping JournalWriter.FatalHandler, replays: [JournalWriter.Replay]
  ) throws -> (writer: JournalWriter, report: RecoveryReport)

  /// A partition's snapshots.
  func snapshots(_ partition: PartitionID) -> any SnapshotVault

  /// A partition's segments, as far as they are sealed.
  func sealed(_ partition: PartitionID) -> any SegmentVault
}

/// Why a store does not keep, or does not give, what it is asked for: the same in every store.
public enum JournalFailure: Sendable, Hashable {
  /// Another has taken over, in that epoch (nil: in one that is not told): this one is not to write any more.
  case fenced(epoch: UInt32?)
  /// Not now, or not any more in this process: whoever asks tries later.
  case unavailable
  /// There is no room; goes by itself once there is.
  case full
  /// What is kept is not what was written, or not all of it: an operator has to look.
  case damaged
}

extension JournalError {
  /// Whom to blame; nil if it is whoever asked.
  public var failure: JournalFailure? {
    switch self {
    case .relieved(_, _, let by): .fenced(epoch: by)
    case .epochFell(_, let from, _): .fenced(epoch: from)
    case .followsAnother: .fenced(epoch: nil)
    case .overloaded, .failed, .closed, .locked: .unavailable
    case .storageFull: .full
    case .storage(let error): error.isDiskFull ? .full : .unavailable
    case .damaged, .halfCopied, .cutShort, .foreignFile, .newerVersion, .missingSegment, .brokenSequence,
      .historyChanged, .epochDamaged, .notRestored, .foreignStartingPoint, .startingPointBeyondEnd,
      .redactionIntentDamaged:
      .damaged
    case .keyTooLong, .tooLarge, .configuration, .segmentInUse: nil
    }
  }
}

extension SnapshotError {
  /// Whom to blame.
  public var failure: JournalFailure {
    switch self {
    case .storage(let error): error.isDiskFull ? .full : .unavailable
    case .foreignFile, .newerVersion, .incomplete, .damaged, .renamed, .foreignJournal, .historyDiffers,
      .journalShorter:
      .damaged
    }
  }
}
