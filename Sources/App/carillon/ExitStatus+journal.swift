import Journal
import SystemPackage

extension ExitStatus {
  init(_ error: JournalError) {
    self =
      switch error {
      case .locked, .segmentInUse: .dataDirectoryInUse
      case .damaged, .epochDamaged: .damagedData
      case .halfCopied, .notRestored: .halfCopied
      case .cutShort: .cutShort
      case .foreignFile: .foreignData
      case .newerVersion: .newerFormat
      case .missingSegment: .missingInput
      case .brokenSequence, .epochFell: .mixedJournals
      case .relieved: .relieved
      case .followsAnother: .followsAnother
      case .historyChanged: .historyDiffers
      case .foreignStartingPoint: .foreignSnapshot
      case .startingPointBeyondEnd: .historyTruncated
      case .redactionIntentDamaged: .erasureInDoubt
      case .configuration: .configuration
      case .storage(let error): error.errno == .noSuchFileOrDirectory ? .missingInput : .dataDirectory
      case .storageFull: .dataDirectory
      case .failed: .journalFailed
      case .keyTooLong, .tooLarge, .overloaded, .closed: .software
      }
  }

  init(_ error: PartitionError) {
    self =
      switch error {
      case .countDiffers: .partitionsDiffer
      case .missing: .partitionMissing
      case .damaged, .lost: .partitionsDamaged
      case .partition: .severalPartitions
      case .mixed: .mixedJournals
      case .newerVersion: .newerFormat
      case .journal(let error): ExitStatus(error)
      case .storage: .dataDirectory
      }
  }

  init(_ error: SnapshotError) {
    self =
      switch error {
      case .foreignFile: .foreignData
      case .newerVersion: .newerFormat
      case .incomplete: .halfCopied
      case .damaged, .renamed: .damagedData
      case .foreignJournal: .foreignSnapshot
      case .historyDiffers: .historyDiffers
      case .journalShorter: .historyTruncated
      case .storage(let error): error.errno == .noSuchFileOrDirectory ? .missingInput : .dataDirectory
      }
  }

  init(_ error: CheckpointError) {
    self =
      switch error {
      case .notACheckpoint, .otherJournal, .ofSeveral, .ofOthers: .foreignCheckpoint
      case .newerCheckpoint: .newerFormat
      case .wrongSignature: .wrongSignature
      case .unknownKey: .unknownKey
      case .historyDiffers: .historyDiffers
      case .journalIsShorter: .historyTruncated
      case .historyDeleted: .historyDeleted
      }
  }

  init(_ error: TreeError) {
    self =
      switch error {
      case .lost: .treeLost
      case .otherJournal, .otherLog: .foreignTree
      case .stateDamaged, .rootDiffers, .cutTile, .hashDiffers, .doubtful: .damagedTree
      case .notMade, .beyondEnd: .treeBehind
      case .beforeBeginning: .historyDeleted
      case .newerVersion: .newerFormat
      case .journal(let error): ExitStatus(error)
      }
  }

  init(_ error: RejoinError) {
    self =
      switch error {
      case .otherJournal: .otherPrimary
      case .notLater, .sameEpoch: .formerPrimary
      case .journal(let error): ExitStatus(error)
      }
  }

  /// What `journal --help` says about the codes.
  static let journalHelp = """
    Exit codes: 0 all is well; 1 nothing was found; 64 the command line is wrong; 65 damaged; 66 a segment or a file is \
    missing; 73 a file cannot be opened or made; 75 in use by another process; 80 a foreign file; 81 a newer format; \
    82 half copied, or half restored; 83 segments of two journals; 84 wrong signature; 85 unknown key; 86 not a checkpoint, or one of \
    another journal; 87 history was changed; 88 the newest part is gone; 89 what the checkpoint proves was deleted; \
    90 a snapshot of another journal; 91 an erasure is in doubt; 92 the end of the last segment was cut off; 104 the tree \
    over the records is lost, and the beginning with it; 105 a tree or a tile of another log; 106 the tree is damaged, or \
    a tile was cut; 107 the tree is not made yet, or not so far; 108 no checkpoint reaches so far; 109 what \
    was erased cannot be proven; 110 another server has taken over; 111 the directory is a standby's; 112 the two have nothing in common; \
    114 the other one has not taken over; 117 a partition is missing; 118 the file that says how many there are is damaged or missing; \
    119 what is done with one journal only was asked of several, or of a partition by itself. Each comes with one line that names the file, the offset, and the next thing to do. No command but redact, repair --truncate and rejoin changes a journal.

    Of check and monitor: 65 no proof, or no checkpoint; 69 the log does not answer; 78 the policy is wrong; 84 wrong \
    signature; 85 not signed by the log's key; 86 another log; 87 the log has forked; 88 its tree has shrunk; 93 too few \
    witnesses; 94 not in the tree; 95 a proof without a record; 96 its index is outside of the tree; 97 too few hashes or \
    too many; 98 another record; 99 a tile is missing; 100 a tile was cut; 101 a tile of another log; 102 the log has \
    stalled; 103 a witness's clock is wrong.
    """
}
