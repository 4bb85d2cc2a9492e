import Journal
import StandbyFollower

extension ExitStatus {
  init(_ end: FollowerEnd) {
    self =
      switch end {
      case .otherJournal, .nothingInCommon: .otherPrimary
      case .ahead: .aheadOfPrimary
      case .formerPrimary: .formerPrimary
      case .isPrimary: .notAStandby
      case .parted: .historyDiffers
      case .severalPartitions: .severalPartitions
      case .tokenRefused: .notPermitted
      case .noPrimary: .unavailable
      case .unknownWire: .newerFormat
      case .damaged: .damagedData
      case .journal(let error): ExitStatus(following: error)
      }
  }

  /// Of a standby's own directory and disk: what cannot be written ends it, as it ends a server.
  private init(following error: JournalError) {
    self =
      switch error {
      case .storageFull, .failed: .journalFailed
      case .storage(let failure) where [.write, .synchronize].contains(failure.operation): .journalFailed
      default: ExitStatus(error)
      }
  }

  /// What `standby --help` says about the codes.
  static let standbyHelp = """
    Exit codes: 0 stopped; 1 --status: it does not follow; 64 the command line is wrong; 65 what the server sends is \
    damaged, or the directory is; 66 a file is missing; 69 what answers there is no primary; 73 a file cannot be opened \
    or made; 74 the disk is full or failed; 75 the directory is in use; 77 the token is not taken; 78 no certificates; \
    81 the server speaks a newer version; 87 two histories of one journal; 112 another journal than the server's, or \
    nothing shows that it is the same one (--new-copy); 113 the directory is ahead of the server; 114 another server has \
    taken that one's place; 115 the directory is not a standby's; 119 the server, or the directory, has several \
    partitions. In each case the journal is what it was. A server that does not answer is tried again for ever.
    """
}
