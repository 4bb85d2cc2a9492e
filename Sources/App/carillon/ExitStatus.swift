import ArgumentParser

/// Why the process ended, as its exit code; the numbers of `sysexits.h` where one fits, from 80 on where none does.
enum ExitStatus: Int32, CaseIterable {
  case success = 0
  /// `health`: the server does not answer, or says that it is not ready. Any command: nothing was found.
  case failure = 1
  /// The command line is wrong.
  case usage = 64
  /// The journal is damaged: file and offset are named.
  case damagedData = 65
  /// A segment, or a file that was named, is not there.
  case missingInput = 66
  /// The address cannot be listened on. `journal monitor --once`: the log does not answer.
  case unavailable = 69
  /// A defect of Carillon itself.
  case software = 70
  /// The data directory, or a file, cannot be made or opened.
  case dataDirectory = 73
  /// Writing or syncing the journal failed; nothing was acknowledged after that.
  case journalFailed = 74
  /// Another process uses the data directory.
  case dataDirectoryInUse = 75
  /// The other side does not take the token.
  case notPermitted = 77
  /// The configuration was refused.
  case configuration = 78

  // The journal as evidence:
  /// A file with a segment's name that is none.
  case foreignData = 80
  /// A segment or a checkpoint was written by a newer version.
  case newerFormat = 81
  /// A segment was copied in part, or a directory was restored in part.
  case halfCopied = 82
  /// Segments of two journals are mixed, or two writers have written at a time.
  case mixedJournals = 83
  /// A checkpoint's signature is wrong: it was changed.
  case wrongSignature = 84
  /// A checkpoint was signed by another key than the one given.
  case unknownKey = 85
  /// A checkpoint, or its file, is of another journal, or is no checkpoint.
  case foreignCheckpoint = 86
  /// History was changed: up to a checkpoint's or a snapshot's position, or before a segment.
  case historyDiffers = 87
  /// The journal ends before a checkpoint's or a snapshot's position: its newest part is gone.
  case historyTruncated = 88
  /// What a checkpoint proves was deleted.
  case historyDeleted = 89
  /// A snapshot of another journal.
  case foreignSnapshot = 90
  /// An erasure was begun, and the file that says what to erase is damaged.
  case erasureInDoubt = 91
  /// The last segment is shorter than it was made: its end was cut off.
  case cutShort = 92

  // Evidence that strangers' tools check; up to 97 as `Journal/Evidence/check-proof.py` has them:
  /// Too few of the policy's witnesses have cosigned.
  case quorumMissing = 93
  /// The record is not in the tree that was signed.
  case notIncluded = 94
  /// A proof shows no record.
  case recordMissing = 95
  /// A proof's index is outside of its tree.
  case indexOutside = 96
  /// A proof has too few hashes or too many.
  case hashCount = 97
  /// A proof is of another record than the one asked for.
  case otherRecord = 98
  /// A log does not show a tile that its tree has.
  case tileMissing = 99
  /// A tile has fewer bytes than its name says, or more.
  case tileCut = 100
  /// A tile is another log's, or was changed.
  case foreignTile = 101
  /// A log has shown nothing new for too long.
  case logStalled = 102
  /// A witness's clock is wrong, or ours.
  case witnessClock = 103
  /// The tree over the records is lost, and with it the journal's beginning and every edge from which it could go on.
  case treeLost = 104
  /// The tree, or a tile of it, is of another log.
  case foreignTree = 105
  /// The tree is damaged, or a tile was cut: it can be made anew.
  case damagedTree = 106
  /// The tree is not made yet, or does not reach so far.
  case treeBehind = 107
  /// No checkpoint is kept, or none that reaches so far.
  case noCheckpoint = 108
  /// What was erased cannot be proven, and no start is possible in the midst of it.
  case erased = 109

  // A journal and its copies:
  /// Another server has taken this journal's place, in a later epoch.
  case relieved = 110
  /// The directory is a standby's.
  case followsAnother = 111
  /// A standby's directory is of another journal than the primary's.
  case otherPrimary = 112
  /// A standby has more than its primary.
  case aheadOfPrimary = 113
  /// A standby's primary is of an earlier epoch: another server has taken its place.
  case formerPrimary = 114
  /// The directory of a standby is a primary's.
  case notAStandby = 115

  // A data directory with several journals:
  /// The data directory was made with another number of partitions than the configuration asks for.
  case partitionsDiffer = 116
  /// A partition's journal is missing, and others have records.
  case partitionMissing = 117
  /// The file that says how many partitions there are is damaged, or missing.
  case partitionsDamaged = 118
  /// What can be done with one journal only was asked of several.
  case severalPartitions = 119

  // Backups:
  /// Not all of a backup is there, or not as it was made.
  case backupCut = 120
  /// The directory holds a backup of another instance.
  case otherBackup = 121
  /// Only an empty directory is restored into.
  case notEmpty = 122
  /// A backup holds records that were erased since.
  case holdsErased = 123
  /// A backup knows nothing of the position or time that it is to be restored at.
  case beyondBackup = 124

  var exitCode: ExitCode { ExitCode(rawValue) }

  /// Whether the same start may go well the next time, though nobody has changed anything: a service manager tries again.
  /// All others wait for an operator, who loses nothing by it.
  var mayPass: Bool {
    switch self {
    case .failure, .unavailable, .software, .dataDirectory, .journalFailed, .dataDirectoryInUse, .logStalled,
      .witnessClock:
      true
    case .success, .usage, .damagedData, .missingInput, .notPermitted, .configuration, .foreignData, .newerFormat,
      .halfCopied, .mixedJournals, .wrongSignature, .unknownKey, .foreignCheckpoint, .historyDiffers,
      .historyTruncated, .historyDeleted, .foreignSnapshot, .erasureInDoubt, .cutShort, .quorumMissing, .notIncluded,
      .recordMissing, .indexOutside, .hashCount, .otherRecord, .tileMissing, .tileCut, .foreignTile, .treeLost,
      .foreignTree, .damagedTree, .treeBehind, .noCheckpoint, .erased, .relieved, .followsAnother, .otherPrimary,
      .aheadOfPrimary, .formerPrimary, .notAStandby, .partitionsDiffer, .partitionMissing, .partitionsDamaged,
      .severalPartitions, .backupCut, .otherBackup, .notEmpty, .holdsErased, .beyondBackup:
      false
    }
  }
}
